// The frame of every chart: title, caption, alternative text, numbers, SVG.
import * as Plot from "@observablehq/plot";
import { downloadSvg } from "./download";
import { h, svg } from "./dom";
import { type Palette, onTheme, palette } from "./theme";

export interface Drawing {
  width: number;
  colours: Palette;
}

export interface Figure {
  title: string;
  caption?: string | Node;
  alternative: string; // what the chart shows, in a sentence
  file: string; // of the download, without its extension
  draw: (drawing: Drawing) => SVGSVGElement;
  controls?: Node[];
  numbers?: () => HTMLElement; // the same as a table
}

/** Charts of the current page: redrawn when the width or the colours change. */
let drawn: (() => void)[] = [];
let widths = new ResizeObserver(() => {});

export function forgetFigures(): void {
  drawn = [];
  widths.disconnect();
  const redraw = new WeakMap<Element, () => void>();
  widths = new ResizeObserver((entries) => {
    for (const { target } of entries) redraw.get(target)?.();
  });
  observe = (element, draw) => {
    redraw.set(element, draw);
    widths.observe(element);
  };
}
let observe: (element: Element, draw: () => void) => void = () => {};
onTheme(() => drawn.forEach((draw) => draw()));

export interface Frame {
  element: HTMLElement;
  redraw: () => void;
}

export function figure(options: Figure): Frame {
  const place = h("div", { class: "plot" });
  let width = 0;
  let drawing: SVGSVGElement | null = null;
  const redraw = () => {
    if (width === 0) return;
    drawing = options.draw({ width, colours: palette() });
    // A drawing is one image to screen readers: its parts have no names.
    for (const part of drawing.querySelectorAll("g[aria-label]")) {
      part.setAttribute("data-mark", part.getAttribute("aria-label") ?? "");
      part.removeAttribute("aria-label");
    }
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", options.alternative);
    place.replaceChildren(drawing);
  };
  const resized = () => {
    if (place.clientWidth === 0 || place.clientWidth === width) return;
    width = place.clientWidth;
    redraw();
  };
  const save = () => drawing && downloadSvg(`${options.file}.svg`, drawing, palette().surface);
  const element = h(
    "figure",
    { class: "figure", id: `figure-${options.file}` },
    h(
      "figcaption",
      {},
      h(
        "div",
        { class: "figure-title" },
        h("h3", {}, options.title),
        h(
          "button",
          {
            type: "button",
            class: "small",
            click: save,
            "aria-label": `Save “${options.title}” as SVG`,
          },
          "SVG",
        ),
      ),
      options.caption ? h("p", {}, options.caption) : null,
    ),
    options.controls ? h("div", { class: "controls" }, ...options.controls) : null,
    place,
    options.numbers ? numbersOf(options.numbers) : null,
  );
  drawn.push(redraw);
  observe(place, resized);
  return { element, redraw };
}

/** The numbers of a chart, created when they are first opened. */
function numbersOf(numbers: () => HTMLElement): HTMLElement {
  const details = h("details", { class: "numbers" }, h("summary", {}, "Numbers"));
  details.addEventListener("toggle", () => details.append(numbers()), { once: true });
  return details;
}

/** A plot in the page's style. */
export function plot(drawing: Drawing, options: Plot.PlotOptions): SVGSVGElement {
  const { width, colours } = drawing;
  const result = Plot.plot({
    width,
    marginRight: 16,
    ...options,
    style: {
      background: "transparent",
      color: colours.muted,
      fontSize: "12px",
      fontFamily: "inherit",
      overflow: "visible",
      ...(typeof options.style === "object" ? options.style : {}),
    },
  });
  if (!(result instanceof SVGSVGElement)) throw new Error("a plot must be one drawing");
  result.style.setProperty("--plot-background", colours.surface);
  return result;
}

/** The colour scale of weights below a map. */
export function colourRamp(x: number, y: number, most: string, colours: Palette): SVGGElement {
  const id = `ramp-${Math.random().toString(36).slice(2)}`;
  const width = 150;
  const stops = [colours.negative, colours.neutral, colours.positive];
  const label = (at: number, text: string) =>
    svg(
      "text",
      { x: at, y: 21, "text-anchor": "middle", fill: colours.muted, "font-size": 11 },
      text,
    );
  return svg(
    "g",
    { class: "ramp", transform: `translate(${x},${y})` },
    svg(
      "linearGradient",
      { id },
      ...stops.map((colour, i) => svg("stop", { offset: i / 2, "stop-color": colour })),
    ),
    svg("rect", { width, height: 8, rx: 2, fill: `url(#${id})` }),
    label(0, `\u2212${most}`),
    label(width / 2, "0"),
    label(width, most),
  );
}

const symbols: Plot.SymbolType[] = [
  "circle",
  "square",
  "triangle",
  "diamond2",
  "wye",
  "cross",
  "star",
  "hexagon",
];

export function colourOf(i: number, colours: Palette): string {
  return colours.series[i % colours.series.length] ?? colours.accent;
}

export function symbolOf(i: number): Plot.SymbolType {
  return symbols[(i + Math.floor(i / symbols.length)) % symbols.length] ?? "circle";
}

/** Slanted lines, for what cannot be reached. The drawing must have `mark` among its marks. */
export function hatching(colours: Palette): { fill: string; mark: Plot.Markish } {
  const id = `hatching-${Math.random().toString(36).slice(2)}`;
  const size = 6;
  const definition = () =>
    svg(
      "defs",
      {},
      svg(
        "pattern",
        {
          id,
          width: size,
          height: size,
          patternUnits: "userSpaceOnUse",
          patternTransform: "rotate(45)",
        },
        svg("rect", { width: size, height: size, fill: colours.faint, "fill-opacity": 0.55 }),
        svg("line", { y2: size, stroke: colours.muted, "stroke-opacity": 0.6, "stroke-width": 2 }),
      ),
    );
  return { fill: `url(#${id})`, mark: definition };
}

/** An entry of a legend that is not a series: how an area is filled. */
export interface Area {
  label: string;
  fill: string;
}

/** A legend within the drawing, so that a saved drawing has it too. */
export function legend(
  series: string[],
  drawing: Drawing,
  left: number,
  { areas = [], lift = 0 }: { areas?: Area[]; lift?: number } = {}, // lift: space between it and the frame
): { marks: Plot.Markish[]; height: number } {
  const labels = [...series, ...areas.map(({ label }) => label)];
  if (labels.length < 2) return { marks: [], height: 0 };
  const marks: Plot.Markish[] = [];
  const room = drawing.width - left - 8;
  const places: { x: number; row: number }[] = [];
  let x = 0;
  let row = 0;
  for (const label of labels) {
    const size = 28 + 6.6 * Array.from(label).length;
    if (x > 0 && x + size > room) {
      x = 0;
      ++row;
    }
    places.push({ x, row });
    x += size;
  }
  const height = 20 * (row + 1) + 10;
  labels.forEach((label, i) => {
    const place = places[i];
    if (!place) return;
    const at = {
      frameAnchor: "top-left" as const,
      dx: place.x + 6,
      dy: 20 * place.row - height + 8 - lift,
    };
    const area = areas[i - series.length];
    marks.push(
      Plot.dot([0], {
        ...at,
        className: "legend",
        ...(area
          ? { symbol: "square" as const, fill: area.fill, r: 6, stroke: drawing.colours.muted }
          : { symbol: symbolOf(i), fill: colourOf(i, drawing.colours), r: 4 }),
      }),
      Plot.text([label], {
        ...at,
        dx: at.dx + (area ? 11 : 9),
        dy: at.dy,
        text: (d: string) => d,
        textAnchor: "start",
        lineAnchor: "middle",
        fill: drawing.colours.ink,
        className: "legend",
      }),
    );
  });
  return { marks, height };
}
