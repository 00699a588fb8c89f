// Colours of charts, light and dark, also for readers with colour vision deficiency: the two ends of
// weights are blue and orange, and series also differ by their symbols.

export interface Palette {
  ink: string;
  muted: string;
  faint: string; // lines of grids
  surface: string;
  accent: string;
  soft: string; // areas behind accents
  negative: string;
  neutral: string;
  positive: string;
  onStrong: string; // text on strong cells
  series: string[];
}

const light: Palette = {
  ink: "#1d2329",
  muted: "#5a6570",
  faint: "#e3e6e8",
  surface: "#ffffff",
  accent: "#1f5f99",
  soft: "#cfe0ef",
  negative: "#b4560a",
  neutral: "#f4f4f2",
  positive: "#1f5f99",
  onStrong: "#ffffff",
  series: ["#1f5f99", "#b4560a", "#3d7a3d", "#7a4f9e", "#a8326b", "#6b6200", "#0f7a7a", "#59636e"],
};

const dark: Palette = {
  ink: "#e6e9ec",
  muted: "#9aa5b0",
  faint: "#2b3238",
  surface: "#171b1f",
  accent: "#79b4ea",
  soft: "#27425b",
  negative: "#f0a461",
  neutral: "#22282d",
  positive: "#79b4ea",
  onStrong: "#10151a",
  series: ["#79b4ea", "#f0a461", "#83c683", "#c0a0e6", "#ee8fb8", "#d1c34f", "#62cfcb", "#aab4be"],
};

type Theme = "light" | "dark";

const system = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let chosen: Theme | null = null;
let printing = false;

export function theme(): Theme {
  if (printing) return "light";
  return chosen ?? (system.matches ? "dark" : "light");
}

export function palette(): Palette {
  return theme() === "dark" ? dark : light;
}

function changed(): void {
  document.documentElement.dataset["theme"] = theme();
  for (const listener of listeners) listener();
}

export function toggleTheme(): void {
  chosen = theme() === "dark" ? "light" : "dark";
  changed();
}

export function onTheme(listener: () => void): void {
  listeners.add(listener);
}

/** Paper is white: charts are redrawn for printing. */
export function watchTheme(): void {
  changed();
  system.addEventListener("change", changed);
  for (const [event, state] of [
    ["beforeprint", true],
    ["afterprint", false],
  ] as const)
    window.addEventListener(event, () => {
      printing = state;
      changed();
    });
}
