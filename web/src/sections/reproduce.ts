// The paper's claims, and the experiments that check them.
import * as Plot from "@observablehq/plot";
import type { Experiment, Reproduce, Value } from "../document";
import { chartText, h, nameOf } from "../dom";
import { type Drawing, colourOf, figure, legend, plot, symbolOf } from "../figure";
import { count, figure as number, seconds, tick } from "../format";
import { dataTable } from "../table";
import { pictures } from "./images";
import { grid, type Section } from "./section";

const shown = (value: Value) =>
  value === null
    ? ""
    : typeof value === "number"
      ? number(value)
      : typeof value === "boolean"
        ? value
          ? "yes"
          : "no"
        : value;

export function claims(found: Reproduce): Section | null {
  if (found.claims.length === 0) return null;
  type Claim = Reproduce["claims"][number];
  const verdict = (claim: Claim) =>
    claim.holds === null ? "not checked" : claim.holds ? "holds" : "differs";
  const titles = new Map(
    found.experiments.map((experiment) => [experiment.name, experiment.title]),
  );
  const kinds = [...new Set(found.claims.map(verdict))];
  const number_of = (kind: string) =>
    found.claims.filter((claim) => verdict(claim) === kind).length;
  return {
    id: "claims",
    title: "Claims",
    lead: "What the paper says, what was measured here, and whether it holds.",
    body: [
      dataTable<Claim>({
        label: "Claims of the paper",
        things: "claims",
        rows: found.claims,
        wrap: true,
        cards: true,
        search: (claim) =>
          [
            claim.experiment,
            titles.get(claim.experiment) ?? "",
            claim.claim,
            claim.note ?? "",
          ].join(" "),
        searchLabel: "Search claims",
        filters: [
          { label: `all ${count(found.claims.length)}`, keep: () => true },
          ...kinds.map((kind) => ({
            label: `${kind} ${count(number_of(kind))}`,
            keep: (claim: Claim) => verdict(claim) === kind,
          })),
        ],
        columns: [
          {
            key: "holds",
            label: "verdict",
            width: 96,
            sort: verdict,
            cell: (claim) =>
              h(
                "span",
                { class: `verdict ${claim.holds ? "good" : claim.holds === null ? "" : "bad"}` },
                verdict(claim),
              ),
          },
          {
            key: "experiment",
            label: "experiment",
            width: 130,
            sort: (claim) => claim.experiment,
            cell: (claim) =>
              titles.has(claim.experiment)
                ? h(
                    "a",
                    {
                      href: `#experiment-${found.experiments.findIndex((e) => e.name === claim.experiment)}`,
                    },
                    nameOf(claim.experiment),
                  )
                : nameOf(claim.experiment),
          },
          {
            key: "claim",
            label: "claim",
            width: 280,
            sort: (claim) => claim.claim,
            cell: (claim) =>
              h(
                "div",
                {},
                nameOf(claim.claim, 1000),
                claim.note ? h("p", { class: "claim-note" }, nameOf(claim.note, 2000)) : null,
              ),
          },
          {
            key: "paper",
            label: "paper",
            width: 150,
            sort: (claim) => shown(claim.paper),
            cell: (claim) => nameOf(shown(claim.paper), 400),
          },
          {
            key: "measured",
            label: "measured",
            width: 150,
            sort: (claim) => shown(claim.measured),
            cell: (claim) => nameOf(shown(claim.measured), 400),
          },
        ],
      }),
    ],
  };
}

interface Point {
  x: number;
  y: number;
  series: number;
  record: Map<string, Value>;
}

function lines(experiment: Experiment, k: number, id: string): HTMLElement | null {
  const { title, x, y, x_label, y_label, log_x, log_y } = experiment.figures[k]!;
  const seriesOf = (record: Map<string, Value>) => shown(record.get("series") ?? null);
  const points: Point[] = [];
  const names: string[] = [];
  for (const record of experiment.records) {
    const [vx, vy] = [record.get(x), record.get(y)];
    if (
      typeof vx !== "number" ||
      typeof vy !== "number" ||
      (log_x && vx <= 0) ||
      (log_y && vy <= 0)
    )
      continue;
    const name = seriesOf(record);
    if (!names.includes(name)) names.push(name);
    points.push({ x: vx, y: vy, series: names.indexOf(name), record });
  }
  if (points.length === 0) return null;
  const tip = ({ x: vx, y: vy, series, record }: Point) => {
    const lambda = record.get("lambda");
    return [
      chartText(names[series]!, 60),
      `${x_label ?? x}: ${number(vx)}`,
      `${y_label ?? y}: ${number(vy)}`,
      typeof lambda === "number" && x !== "lambda" && y !== "lambda"
        ? `lambda ${number(lambda)}`
        : null,
    ]
      .filter((part) => part !== null)
      .join("\n");
  };
  const named = (y_label ?? y).toLowerCase() !== title.toLowerCase(); // otherwise the title says it
  const dotted = points.length <= 40 * names.length; // otherwise dots would hide the lines
  const draw = (drawing: Drawing) => {
    const { colours } = drawing;
    const key = legend(
      names.map((name) => chartText(name, 36)),
      drawing,
      56,
    );
    return plot(drawing, {
      height: 260 + key.height,
      marginLeft: 56,
      marginBottom: 40,
      marginTop: Math.max(key.height, named ? 14 : 0) + 14,
      x: {
        label: x_label ?? x,
        labelAnchor: "center",
        labelArrow: "none",
        type: log_x ? "log" : "linear",
        ticks: 5,
        tickFormat: tick,
        nice: true,
      },
      y: {
        label: named ? (y_label ?? y) : null,
        labelArrow: "none",
        type: log_y ? "log" : "linear",
        ticks: 5,
        tickFormat: tick,
        nice: true,
        grid: true,
      },
      marks: [
        ...key.marks,
        Plot.line(points, {
          x: "x",
          y: "y",
          z: "series",
          sort: "x",
          stroke: (d: Point) => colourOf(d.series, colours),
          strokeWidth: 1.5,
        }),
        dotted
          ? Plot.dot(points, {
              x: "x",
              y: "y",
              fill: (d: Point) => colourOf(d.series, colours),
              symbol: (d: Point) => symbolOf(d.series),
              r: 3,
              stroke: colours.surface,
              strokeWidth: 0.5,
            })
          : null,
        Plot.tip(points, Plot.pointer({ x: "x", y: "y", title: tip })),
      ],
    });
  };
  return figure({
    title,
    file: `${id}-${k}`,
    draw,
    alternative: `${title}: ${y_label ?? y} against ${x_label ?? x}, ${names.length} series of ${points.length} points in all.`,
  }).element;
}

function recordTable(experiment: Experiment): HTMLElement | null {
  if (!experiment.table) return null;
  const columns = experiment.table.some((column) => column.field === "series")
    ? experiment.table
    : [{ field: "series", label: "" }, ...experiment.table];
  return dataTable({
    label: experiment.title,
    things: "lines",
    rows: experiment.records,
    wrap: experiment.records.length <= 60,
    columns: columns.map(({ field, label }) => {
      const numeric = experiment.records.some((record) => typeof record.get(field) === "number");
      return {
        key: field,
        label: label || "method",
        numeric,
        width: numeric ? Math.max(80, 9 * label.length + 30) : 150,
        sort: (record: Map<string, Value>) => {
          const value = record.get(field) ?? null;
          return numeric ? (typeof value === "number" ? value : null) : shown(value);
        },
        cell: (record: Map<string, Value>) => nameOf(shown(record.get(field) ?? null), 80),
      };
    }),
  });
}

function pictureRows(experiment: Experiment, id: string): HTMLElement[] {
  const { shape, rows } = experiment.images ?? { shape: [0, 0], rows: [] };
  return rows.map(
    (row, k) =>
      figure({
        title: row.label,
        file: `${id}-images-${k}`,
        alternative: `${row.loadings.length} loadings of ${row.label} as images of ${shape[0]} by ${shape[1]} pixels.`,
        draw: (drawing) =>
          pictures(
            row.loadings.map((column, j) => ({
              column,
              label: `${count(column.index.length)} px`,
              about: `${row.label}, image ${j + 1}`,
            })),
            shape,
            drawing,
            0,
            10,
          ),
      }).element,
  );
}

export function experiment(found: Experiment, k: number): Section {
  const id = `experiment-${k}`;
  const figures = found.figures
    .map((_, i) => lines(found, i, id))
    .filter((element) => element !== null);
  const facts = [
    found.data,
    found.stand_in ? "stand-in data" : null,
    found.seconds === null ? null : seconds(found.seconds),
  ];
  const table = recordTable(found);
  return {
    id,
    title: found.title,
    ...(found.about ? { lead: found.about } : {}),
    body: [
      h(
        "ul",
        { class: "facts" },
        ...facts.filter((fact) => fact !== null).map((fact) => h("li", {}, nameOf(fact, 120))),
      ),
      ...(figures.length > 0 ? [grid(...figures)] : []),
      ...(table ? [table] : []),
      ...pictureRows(found, id),
    ],
  };
}
