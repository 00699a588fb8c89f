// Methods at the same sparsity, side by side.
import * as Plot from "@observablehq/plot";
import type { Compare } from "../document";
import { h, nameOf } from "../dom";
import { copyButton } from "../download";
import { type Drawing, figure, plot } from "../figure";
import { figure as number, percent, seconds, tick } from "../format";
import { dataTable } from "../table";
import { grid, type Section } from "./section";

type Row = Compare["rows"][number] & { name: string; call: string | null };

interface Axis {
  key: string;
  label: string;
  value: (row: Row) => number;
  text: (x: number) => string;
  log?: boolean;
}

const axes: Axis[] = [
  {
    key: "sparsity",
    label: "worst sparsity: zeros in the densest loading",
    value: (row) => row.criteria.sparsity.min,
    text: (x) => percent(x),
  },
  {
    key: "nor",
    label: "mean overlap of two loadings (NOR)",
    value: (row) => row.criteria.nonorthogonality,
    text: tick,
  },
  {
    key: "seconds",
    label: "seconds per fit",
    value: (row) => row.seconds,
    text: (x) => seconds(x),
    log: true,
  },
];

/** The names that fit beside their points, those of the best first. */
function labelled(rows: Row[], x: (row: Row) => number, y: (row: Row) => number): Set<Row> {
  const taken: { x: number; y: number; width: number }[] = [];
  const shown = new Set<Row>();
  for (const row of [...rows].sort((a, b) => b.criteria.cpev - a.criteria.cpev)) {
    const box = { x: x(row) - 4, y: y(row), width: 18 + 6.4 * row.name.length };
    if (
      taken.some(
        (other) =>
          Math.abs(other.y - box.y) < 13 &&
          box.x < other.x + other.width &&
          other.x < box.x + box.width,
      )
    )
      continue;
    taken.push(box);
    shown.add(row);
  }
  return shown;
}

function scatter(rows: Row[], axis: Axis, drawing: Drawing): SVGSVGElement {
  const { colours, width } = drawing;
  const at = { x: (row: Row) => axis.value(row), y: (row: Row) => row.criteria.cpev };
  const pca = rows[0]?.criteria.cpev_pca;
  const options: Plot.PlotOptions = {
    width,
    height: 320,
    marginLeft: 52,
    marginRight: 90,
    marginBottom: 40,
    marginTop: 20,
    x: {
      label: axis.label,
      labelAnchor: "center",
      labelArrow: "none",
      type: axis.log ? "log" : "linear",
      tickFormat: axis.text,
      ticks: 4,
      nice: true,
    },
    y: {
      label: "CPEV",
      labelArrow: "none",
      tickFormat: (y: number) => percent(y),
      nice: true,
      grid: true,
      ticks: 5,
    },
  };
  const dots = Plot.dot(rows, {
    ...at,
    r: 4.5,
    fill: (row: Row) => (row.method === "spcart" ? colours.accent : colours.muted),
    fillOpacity: 0.9,
    stroke: colours.surface,
  });
  const scales = Plot.plot({
    ...options,
    marks: [dots, ...(pca === undefined ? [] : [Plot.ruleY([pca])])],
  });
  const [sx, sy] = [scales.scale("x")!, scales.scale("y")!];
  const names = labelled(
    rows,
    (row) => sx.apply(at.x(row)) as number,
    (row) => sy.apply(at.y(row)) as number,
  );
  return plot(drawing, {
    ...options,
    marks: [
      pca === undefined
        ? null
        : Plot.ruleY([pca], { stroke: colours.muted, strokeDasharray: "4 3" }),
      pca === undefined
        ? null
        : Plot.text([pca], {
            y: (d: number) => d,
            frameAnchor: "right",
            dx: 8,
            textAnchor: "start",
            text: () => `PCA ${percent(pca, 1)}`,
            fill: colours.muted,
            className: "legend",
          }),
      dots,
      Plot.text([...names], {
        ...at,
        text: "name",
        textAnchor: "start",
        dx: 9,
        fill: colours.ink,
        stroke: colours.surface,
        strokeWidth: 3,
      }),
      Plot.tip(
        rows,
        Plot.pointer({
          ...at,
          title: (row: Row) =>
            `${row.name}\nCPEV ${percent(row.criteria.cpev, 2)}, NOR ${number(row.criteria.nonorthogonality)}\nworst sparsity ${percent(row.criteria.sparsity.min, 1)}\n${seconds(row.seconds)}${row.note ? `\n${row.note}` : ""}`,
        }),
      ),
    ],
  });
}

function nameIn(row: Compare["rows"][number], all: Compare["rows"]): string {
  const alike = all.filter((other) => other.method === row.method);
  const parts = [row.method];
  if (new Set(alike.map((other) => other.truncation)).size > 1 && row.truncation)
    parts.push(row.truncation);
  if (new Set(alike.map((other) => other.start)).size > 1 && row.start) parts.push(row.start);
  return parts.join(":");
}

export function compare(found: Compare): Section {
  const rows: Row[] = found.rows.map((row, k) => ({
    ...row,
    name: nameIn(row, found.rows),
    call: found.report?.calls?.[k] ?? null,
  }));
  const matched = rows.filter((row) => row.note === null);
  const shown = matched.length > 0 ? matched : rows;
  const left = rows.length - shown.length;
  const share = (
    key: string,
    label: string,
    hint: string,
    value: (row: Row) => number,
    text: (x: number) => string,
  ) => ({
    key,
    label,
    hint,
    numeric: true,
    width: 84,
    sort: value,
    cell: (row: Row) => text(value(row)),
  });
  const figures = axes.map(
    (axis) =>
      figure({
        title: `CPEV against ${axis.key === "nor" ? "overlap" : axis.key === "seconds" ? "time" : "evenness of sparsity"}`,
        caption:
          axis.key === "sparsity"
            ? "All have the same mean sparsity; they differ in how evenly it is distributed. Up and right is better."
            : "Up and left is better; the dashed line is what PCA explains without zeros.",
        file: `compare-${axis.key}`,
        draw: (drawing) => scatter(shown, axis, drawing),
        alternative: `Scatter of ${shown.length} methods, CPEV against ${axis.label}; the table has the same numbers.`,
      }).element,
  );
  return {
    id: "compare",
    title: "Methods side by side",
    lead: `All at the same number of nonzeros.${left > 0 ? ` ${left} that ${left === 1 ? "does" : "do"} not reach it ${left === 1 ? "is" : "are"} in the table only, with a note.` : ""}`,
    body: [
      dataTable({
        label: "Methods and their figures",
        things: "methods",
        rows,
        wrap: true,
        search: (row) => row.name,
        searchLabel: "Search methods",
        sorted: "cpev",
        filters: [
          { label: "all", keep: () => true },
          { label: "at this sparsity", keep: (row) => row.note === null },
        ],
        columns: [
          {
            key: "method",
            label: "method",
            width: 120,
            sort: (row) => row.name,
            cell: (row) => nameOf(row.name),
          },
          {
            key: "truncation",
            label: "truncation",
            width: 96,
            sort: (row) => row.truncation,
            cell: (row) => row.truncation ?? "",
          },
          {
            key: "lambda",
            label: "lambda",
            numeric: true,
            width: 84,
            sort: (row) => row.lambda,
            cell: (row) => (row.lambda === null ? "" : number(row.lambda)),
          },
          share(
            "cpev",
            "CPEV",
            "cumulative percentage of explained variance",
            (row) => row.criteria.cpev,
            (x) => percent(x, 2),
          ),
          share(
            "share",
            "of PCA’s",
            "share of what PCA explains",
            (row) => row.criteria.share_of_pca,
            (x) => percent(x, 1),
          ),
          share(
            "sparsity",
            "zeros",
            "mean fraction of zeros",
            (row) => row.criteria.sparsity.mean,
            (x) => percent(x, 1),
          ),
          share(
            "worst",
            "worst",
            "fraction of zeros in the densest loading",
            (row) => row.criteria.sparsity.min,
            (x) => percent(x, 1),
          ),
          share(
            "nor",
            "NOR",
            "nonorthogonality: mean overlap of two loadings",
            (row) => row.criteria.nonorthogonality,
            number,
          ),
          share("seconds", "time", "of one fit, including PCA", (row) => row.seconds, seconds),
          {
            key: "note",
            label: "note",
            width: 160,
            sort: (row) => row.note,
            cell: (row) => row.note ?? "",
          },
          {
            key: "call",
            label: "command",
            width: 90,
            sort: (row) => row.call,
            cell: (row) => (row.call ? copyButton(row.call) : ""),
          },
        ],
      }),
      figures[1]!,
      grid(figures[0]!, figures[2]!),
      h(
        "p",
        { class: "caption" },
        "Names are shown if they fit; point at a point to see its name.",
      ),
    ],
  };
}
