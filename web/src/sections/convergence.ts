import * as Plot from "@observablehq/plot";
import type { Fit } from "../document";
import { type Drawing, figure, plot } from "../figure";
import { counted, figure as number, percent, tick } from "../format";
import { plainTable } from "../table";
import { grid, type Section } from "./section";

interface Measure {
  field: "change" | "truncated_energy" | "sparsity" | "objective";
  title: string;
  caption: string;
  text: (x: number) => string;
  ticks: (x: number) => string;
  log?: boolean;
}

const measures: Measure[] = [
  {
    field: "change",
    title: "Change of the loadings",
    caption: "From one iteration to the next; the stopping criterion uses it.",
    text: number,
    ticks: tick,
    log: true,
  },
  {
    field: "objective",
    title: "Objective",
    caption: "What the method minimises.",
    text: number,
    ticks: tick,
  },
  {
    field: "truncated_energy",
    title: "Truncated energy",
    caption: "Fraction of each rotated vector that is truncated, on average.",
    text: (x) => percent(x, 2),
    ticks: (x) => percent(x, 1),
  },
  {
    field: "sparsity",
    title: "Sparsity",
    caption: "Mean fraction of zeros in a loading.",
    text: (x) => percent(x, 2),
    ticks: (x) => percent(x, 1),
  },
];

export function convergence(fit: Fit): Section | null {
  if (fit.history.length < 2) return null;
  const figures = measures.map(({ field, title, caption, text, ticks, log }) => {
    const points = fit.history.map((step, i) => ({ iteration: i + 1, value: step[field] }));
    const logarithmic = !!log && points.every((point) => point.value > 0);
    const draw = (drawing: Drawing) =>
      plot(drawing, {
        height: 200,
        marginLeft: 56,
        marginBottom: 36,
        marginTop: 12,
        x: {
          label: "iteration",
          labelAnchor: "center",
          labelArrow: "none",
          ticks: Math.min(points.length, 8),
          tickFormat: (x: number) => (Number.isInteger(x) ? String(x) : ""),
        },
        y: {
          label: null,
          type: logarithmic ? "log" : "linear",
          nice: true,
          grid: true,
          ticks: 4,
          tickFormat: ticks,
        },
        marks: [
          Plot.lineY(points, {
            x: "iteration",
            y: "value",
            stroke: drawing.colours.accent,
            strokeWidth: 1.75,
          }),
          points.length <= 60
            ? Plot.dot(points, { x: "iteration", y: "value", fill: drawing.colours.accent, r: 3 })
            : null,
          Plot.tip(
            points,
            Plot.pointerX({
              x: "iteration",
              y: "value",
              title: (d) => `iteration ${d.iteration}\n${text(d.value)}`,
            }),
          ),
        ],
      });
    return figure({
      title,
      caption,
      file: `convergence-${field}`,
      draw,
      alternative: `${title} over ${points.length} iterations, from ${text(points[0]!.value)} to ${text(points.at(-1)!.value)}.`,
      numbers: () =>
        plainTable(
          ["iteration", title],
          points.map((point) => [String(point.iteration), text(point.value)]),
        ),
    }).element;
  });
  return {
    id: "convergence",
    title: "Convergence",
    lead: `${fit.message.charAt(0).toUpperCase()}${fit.message.slice(1)}; ${counted(fit.history.length, "iteration")}.`,
    body: [grid(...figures)],
  };
}
