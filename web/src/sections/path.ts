// The trade-off between zeros and variance, setting by setting.
import * as Plot from "@observablehq/plot";
import type { Path, PathPoint } from "../document";
import { h } from "../dom";
import { copyButton } from "../download";
import { type Drawing, colourOf, figure, legend, plot, symbolOf } from "../figure";
import { count, counted, figure as number, percent, tick } from "../format";
import { dataTable } from "../table";
import { commandLine, grid, type Section } from "./section";

interface Setting {
  point: PathPoint;
  nonzeros: number;
  series: number;
  call: string | null;
  mark: string | null; // knee, or keeps enough
}

interface Axis {
  label: string;
  value: (setting: Setting) => number;
  text: (x: number) => string;
  log?: boolean;
  reverse?: boolean;
}

const sparsity: Axis = {
  label: "zeros in a loading, on average",
  value: (s) => s.point.criteria.sparsity.mean,
  text: (x) => percent(x),
};
const nonzeros: Axis = {
  label: "total nonzeros, fewer to the right",
  value: (s) => s.nonzeros,
  text: count,
  log: true,
  reverse: true,
};

const measures: (Axis & { title: string; caption: string; file: string })[] = [
  {
    title: "Variance kept",
    caption: "Share of what as many principal components explain.",
    file: "path-share",
    label: "of PCA’s variance",
    value: (s) => s.point.criteria.share_of_pca,
    text: (y) => percent(y),
  },
  {
    title: "Overlap",
    caption: "Nonorthogonality (NOR): mean |cos| of two loadings.",
    file: "path-overlap",
    label: "NOR",
    value: (s) => s.point.criteria.nonorthogonality,
    text: tick,
  },
  {
    title: "Densest loading",
    caption: "Fraction of zeros in the loading with the fewest zeros.",
    file: "path-worst",
    label: "worst sparsity",
    value: (s) => s.point.criteria.sparsity.min,
    text: (y) => percent(y),
  },
];

function inWords({ point, nonzeros: all, call, mark }: Setting): string {
  const c = point.criteria;
  return [
    `${mark ? `${mark.charAt(0).toUpperCase()}${mark.slice(1)}: ` : ""}${point.truncation}, lambda ${number(point.lambda)}, ${counted(point.components, "component")}`,
    `${counted(all, "nonzero")}; ${percent(c.sparsity.mean, 1)} zeros`,
    `keeps ${percent(c.share_of_pca, 1)} of PCA’s variance`,
    call,
  ]
    .filter((line) => line !== null)
    .join("\n");
}

export function path(found: Path): Section {
  const kinds = [
    ...new Set(
      found.points.map((point) => `${point.truncation}, ${counted(point.components, "component")}`),
    ),
  ];
  const single = new Set(found.points.map((point) => point.components)).size === 1;
  const settings: Setting[] = found.points.map((point, k) => ({
    point,
    nonzeros: point.criteria.nonzeros.reduce((a, b) => a + b, 0),
    series: kinds.indexOf(`${point.truncation}, ${counted(point.components, "component")}`),
    call: found.report?.calls?.[k] ?? null,
    mark:
      [k === found.knee ? "knee" : null, k === found.keep ? "keeps enough" : null]
        .filter(Boolean)
        .join(", ") || null,
  }));
  const names = single ? kinds.map((kind) => kind.split(",")[0]!) : kinds;
  let across = sparsity;
  const shown = h("div", { class: "chosen", role: "status" });
  const choose = (setting: Setting) =>
    shown.replaceChildren(
      h(
        "p",
        {},
        `${inWords({ ...setting, call: null }).replaceAll("\n", "; ")}.${setting.point.warm ? " It was found from its neighbour; a single fit starts at varimax and may give a slightly different result." : ""}`,
      ),
      setting.call ? commandLine(setting.call) : "",
    );

  const draw = (axis: Axis, drawing: Drawing) => {
    const { colours } = drawing;
    const key = legend(names, drawing, 52);
    const at = { x: (s: Setting) => across.value(s), y: (s: Setting) => axis.value(s) };
    const marked = settings.filter((setting) => setting.mark);
    const result = plot(drawing, {
      height: 280 + key.height,
      marginLeft: 52,
      marginBottom: 40,
      marginTop: key.height + 8,
      x: {
        label: across.label,
        labelAnchor: "center",
        labelArrow: "none",
        type: across.log ? "log" : "linear",
        reverse: !!across.reverse,
        tickFormat: across.text,
        ticks: 5,
      },
      y: { label: null, tickFormat: axis.text, ticks: 5, grid: true, nice: true },
      marks: [
        ...key.marks,
        Plot.line(settings, {
          ...at,
          z: "series",
          stroke: (s: Setting) => colourOf(s.series, colours),
          strokeWidth: 1.75,
        }),
        Plot.dot(settings, {
          ...at,
          fill: (s: Setting) => colourOf(s.series, colours),
          symbol: (s: Setting) => symbolOf(s.series),
          r: 3,
          stroke: colours.surface,
          strokeWidth: 0.5,
        }),
        Plot.dot(marked, {
          ...at,
          r: 7,
          stroke: colours.ink,
          strokeWidth: 1.5,
          className: "marked",
        }),
        Plot.text(marked, {
          ...at,
          text: "mark",
          dy: -14,
          fill: colours.ink,
          fontWeight: 600,
          stroke: colours.surface,
          strokeWidth: 4,
          className: "marked",
        }),
        Plot.tip(settings, Plot.pointer({ ...at, title: inWords, lineWidth: 34 })),
      ],
    });
    result.addEventListener("click", () => {
      const near = (result as unknown as { value: Setting | null }).value;
      if (near) choose(near);
    });
    return result;
  };
  const frames = measures.map((measure) =>
    figure({
      title: measure.title,
      caption: measure.caption,
      file: measure.file,
      alternative: `${measure.title} against sparsity for ${counted(settings.length, "setting")}; the table below has the same numbers.`,
      draw: (drawing) => draw(measure, drawing),
    }),
  );
  const select = h(
    "select",
    {
      change: () => {
        across = select.value === "nonzeros" ? nonzeros : sparsity;
        frames.forEach((frame) => frame.redraw());
      },
    },
    h("option", { value: "sparsity" }, "fraction of zeros"),
    h("option", { value: "nonzeros" }, "number of nonzeros"),
  );
  choose(settings[found.knee]!);
  const table = dataTable({
    label: "Every setting",
    things: "settings",
    rows: settings,
    search: (s) => s.point.truncation,
    searchLabel: "Search truncations",
    filters: [
      { label: "all", keep: () => true },
      { label: "marked", keep: (s) => s.mark !== null },
    ],
    columns: [
      {
        key: "truncation",
        label: "truncation",
        width: 100,
        sort: (s) => s.point.truncation,
        cell: (s) => s.point.truncation,
      },
      {
        key: "components",
        label: "r",
        hint: "components",
        numeric: true,
        width: 48,
        sort: (s) => s.point.components,
        cell: (s) => count(s.point.components),
      },
      {
        key: "lambda",
        label: "lambda",
        numeric: true,
        width: 86,
        sort: (s) => s.point.lambda,
        cell: (s) => number(s.point.lambda),
      },
      {
        key: "nonzeros",
        label: "nonzeros",
        numeric: true,
        width: 84,
        sort: (s) => s.nonzeros,
        cell: (s) => count(s.nonzeros),
      },
      {
        key: "sparsity",
        label: "zeros",
        numeric: true,
        width: 76,
        sort: (s) => s.point.criteria.sparsity.mean,
        cell: (s) => percent(s.point.criteria.sparsity.mean, 1),
      },
      {
        key: "cpev",
        label: "CPEV",
        hint: "cumulative percentage of explained variance",
        numeric: true,
        width: 76,
        sort: (s) => s.point.criteria.cpev,
        cell: (s) => percent(s.point.criteria.cpev, 1),
      },
      {
        key: "share",
        label: "of PCA’s",
        numeric: true,
        width: 84,
        sort: (s) => s.point.criteria.share_of_pca,
        cell: (s) => percent(s.point.criteria.share_of_pca, 1),
      },
      {
        key: "nor",
        label: "NOR",
        hint: "nonorthogonality: mean overlap",
        numeric: true,
        width: 76,
        sort: (s) => s.point.criteria.nonorthogonality,
        cell: (s) => number(s.point.criteria.nonorthogonality),
      },
      { key: "mark", label: "mark", width: 110, sort: (s) => s.mark, cell: (s) => s.mark ?? "" },
      {
        key: "call",
        label: "command",
        width: 90,
        sort: (s) => s.call,
        cell: (s) => (s.call ? copyButton(s.call) : ""),
      },
    ],
  });
  return {
    id: "path",
    title: "The trade-off",
    lead: "Each point is one setting. Point at it to see its figures, click it to get its command line.",
    body: [
      h("div", { class: "controls" }, h("label", {}, "x axis: ", select)),
      frames[0]!.element,
      shown,
      grid(...frames.slice(1).map((frame) => frame.element)),
      h("h3", {}, "Every setting"),
      table,
    ],
  };
}
