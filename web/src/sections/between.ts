// How components are related to each other.
import * as Plot from "@observablehq/plot";
import type { Fit } from "../document";
import { type Drawing, figure, plot } from "../figure";
import { figure as number } from "../format";
import { plainTable } from "../table";
import { grid, type Section } from "./section";

const mostShown = 40;

function matrixFigure(
  rows: number[][],
  options: {
    title: string;
    caption: string;
    file: string;
    text: (x: number) => string;
    tip: (i: number, j: number) => string;
    colour: (x: number) => number;
  },
): HTMLElement {
  const r = Math.min(rows.length, mostShown);
  const cells = Array.from({ length: r }, (_, i) =>
    Array.from({ length: r }, (_, j) => ({ i, j, value: rows[i]![j]! })),
  )
    .flat()
    .filter(({ i, j }) => i !== j);
  const draw = (drawing: Drawing) => {
    const { colours } = drawing;
    const width = Math.min(drawing.width, 40 + r * 64);
    const cell = (width - 56) / r;
    const label = (i: number) =>
      cell >= 30 ? `PC${i + 1}` : r <= 20 || i % 5 === 4 || i === 0 ? String(i + 1) : "";
    return plot(drawing, {
      width,
      height: Math.min(cell, 44) * r + 40,
      marginLeft: 40,
      marginTop: 28,
      marginBottom: 8,
      padding: 0.05,
      x: {
        type: "band",
        domain: Array.from({ length: r }, (_, i) => i),
        axis: "top",
        tickSize: 0,
        tickFormat: label,
        label: null,
      },
      y: {
        type: "band",
        domain: Array.from({ length: r }, (_, i) => i),
        tickSize: 0,
        tickFormat: label,
        label: null,
      },
      color: {
        type: "linear",
        domain: [-1, 0, 1],
        range: [colours.negative, colours.neutral, colours.positive],
        interpolate: "lab",
      },
      marks: [
        Plot.cell(cells, { x: "j", y: "i", fill: (d) => options.colour(d.value), rx: 2 }),
        cell >= 38
          ? Plot.text(cells, {
              x: "j",
              y: "i",
              text: (d) => options.text(d.value),
              fill: (d) =>
                Math.abs(options.colour(d.value)) > 0.62 ? colours.onStrong : colours.ink,
              fontVariant: "tabular-nums",
              pointerEvents: "none",
            })
          : null,
        Plot.tip(cells, Plot.pointer({ x: "j", y: "i", title: (d) => options.tip(d.i, d.j) })),
      ],
    });
  };
  return figure({
    title: options.title,
    file: options.file,
    draw,
    caption: `${options.caption}${rows.length > r ? ` The first ${r} of ${rows.length} components.` : ""}`,
    alternative: `${options.title} of ${r} components, as a square map.`,
    numbers: () =>
      plainTable(
        ["", ...rows.map((_, j) => `PC${j + 1}`)],
        rows.map((row, i) => [`PC${i + 1}`, ...row.map(options.text)]),
      ),
  }).element;
}

export function between(fit: Fit): Section | null {
  const { cosines, angles, correlations } = fit.report ?? {};
  if (!cosines || !angles || !correlations || fit.components < 2) return null;
  return {
    id: "between",
    title: "Between components",
    lead: "Principal components are orthogonal and uncorrelated. Sparse components lose a little of both.",
    body: [
      grid(
        matrixFigure(angles, {
          title: "Angles between loadings",
          file: "angles",
          caption: "In degrees; 90 is orthogonal.",
          text: (x) => x.toFixed(0),
          colour: (x) => (90 - x) / 90,
          tip: (i, j) =>
            `PC${i + 1} and PC${j + 1}\n${angles[i]![j]!.toFixed(1)}°, cosine ${number(cosines[i]![j]!)}`,
        }),
        matrixFigure(correlations, {
          title: "Correlation of scores",
          file: "correlations",
          caption: "0 is uncorrelated.",
          text: (x) =>
            x
              .toFixed(2)
              .replace("-", "\u2212")
              .replace(/^\u22120.00$/, "0.00"),
          colour: (x) => x,
          tip: (i, j) => `PC${i + 1} and PC${j + 1}\ncorrelation ${number(correlations[i]![j]!)}`,
        }),
      ),
    ],
  };
}
