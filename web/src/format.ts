// Numbers in readable form.

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const narrow = "\u202f"; // between a number and its percent sign

/** A typographic minus is as wide as a plus. */
const signed = (text: string) => text.replace("-", "\u2212");

export function count(n: number): string {
  return grouped.format(n);
}

/** "1 component", "6 components". */
export function counted(n: number, thing: string, things = `${thing}s`): string {
  return `${count(n)} ${n === 1 ? thing : things}`;
}

/** Three to four digits; fractions with four decimals, as is usual in the field. */
export function figure(x: number): string {
  const size = Math.abs(x);
  if (size < 1e-12) return "0"; // rounding
  if (Number.isInteger(x) && size < 1e6) return signed(count(x));
  if (size >= 1e5 || size < 1e-4) {
    const [digits, exponent] = x.toExponential(2).split("e");
    return signed(`${digits}e${Number(exponent)}`);
  }
  if (size < 0.01) return signed(String(Number(x.toPrecision(3))));
  return signed(x.toFixed(size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4));
}

/** At the ticks of an axis: no more digits than necessary. */
export function tick(x: number): string {
  const size = Math.abs(x);
  if (size !== 0 && (size >= 1e5 || size < 1e-4))
    return signed(x.toExponential(0).replace("e+", "e"));
  return signed(String(Number(x.toPrecision(4))));
}

/** A weight: always three decimals, with its sign. */
export function weight(x: number): string {
  return x === 0 ? "0" : `${x > 0 ? "+" : "\u2212"}${Math.abs(x).toFixed(3)}`;
}

/** "92 %"; only 1 is shown as 100 %, and only 0 as 0 %. */
export function percent(fraction: number, decimals = 0): string {
  const rounding = 1e-9;
  const whole = Math.abs(fraction - 1) < rounding;
  const none = Math.abs(fraction) < rounding;
  for (let digits = decimals; digits <= decimals + 1; ++digits) {
    const text = (100 * fraction).toFixed(digits);
    const wrong = (Number(text) === 100 && !whole) || (Number(text) === 0 && !none);
    if (!wrong) return signed(`${text}${narrow}%`);
  }
  const least = 10 ** -(decimals + 1);
  if (fraction > 0.5 && fraction < 1)
    return `>${narrow}${(100 - least).toFixed(decimals + 1)}${narrow}%`;
  return fraction > 0 && fraction < 0.5
    ? `<${narrow}${least.toFixed(decimals + 1)}${narrow}%`
    : signed(`${(100 * fraction).toFixed(decimals + 2)}${narrow}%`);
}

/** The same rounded up: what is at most so much. */
export function percentUp(fraction: number, decimals = 0): string {
  const digits = 10 ** (decimals + 2);
  return percent(Math.ceil(digits * fraction) / digits, decimals);
}

export function seconds(s: number): string {
  if (s < 0.0995) return `${Number((1000 * s).toPrecision(2))} ms`;
  if (s < 100) return `${Number(s.toPrecision(3))} s`;
  return `${count(Math.floor(s / 60))} min ${Math.round(s % 60)} s`;
}

/** "2 to 5" or "3". */
export function range(values: number[]): string {
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  return least === most ? count(least) : `${count(least)} to ${count(most)}`;
}

/** The shortest text that is read back exactly, as the command writes it in CSV. */
export function exact(x: number): string {
  if (Object.is(x, -0)) return "-0";
  const [digits, power] = x.toExponential().split("e") as [string, string];
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) return String(x);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A field of CSV, quoted if it could be misread. */
export function csvField(text: string): string {
  return text === "" || /^ | $|[,;"\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
