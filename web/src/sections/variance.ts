// Explained variance, of each component and together, beside that of PCA.
import * as Plot from "@observablehq/plot";
import type { Fit } from "../document";
import { type Drawing, colourOf, figure, legend, plot, symbolOf } from "../figure";
import { percent } from "../format";
import { plainTable } from "../table";
import { grid, type Section } from "./section";

interface Point {
  component: number;
  value: number;
  series: number;
}

const names = ["sparse components", "PCA"];

/** Cumulative sums. */
function stacked(parts: number[]): number[] {
  let sum = 0;
  return parts.map((part) => (sum += part));
}

function lines(points: Point[], kinds: string[], what: string, drawing: Drawing): SVGSVGElement {
  const key = legend(kinds, drawing, 52);
  const last = points.reduce((a, point) => Math.max(a, point.component), 1);
  const { colours } = drawing;
  const common = { x: "component", y: "value", stroke: (d: Point) => colourOf(d.series, colours) };
  return plot(drawing, {
    height: 240 + key.height,
    marginLeft: 52,
    marginTop: key.height + 12,
    marginBottom: 38,
    x: {
      label: "component",
      domain: [Math.min(1, last - 1), Math.max(last, 2)],
      ticks: Math.min(last, 10),
      tickFormat: (x: number) => (Number.isInteger(x) ? String(x) : ""),
      labelAnchor: "center",
      labelArrow: "none",
    },
    y: {
      label: null,
      domain: [0, points.reduce((a, point) => Math.max(a, point.value), 0) * 1.05 || 1],
      tickFormat: (y: number) => percent(y),
      ticks: 5,
      grid: true,
    },
    marks: [
      ...key.marks,
      Plot.ruleY([0], { stroke: colours.faint }),
      Plot.lineY(points, { ...common, z: "series", strokeWidth: 1.75 }),
      Plot.dot(points, {
        x: "component",
        y: "value",
        fill: (d: Point) => colourOf(d.series, colours),
        symbol: (d: Point) => symbolOf(d.series),
        r: last > 60 ? 2 : 3.5,
        stroke: colours.surface,
      }),
      Plot.tip(
        points,
        Plot.pointer({
          x: "component",
          y: "value",
          title: (d: Point) =>
            `PC${d.component}, ${kinds[d.series]}\n${percent(d.value, 2)} ${what}`,
        }),
      ),
    ],
  });
}

export function variance(fit: Fit): Section | null {
  const { criteria: c } = fit;
  const sparse = c.adjusted_variance;
  const pca = fit.report?.pca_variances?.slice(0, sparse.length) ?? [];
  if (sparse.length === 0) return null;
  const kinds = pca.length > 0 ? names : names.slice(0, 1);
  const points = (values: number[][]): Point[] =>
    values.flatMap((column, series) =>
      column.map((value, i) => ({ component: i + 1, value, series })),
    );
  const each = points([sparse, pca]);
  const together = points([stacked(c.cpev_gains), stacked(pca)]);
  const table = (of: Point[]) => () =>
    plainTable(
      ["component", ...kinds],
      sparse.map((_, i) => [
        `PC${i + 1}`,
        ...kinds.map((_, series) => {
          const found = of.find((point) => point.series === series && point.component === i + 1);
          return found ? percent(found.value, 2) : "";
        }),
      ]),
    );
  return {
    id: "variance",
    title: "Explained variance",
    body: [
      grid(
        figure({
          title: "Of each component",
          caption:
            "Adjusted variance: after removing the components before it. Fractions of the total variance.",
          alternative: `Scree plot: adjusted variance of ${sparse.length} sparse components${pca.length ? ", and variance of principal components" : ""}.`,
          file: "variance",
          numbers: table(each),
          draw: (drawing) => lines(each, kinds, "of the variance", drawing),
        }).element,
        figure({
          title: "Of the first components together",
          caption:
            "CPEV, cumulative percentage of explained variance: variance of the data within their span.",
          alternative: `Variance explained by the first components together: ${percent(c.cpev, 1)} by all sparse ones, ${percent(c.cpev_pca, 1)} by PCA.`,
          file: "variance-together",
          numbers: table(together),
          draw: (drawing) => lines(together, kinds, "together", drawing),
        }).element,
      ),
    ],
  };
}
