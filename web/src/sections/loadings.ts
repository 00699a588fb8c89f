// Loadings: as a map, as lists of bars, as a table and as CSV.
import * as Plot from "@observablehq/plot";
import type { Fit } from "../document";
import { chartText, h, nameOf } from "../dom";
import { download } from "../download";
import { type Drawing, colourRamp, figure, plot } from "../figure";
import { count, counted, csvField, exact, percent, weight } from "../format";
import { type Column, dataTable, plainTable } from "../table";
import type { Section } from "./section";

/** Loadings as dense columns, with what is derived from them. */
interface Weights {
  fit: Fit;
  columns: Float64Array[];
  frequencies: Float64Array[] | null; // of bootstrap
  largest: Float64Array; // |weight| of each variable, over the components
  home: Int32Array; // the component in which it is largest; -1 for none
}

function dense(columns: Fit["loadings"], p: number): Float64Array[] {
  return columns.map(({ index, value }) => {
    const out = new Float64Array(p);
    index.forEach((i, k) => (out[i] = value[k]!));
    return out;
  });
}

function weightsOf(fit: Fit): Weights {
  const p = fit.variables;
  const columns = dense(fit.loadings, p);
  const largest = new Float64Array(p);
  const home = new Int32Array(p).fill(-1);
  columns.forEach((column, j) =>
    column.forEach((value, i) => {
      if (Math.abs(value) <= largest[i]!) return;
      largest[i] = Math.abs(value);
      home[i] = j;
    }),
  );
  return {
    fit,
    columns,
    frequencies: fit.bootstrap ? dense(fit.bootstrap.frequencies, p) : null,
    largest,
    home,
  };
}

/** Variables by their component, and within it by descending weight. */
function byComponent({ home, largest }: Weights, variables: number[]): number[] {
  const place = (i: number) => (home[i]! < 0 ? Infinity : home[i]!);
  return [...variables].sort((i, j) =>
    place(i) === place(j) ? largest[j]! - largest[i]! || i - j : place(i) - place(j),
  );
}

const mapLines = 60; // variables in a map
const mapColumns = 40;
const listLines = 12; // variables in a list of bars
const listCount = 24;

function heatMap(weights: Weights): HTMLElement {
  const { fit, columns, largest, frequencies } = weights;
  const used = Array.from(largest.keys()).filter((i) => largest[i]! > 0);
  const chosen =
    used.length <= mapLines
      ? used
      : [...used].sort((i, j) => largest[j]! - largest[i]!).slice(0, mapLines);
  const unused = fit.variables - used.length;
  const variables = byComponent(weights, chosen);
  const r = Math.min(fit.components, mapColumns);
  const most = variables.reduce((a, i) => Math.max(a, largest[i]!), 0) || 1;
  const cells = variables.flatMap((i, line) =>
    columns.slice(0, r).map((column, j) => ({ i, line, j, value: column[i]! })),
  );
  const draw = (drawing: Drawing) => {
    const { colours, width } = drawing;
    const letters = width < 560 ? 14 : 26;
    const names = variables.map((i) => chartText(fit.names[i]!, letters));
    const left = Math.min(
      16 + 7 * names.reduce((a, name) => Math.max(a, name.length - 2), 4),
      letters * 7 + 16,
    );
    const cell = Math.min((width - left - 16) / r, 150);
    const line = variables.length > 30 ? 18 : 26;
    const inside = cell >= 46 && variables.length <= 30;
    const height = line * variables.length + 74;
    const map = plot(drawing, {
      width: Math.min(width, left + r * cell + 16),
      height,
      marginLeft: left,
      marginTop: 30,
      marginBottom: 44,
      padding: 0.06,
      x: {
        type: "band",
        domain: columns.slice(0, r).map((_, j) => j),
        axis: "top",
        tickSize: 0,
        tickFormat: (j: number) => (cell >= 34 ? `PC${j + 1}` : String(j + 1)),
        label: null,
      },
      y: {
        type: "band",
        domain: variables.map((_, line) => line),
        tickSize: 0,
        tickFormat: (line: number) => names[line] ?? "",
        label: null,
      },
      color: {
        type: "linear",
        domain: [-most, 0, most],
        range: [colours.negative, colours.neutral, colours.positive],
        interpolate: "lab",
      },
      marks: [
        Plot.cell(cells, { x: "j", y: "line", fill: "value", rx: 2 }),
        inside
          ? Plot.text(
              cells.filter((c) => c.value !== 0),
              {
                x: "j",
                y: "line",
                text: (c) => weight(c.value).replace("+", ""),
                fill: (c) => (Math.abs(c.value) > 0.62 * most ? colours.onStrong : colours.ink),
                fontVariant: "tabular-nums",
                pointerEvents: "none",
              },
            )
          : null,
        Plot.tip(
          cells,
          Plot.pointer({
            x: "j",
            y: "line",
            title: (c) =>
              `${chartText(fit.names[c.i]!, 60)}\nPC${c.j + 1}: ${weight(c.value)}${frequencies ? `\nin ${percent(frequencies[c.j]![c.i]!)} of resamples` : ""}`,
          }),
        ),
      ],
    });
    map.append(colourRamp(left + 4, height - 28, most.toFixed(2), colours));
    return map;
  };
  const rest = used.length - variables.length;
  const notes = [
    "Blue weights are positive, orange ones negative; variables are grouped by the component in which their weight is largest.",
    rest > 0
      ? `The ${count(mapLines)} variables with the largest weights; ${counted(rest, "other")} with smaller ones ${rest === 1 ? "is" : "are"} in the table below.`
      : null,
    unused > 0
      ? `${counted(unused, "variable")} ${unused === 1 ? "is" : "are"} in no component.`
      : null,
    fit.components > r ? `The first ${r} of ${count(fit.components)} components.` : null,
  ]
    .filter((note) => note !== null)
    .join(" ");
  return figure({
    title: "Map of the weights",
    caption: notes,
    alternative: `Heat map of the weights of ${variables.length} variables in ${r} components; the table below has the same numbers.`,
    file: "loadings-map",
    draw,
  }).element;
}

/** The variables of one component, largest weight first. */
function barList({ fit, columns, frequencies }: Weights, j: number): HTMLElement {
  const { index, value } = fit.loadings[j]!;
  const places = index
    .map((_, k) => k)
    .sort((a, b) => Math.abs(value[b]!) - Math.abs(value[a]!) || a - b);
  const most = value.reduce((a, x) => Math.max(a, x), 0);
  const least = value.reduce((a, x) => Math.min(a, x), 0);
  const origin = (-100 * least) / (most - least || 1);
  const lines = places.slice(0, listLines).map((k) => {
    const i = index[k]!;
    const x = columns[j]![i]!;
    const share = (100 * Math.abs(x)) / (most - least || 1);
    const side = x < 0 ? `right:${(100 - origin).toFixed(2)}%` : `left:${origin.toFixed(2)}%`;
    const often = frequencies ? percent(frequencies[j]![i]!) : null;
    return h(
      "li",
      {},
      nameOf(fit.names[i]!, 40),
      h(
        "span",
        { class: "bar", "aria-hidden": "true", style: `--origin:${origin.toFixed(2)}%` },
        h("span", {
          class: x < 0 ? "negative" : "positive",
          style: `width:${share.toFixed(2)}%;${side}`,
        }),
      ),
      h("span", { class: "weight" }, weight(x)),
      often
        ? h("span", { class: "often", title: `selected in ${often} of the resamples` }, often)
        : null,
    );
  });
  const rest = places.length - lines.length;
  const share = fit.criteria.adjusted_variance[j];
  return h(
    "article",
    { class: frequencies ? "component with-frequency" : "component" },
    h(
      "h4",
      {},
      `PC${j + 1}`,
      h(
        "span",
        {},
        [
          share === undefined ? null : `${percent(share, 1)} of the variance`,
          counted(index.length, "variable"),
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
    lines.length > 0 ? h("ol", {}, ...lines) : h("p", {}, "All its weights are zero."),
    rest > 0
      ? h("p", { class: "rest" }, `and ${counted(rest, "variable")} with smaller weights`)
      : null,
    fit.bootstrap
      ? h(
          "p",
          { class: "rest" },
          `cosine to its match in a resample: ${weight(fit.bootstrap.cosines[j] ?? 0).replace("+", "")}`,
        )
      : null,
  );
}

function barLists(weights: Weights): HTMLElement {
  const r = weights.fit.components;
  const place = h("div", { class: "components" });
  const show = (most: number) =>
    place.replaceChildren(
      ...Array.from({ length: Math.min(r, most) }, (_, j) => barList(weights, j)),
    );
  show(listCount);
  const all =
    r > listCount
      ? h(
          "button",
          {
            type: "button",
            click: () => {
              show(Infinity);
              all?.remove();
            },
          },
          `Show all ${count(r)} components`,
        )
      : null;
  return h(
    "div",
    {},
    h("h3", {}, "Component by component"),
    h(
      "p",
      { class: "caption" },
      `Each list is scaled to its own largest weight.${weights.frequencies ? ` The last column is the fraction of ${count(weights.fit.bootstrap!.resamples)} resamples that selected the variable.` : ""}`,
    ),
    place,
    all,
  );
}

export function loadingsCsv(fit: Fit): string {
  const columns = dense(fit.loadings, fit.variables);
  const lines = [columns.map((_, j) => `,PC${j + 1}`).join("")];
  for (let i = 0; i < fit.variables; ++i)
    lines.push(csvField(fit.names[i]!) + columns.map((column) => `,${exact(column[i]!)}`).join(""));
  return `${lines.join("\n")}\n`;
}

function loadingsTable({ fit, columns, largest, home }: Weights): HTMLElement {
  const order = Array.from({ length: fit.variables }, (_, i) => i);
  const component = (j: number): Column<number> => ({
    key: `PC${j + 1}`,
    label: `PC${j + 1}`,
    hint: "Sort by absolute weight",
    numeric: true,
    width: 74,
    sort: (i) => Math.abs(columns[j]![i]!),
    cell: (i) => {
      const x = columns[j]![i]!;
      return x === 0 ? h("span", { class: "zero" }, "·") : weight(x);
    },
  });
  const save = () => download("loadings.csv", "text/csv", loadingsCsv(fit));
  return h(
    "div",
    {},
    h("h3", {}, "Every variable"),
    dataTable({
      label: "Loadings of every variable",
      things: fit.variables === 1 ? "variable" : "variables",
      rows: order,
      search: (i) => fit.names[i]!,
      searchLabel: "Search variables",
      columns: [
        {
          key: "variable",
          label: "variable",
          width: 180,
          sort: (i) => fit.names[i]!,
          cell: (i) => nameOf(fit.names[i]!, 40),
        },
        {
          key: "largest",
          label: "largest",
          hint: "Sort by the largest absolute weight",
          numeric: true,
          width: 84,
          sort: (i) => largest[i]!,
          cell: (i) =>
            largest[i]! > 0 ? largest[i]!.toFixed(3) : h("span", { class: "zero" }, "·"),
        },
        {
          key: "component",
          label: "in",
          hint: "Sort by the component in which its weight is largest",
          width: 64,
          sort: (i) => (home[i]! < 0 ? null : home[i]!),
          cell: (i) => (home[i]! < 0 ? "none" : `PC${home[i]! + 1}`),
        },
        ...columns.map((_, j) => component(j)),
      ],
      tools: [h("button", { type: "button", class: "save", click: save }, "Loadings as CSV")],
    }),
  );
}

/** Variables that at least half of the resamples select, but not the fit. */
function missed({ fit, columns, frequencies }: Weights): HTMLElement | null {
  if (!frequencies || !fit.bootstrap) return null;
  const found = frequencies.flatMap((column, j) =>
    Array.from(column.keys())
      .filter((i) => column[i]! >= 0.5 && columns[j]![i] === 0)
      .map((i) => [fit.names[i]!, `PC${j + 1}`, percent(column[i]!)]),
  );
  if (found.length === 0) return null;
  return h(
    "div",
    {},
    h("h3", {}, "Selected by most resamples, but not by the fit"),
    plainTable(["variable", "component", "of resamples"], found),
  );
}

export function loadings(fit: Fit): Section {
  const weights = weightsOf(fit);
  const parts = [heatMap(weights), barLists(weights), missed(weights), loadingsTable(weights)];
  return {
    id: "loadings",
    title: "Loadings",
    lead: "The variables of each component.",
    body: parts.filter((part) => part !== null),
  };
}
