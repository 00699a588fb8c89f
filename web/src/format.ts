// Numbers as people read them.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const narrow = "\u202f"; // between a number and its sign of percent

/** A typographic minus is as wide as a plus. */
const signed = (text: string) => text.replace("-", "\u2212");

export function count(n: number): string {
  return grouped.format(n);
}

/** "1 component", "6 components". */
export function counted(n: number, thing: string, things = `${thing}s`): string {
  return `${count(n)} ${n === 1 ? thing : things}`;
}

/** Three to four digits. */
export function figure(x: number): string {
  const size = Math.abs(x);
  if (x === 0) return "0";
  if (Number.isInteger(x) && size < 1e6) return signed(count(x));
  if (size >= 1e5 || size < 1e-4) {
    const [digits, exponent] = x.toExponential(2).split("e");
    return signed(`${digits}e${Number(exponent)}`);
  }
  const digits = size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 4;
  return signed(x.toFixed(digits));
}

/** A weight: always three decimals, with its sign. */
export function weight(x: number): string {
  return x === 0 ? "0" : `${x > 0 ? "+" : "\u2212"}${Math.abs(x).toFixed(3)}`;
}

/** "92 %"; what is not everything never reads as 100 %, what is not nothing never as 0 %. */
export function percent(fraction: number, decimals = 0): string {
  let text = (100 * fraction).toFixed(decimals);
  for (let more = decimals + 1; more <= 4; ++more) {
    const wrong = (Number(text) === 100 && fraction !== 1) || (Number(text) === 0 && fraction !== 0);
    if (!wrong || Math.abs(1 - fraction) < 1e-6) break;
    text = (100 * fraction).toFixed(more);
  }
  return signed(`${text}${narrow}%`);
}

export function seconds(s: number): string {
  if (s < 0.0995) return `${figure(Number((1000 * s).toPrecision(2)))} ms`;
  if (s < 100) return `${Number(s.toPrecision(3))} s`;
  return `${count(Math.floor(s / 60))} min ${Math.round(s % 60)} s`;
}

/** "2 to 5" or "3". */
export function range(values: number[]): string {
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  return least === most ? count(least) : `${count(least)} to ${count(most)}`;
}

/** The shortest text that gives the number back, as the command writes it in CSV. */
export function exact(x: number): string {
  if (Object.is(x, -0)) return "-0";
  const [digits, power] = x.toExponential().split("e") as [string, string];
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return String(x);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A field of CSV, quoted where a reader could take it for something else. */
export function csvField(text: string): string {
  return text === "" || /^ | $|[,;"\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
