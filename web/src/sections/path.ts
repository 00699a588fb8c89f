// The trade-off between zeros and variance, setting by setting.
import * as Plot from "@observablehq/plot";
import type { Path, PathPoint } from "../document";
import { h } from "../dom";
import { copyButton } from "../download";
import { type Drawing, colourOf, figure, hatching, legend, plot, symbolOf } from "../figure";
import { count, counted, figure as number, percent, percentUp, tick } from "../format";
import { dataTable } from "../table";
import { commandLine, grid, type Section } from "./section";

interface Setting {
  point: PathPoint;
  nonzeros: number;
  series: number;
  call: string | null;
  mark: string | null; // knee, or keeps enough
  most: number | null; // share of PCA’s variance that no orthogonal components exceed
}

/** What can be pointed at. */
interface Target {
  setting: Setting;
  y: number;
  text: string;
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

/** Of the share of PCA’s variance. */
function mostOf({ bound, criteria }: PathPoint): number | null {
  if (bound === null || !(criteria.cpev_pca > 0)) return null;
  return Math.min(Math.max(bound / criteria.cpev_pca, 0), 1);
}

/** Where the region begins that no series can reach. Fewer nonzeros never explain more, so that a
 * bound holds until the next, sparser setting. */
function outOfReach(settings: Setting[], across: Axis): { x: number; y: number }[] {
  const sign = across.reverse ? -1 : 1;
  const ordered = settings
    .map((setting) => ({ ...setting, x: across.value(setting) }))
    .sort((a, b) => sign * (a.x - b.x));
  const now = new Map(ordered.map(({ series }) => [series, 1]));
  const found: { x: number; y: number }[] = [];
  for (const { x, series, most } of ordered) {
    now.set(series, most ?? 1);
    if (found.at(-1)?.x === x) found.pop();
    found.push({ x, y: [...now.values()].reduce((a, b) => Math.max(a, b)) });
  }
  return found;
}

interface Measure extends Axis {
  title: string;
  caption: string;
  file: string;
  limited?: boolean; // it has the bounds of what is possible
}

const measures: Measure[] = [
  {
    title: "Variance kept",
    caption: "Share of what as many principal components explain.",
    file: "path-share",
    label: "of PCA’s variance",
    value: (s) => s.point.criteria.share_of_pca,
    text: (y) => percent(y),
    limited: true,
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

/** More than orthogonal components could explain: the loadings overlap. */
function exceeded({ most, point }: Setting): boolean {
  return most !== null && point.criteria.share_of_pca > most + 1e-6;
}

function boundInWords(setting: Setting): string | null {
  if (setting.most === null) return null;
  const which = setting.point.components === 1 ? "any component" : "orthogonal components";
  const words = `${which}: at most ${percentUp(setting.most, 1)}`;
  return exceeded(setting) ? `${words}; these overlap` : words;
}

function limitInWords({ point, nonzeros: all, most }: Setting): string {
  const r = point.components;
  const few = `with as few variables${r === 1 ? "" : " in each"} (${counted(all, "nonzero")})`;
  return `No ${r === 1 ? "component" : `${count(r)} orthogonal components`} ${few} ${r === 1 ? "keeps" : "keep"} more than ${percentUp(most ?? 1, 1)} of PCA’s variance`;
}

function inWords(setting: Setting): string {
  const { point, nonzeros: all, call, mark } = setting;
  const c = point.criteria;
  return [
    `${mark ? `${mark.charAt(0).toUpperCase()}${mark.slice(1)}: ` : ""}${point.truncation}, lambda ${number(point.lambda)}, ${counted(point.components, "component")}`,
    `${counted(all, "nonzero")}; ${percent(c.sparsity.mean, 1)} zeros`,
    `keeps ${percent(c.share_of_pca, 1)} of PCA’s variance`,
    boundInWords(setting),
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
    most: mostOf(point),
  }));
  const bounded = settings.filter((setting) => setting.most !== null);
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

  const draw = (axis: Measure, drawing: Drawing) => {
    const { colours } = drawing;
    const limits = axis.limited ? bounded : [];
    const hatch = hatching(colours);
    const key = legend(
      names,
      drawing,
      52,
      limits.length > 0
        ? { areas: [{ label: "no orthogonal components reach this", fill: hatch.fill }] }
        : {},
    );
    const at = { x: (s: Setting) => across.value(s), y: (s: Setting) => axis.value(s) };
    const marked = settings.filter((setting) => setting.mark);
    // The bound of a setting is pointed at like the setting itself, which comes last and has priority.
    const targets: Target[] = [
      ...limits.map((setting) => ({ setting, y: setting.most!, text: limitInWords(setting) })),
      ...settings.map((setting) => ({ setting, y: axis.value(setting), text: inWords(setting) })),
    ];
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
        ...(limits.length > 0
          ? [
              hatch.mark,
              Plot.areaY(outOfReach(settings, across), {
                x: "x",
                y1: "y",
                y2: 1,
                curve: "step-after",
                fill: hatch.fill,
              }),
              Plot.line(limits, {
                x: at.x,
                y: (s: Setting) => s.most,
                z: "series",
                curve: "step-after",
                stroke: (s: Setting) =>
                  names.length > 1 ? colourOf(s.series, colours) : colours.muted,
                strokeDasharray: "2,2",
                className: "limit",
              }),
            ]
          : []),
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
          // The region above the frontier stays free.
          ...(limits.length > 0 ? { dx: -9, dy: 10, textAnchor: "end" as const } : { dy: -14 }),
          fill: colours.ink,
          fontWeight: 600,
          stroke: colours.surface,
          strokeWidth: 4,
          className: "marked",
        }),
        Plot.tip(
          targets,
          Plot.pointer({
            x: (d: Target) => across.value(d.setting),
            y: "y",
            title: "text",
            lineWidth: 34,
          }),
        ),
      ],
    });
    result.addEventListener("click", () => {
      const near = (result as unknown as { value: Target | null }).value;
      if (near) choose(near.setting);
    });
    return result;
  };
  const limitCaption = [
    kinds.length > 1
      ? "Dashed: what no orthogonal components with as few variables in each exceed; above all these bounds, hatched, is proved to be out of reach."
      : "Hatched: proved to be out of reach of orthogonal components with as few variables in each.",
    bounded.some(exceeded) ? "Settings above their bound have loadings that overlap." : "",
  ].join(" ");
  const frames = measures.map((measure) =>
    figure({
      title: measure.title,
      caption:
        measure.limited && bounded.length > 0
          ? `${measure.caption} ${limitCaption}`
          : measure.caption,
      file: measure.file,
      alternative: `${measure.title} against sparsity for ${counted(settings.length, "setting")}${measure.limited && bounded.length > 0 ? ", and above them the region that no orthogonal components can reach" : ""}; the table below has the same numbers.`,
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
      ...(bounded.length > 0
        ? [
            {
              key: "bound",
              label: "at most",
              hint: "share of PCA’s that no orthogonal components with as few variables exceed",
              numeric: true,
              width: 84,
              sort: (s: Setting) => s.most,
              cell: (s: Setting) => (s.most === null ? "" : percentUp(s.most, 1)),
            },
          ]
        : []),
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
