// How many components, and how many variables in each.
import * as Plot from "@observablehq/plot";
import type { Choose, Recommendation } from "../document";
import { h } from "../dom";
import { type Drawing, colourOf, figure, legend, plot, symbolOf } from "../figure";
import { count, counted, figure as number, percent } from "../format";
import { plainTable } from "../table";
import { commandLine, type Section } from "./section";

const screeNames = ["principal components", "permuted data, 95 % quantile", "broken stick"];

function scree(found: Choose): HTMLElement {
  const { variances, parallel, broken_stick } = found.scree;
  const columns = [variances, parallel, broken_stick];
  const points = columns.flatMap((column, series) =>
    column.map((value, i) => ({ component: i + 1, value, series })),
  );
  const draw = (drawing: Drawing) => {
    const { colours } = drawing;
    const key = legend(screeNames, drawing, 52);
    const bars = points.filter((point) => point.series === 0);
    return plot(drawing, {
      height: 280 + key.height,
      marginLeft: 52,
      marginBottom: 40,
      marginTop: key.height + 10,
      x: {
        type: "band",
        domain: variances.map((_, i) => i + 1),
        label: "component",
        labelArrow: "none",
        labelAnchor: "center",
        padding: 0.25,
        tickSize: 0,
        tickFormat: (i: number) =>
          i === 1 || i % 5 === 0 || drawing.width > 26 * variances.length ? String(i) : "",
      },
      y: { label: null, tickFormat: (y: number) => percent(y), grid: true, ticks: 5 },
      marks: [
        ...key.marks,
        Plot.barY(bars, {
          x: "component",
          y: "value",
          fill: (d) => (d.component <= found.scree.by_parallel ? colours.accent : colours.soft),
          rx: 2,
        }),
        ...[1, 2].flatMap((series) => {
          const line = points.filter((point) => point.series === series);
          return [
            Plot.lineY(line, {
              x: "component",
              y: "value",
              stroke: colourOf(series, colours),
              strokeWidth: 1.75,
            }),
            Plot.dot(line, {
              x: "component",
              y: "value",
              fill: colourOf(series, colours),
              symbol: symbolOf(series),
              r: 3.5,
              stroke: colours.surface,
              strokeWidth: 0.75,
            }),
          ];
        }),
        Plot.tip(
          points,
          Plot.pointer({
            x: "component",
            y: "value",
            title: (d) =>
              `component ${d.component}, ${screeNames[d.series]}\n${percent(d.value, 2)} of the variance`,
          }),
        ),
      ],
    });
  };
  return figure({
    title: "Variance compared with chance",
    file: "scree",
    draw,
    caption: `Leading components above permuted data (strong bars): ${found.scree.by_parallel}; above the broken stick: ${found.scree.by_broken_stick}.`,
    alternative: `Scree plot of ${variances.length} principal components with the variances of permuted data and of a broken stick.`,
    numbers: () =>
      plainTable(
        ["component", ...screeNames],
        variances.map((_, i) => [
          String(i + 1),
          ...columns.map((column) => percent(column[i] ?? 0, 2)),
        ]),
      ),
  }).element;
}

function validation(found: Choose): HTMLElement | null {
  const { points, least, chosen } = found.cross_validation;
  const fitted = points
    .map((point, k) => ({ ...point, k }))
    .filter((point) => point.components > 0);
  if (fitted.length === 0) return null;
  const numbers = [...new Set(fitted.map((point) => point.components))].sort((a, b) => a - b);
  const names = numbers.map((r) => counted(r, "component"));
  const of = (point: { components: number }) => numbers.indexOf(point.components);
  const draw = (drawing: Drawing) => {
    const { colours } = drawing;
    const key = legend(names, drawing, 52);
    const at = { x: "nonzeros", y: "error" };
    const marked = [
      {
        point: fitted.find((point) => point.k === chosen),
        text: chosen === least ? "chosen, least error" : "chosen",
      },
      {
        point: chosen === least ? undefined : fitted.find((point) => point.k === least),
        text: "least error",
      },
    ].flatMap(({ point, text }) => (point ? [{ ...point, text }] : []));
    return plot(drawing, {
      height: 300 + key.height,
      marginLeft: 52,
      marginBottom: 40,
      marginTop: key.height + 20,
      x: {
        type: "log",
        label: "variables per component",
        labelArrow: "none",
        labelAnchor: "center",
        ticks: 5,
        tickFormat: (x: number) => count(x),
      },
      y: { label: null, tickFormat: (y: number) => percent(y), grid: true, ticks: 5, zero: true },
      marks: [
        ...key.marks,
        Plot.line(fitted, {
          ...at,
          z: "components",
          stroke: (d) => colourOf(of(d), colours),
          strokeWidth: 1.75,
        }),
        Plot.dot(fitted, {
          ...at,
          fill: (d: { components: number }) => colourOf(of(d), colours),
          symbol: (d: { components: number }) => symbolOf(of(d)),
          r: 3.5,
          stroke: colours.surface,
        }),
        Plot.ruleX(marked, {
          x: "nonzeros",
          y1: (d) => d.error - d.excess_deviation,
          y2: (d) => d.error + d.excess_deviation,
          stroke: colours.ink,
          strokeWidth: 1.25,
          className: "marked",
        }),
        Plot.dot(marked, {
          ...at,
          r: 8,
          stroke: colours.ink,
          strokeWidth: 1.5,
          className: "marked",
        }),
        Plot.text(marked, {
          ...at,
          text: "text",
          dy: 20,
          fill: colours.ink,
          fontWeight: 600,
          stroke: colours.surface,
          strokeWidth: 4,
          className: "marked",
        }),
        Plot.tip(
          fitted,
          Plot.pointer({
            ...at,
            title: (d) =>
              `${counted(d.components, "component")} of ${counted(d.nonzeros, "variable")}\nerror ${percent(d.error, 2)} of that of the means\nstandard error above the least: ${number(d.excess_deviation)}`,
          }),
        ),
      ],
    });
  };
  return figure({
    title: "Error at held-out entries",
    file: "cross-validation",
    draw,
    caption:
      "Relative to predicting every entry by its variable’s mean (100 %). The choice is the fewest and smallest components within one standard error of the least.",
    alternative: `Cross-validation error of ${fitted.length} settings by number of variables per component, one line per number of components.`,
    numbers: () =>
      plainTable(
        ["components", "variables", "error", "standard error above the least"],
        fitted.map((point) => [
          String(point.components),
          String(point.nonzeros),
          percent(point.error, 2),
          number(point.excess_deviation),
        ]),
      ),
  }).element;
}

const sentence = (words: string) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const reasonList = (reasons: string[]) =>
  h("ul", { class: "reasons" }, ...reasons.map((reason) => h("li", {}, sentence(reason))));

/** One of the two recommendations: when to use it, its reasons, and the call that fits it. */
function answer(purpose: string, found: Recommendation, call: string | undefined): Node[] {
  const facts = [
    `Regression on the scores explains ${percent(found.explained, 1)} of the variance; as many principal components explain ${percent(found.explained_by_pca, 1)}.`,
    found.error === null
      ? null
      : `Its error at held-out entries is ${percent(found.error, 1)} of that of the means.`,
  ];
  return [
    h(
      "h3",
      {},
      `${purpose}: ${counted(found.components, "component")} of ${counted(found.nonzeros, "variable")}`,
    ),
    h("p", { class: "caption" }, [sentence(found.when), ...facts].filter(Boolean).join(" ")),
    reasonList(found.reasons),
    ...(call ? [commandLine(call)] : []),
  ];
}

function answers(found: Choose): Node[] {
  const [predict, read] = found.report?.calls ?? [];
  if (found.components === 0 || !found.to_read || !found.to_predict)
    return [reasonList(found.reasons), ...(predict ? [commandLine(predict)] : [])];
  return [
    ...answer("To read", found.to_read, read),
    ...answer("To predict", found.to_predict, predict),
    ...(found.difference ? [h("p", { class: "caption" }, sentence(found.difference))] : []),
  ];
}

export function choose(found: Choose): Section {
  const parts: (Node | null)[] = [...answers(found), scree(found), validation(found)];
  return { id: "choose", title: "Why", body: parts.filter((part) => part !== null) };
}
