// How much more other components could explain, as far as that is proved.
import * as Plot from "@observablehq/plot";
import type { Certificate, Fit, Proof } from "../document";
import { chartText, clipped, h, nameOf } from "../dom";
import { type Drawing, figure, hatching, legend, plot } from "../figure";
import { count, percent, percentUp, seconds } from "../format";
import { dataTable, plainTable } from "../table";
import type { Section } from "./section";

/** What no components of a kind exceed. */
interface Limit {
  kind: string;
  bound: number;
  text: string; // of the bound
  by: string;
  own: boolean; // the answer is of this kind, and of none before it
}

const kinds: Record<string, string> = {
  disjoint: "no common variables",
  orthogonal: "orthogonal",
  oblique: "as oblique as these",
  any: "however oblique",
};

const proofs: Record<string, string> = {
  "branch-and-bound": "branch and bound",
  lagrangian: "Lagrangian bound",
  dual: "dual bound",
  soft: "soft bound",
  variances: "variances of as many variables",
  pca: "PCA",
};

const fraction = (x: number) => Math.min(Math.max(x, 0), 1);
const attained = 1e-7; // as the command has it

function limitsOf(found: Certificate): Limit[] {
  const belongs = ({ components }: { components: string }) =>
    components === "disjoint"
      ? found.disjoint
      : components === "orthogonal"
        ? found.orthogonal
        : true;
  const own = found.bounds.findIndex(belongs);
  const answer = fraction(found.cpev);
  const textOf = (bound: number, by: string, own: boolean) => {
    if (by === "pca") return `${percent(bound, 2)}, PCA’s own`;
    return own && bound - answer <= attained * answer
      ? `${percent(bound, 2)}, attained`
      : `at most ${percentUp(bound, 2)}`;
  };
  return found.bounds.map(({ components, bound, by }, i) => ({
    kind:
      found.nonzeros.length === 1
        ? "any component"
        : Object.hasOwn(kinds, components)
          ? kinds[components]!
          : clipped(components, 24),
    bound: fraction(bound),
    text: textOf(fraction(bound), by, i === own),
    by: Object.hasOwn(proofs, by) ? proofs[by]! : clipped(by, 24),
    own: i === own,
  }));
}

/** The part of the axis in which something happens. */
function domainOf(found: Certificate, limits: Limit[], narrow: boolean): [number, number] {
  const [answer, pca] = [fraction(found.cpev), fraction(found.cpev_pca)];
  const values = [answer, pca, ...limits.map(({ bound }) => bound)];
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  const span = Math.max(most - least, 0.02);
  const from = answer - (narrow ? 1.3 : 0.9) * span; // with room for the name of the answer
  return [
    from < answer / 4 ? 0 : Math.max(Math.min(from, least - 0.2 * span), 0),
    Math.min(most + 0.4 * span, 1),
  ];
}

function picture(found: Certificate, limits: Limit[], drawing: Drawing): SVGSVGElement {
  const { colours, width } = drawing;
  const answer = fraction(found.cpev);
  const pca = fraction(found.cpev_pca);
  const hatch = hatching(colours);
  const narrow = width < 680;
  const domain = domainOf(found, limits, narrow);
  const [left, right] = narrow ? [10, 10] : [232, 150];
  const height = limits.length * (narrow ? 54 : 38);
  const names = 42; // height of those of the two lines
  const key = legend([], drawing, left, {
    areas: [
      { label: "explained", fill: colours.accent },
      { label: "not ruled out", fill: colours.soft },
      { label: "nobody can reach this", fill: hatch.fill },
    ],
    lift: names,
  });
  const at = (x: number) => ((x - domain[0]) / (domain[1] - domain[0])) * (width - left - right);
  const name = ({ kind, own }: Limit) =>
    own && limits.length > 1 && !kind.endsWith("these") ? `${kind}, like these` : kind;
  const inset = narrow ? { insetTop: 20, insetBottom: 2 } : {};
  const row = (d: Limit) => d.kind;
  const words = (of: Limit[], fontWeight: number) => [
    Plot.text(of, {
      y: row,
      frameAnchor: "left",
      text: (d: Limit) => chartText(name(d), 40),
      textAnchor: narrow ? "start" : "end",
      dx: narrow ? 0 : -12,
      dy: narrow ? -12 : 0,
      fill: colours.ink,
      stroke: colours.surface,
      strokeWidth: 4,
      fontWeight,
    }),
    Plot.text(of, {
      y: row,
      frameAnchor: "right",
      text: "text",
      textAnchor: narrow ? "end" : "start",
      dx: narrow ? 0 : 12,
      dy: narrow ? -12 : 0,
      fill: colours.ink,
      stroke: colours.surface,
      strokeWidth: 4,
      fontWeight,
    }),
  ];
  /** A line through all rows, but not through their texts, with its name above them. */
  const line = (value: number, label: string, stroke: string, dashed: boolean, dy: number) => {
    const before =
      at(value) > (dashed ? width - left - right - 8 * label.length : 7.5 * label.length);
    const style = {
      stroke,
      strokeWidth: dashed ? 1.5 : 2.5,
      ...(dashed ? { strokeDasharray: "4,3" } : {}),
    };
    return [
      Plot.ruleX([value], { ...style, insetTop: dy - 6, insetBottom: narrow ? height : 0 }),
      narrow ? Plot.tickX(limits, { ...style, ...inset, x: () => value, y: row }) : null,
      Plot.text([value], {
        x: (x: number) => x,
        frameAnchor: "top",
        text: () => label,
        textAnchor: before ? "end" : "start",
        dx: before ? -6 : 6,
        dy,
        fill: stroke,
        fontWeight: 600,
        stroke: colours.surface,
        strokeWidth: 4,
      }),
    ];
  };
  return plot(drawing, {
    height: key.height + names + height + 44,
    marginLeft: left,
    marginRight: right,
    marginTop: key.height + names,
    marginBottom: 44,
    x: {
      domain,
      label: "explained variance",
      labelAnchor: "center",
      labelArrow: "none",
      ticks: narrow ? 4 : 6,
      tickFormat: (x: number) => percent(x, domain[1] - domain[0] < 0.06 ? 1 : 0),
    },
    y: {
      type: "band",
      domain: limits.map(row),
      axis: null,
      paddingInner: narrow ? 0.1 : 0.4,
      paddingOuter: 0.15,
    },
    marks: [
      hatch.mark,
      ...key.marks,
      Plot.barX(
        limits.filter((d) => d.own),
        {
          y: row,
          x1: domain[0],
          x2: Math.max(answer, domain[0]),
          fill: colours.accent,
          className: "explained",
          ...inset,
        },
      ),
      Plot.barX(
        limits.filter((d) => d.bound > answer),
        {
          y: row,
          x1: answer,
          x2: "bound",
          fill: colours.soft,
          fillOpacity: (d: Limit) => (d.own ? 1 : 0.55),
          className: "open",
          ...inset,
        },
      ),
      Plot.barX(limits, {
        y: row,
        x1: "bound",
        x2: domain[1],
        fill: hatch.fill,
        fillOpacity: (d: Limit) => (d.own ? 1 : 0.55),
        className: "closed",
        ...inset,
      }),
      Plot.tickX(limits, {
        y: row,
        x: "bound",
        stroke: colours.ink,
        strokeWidth: (d: Limit) => (d.own ? 2.5 : 1.25),
        ...inset,
      }),
      ...line(pca, `PCA ${percent(pca, 2)}`, colours.muted, true, -26),
      ...line(answer, `this answer ${percent(answer, 2)}`, colours.accent, false, -9),
      ...words(
        limits.filter((d) => d.own),
        650,
      ),
      ...words(
        limits.filter((d) => !d.own),
        400,
      ),
      Plot.tip(
        limits,
        Plot.pointerY({
          y: row,
          x: "bound",
          title: (d: Limit) => inWords(d, answer),
        }),
      ),
    ],
  });
}

function inWords({ kind, text, by }: Limit, answer: number): string {
  return [
    `${kind}: ${text}`,
    by === "PCA" ? "nothing sharper could be proved" : `proved by: ${by}`,
    `this answer: ${percent(answer, 2)}`,
  ].join("\n");
}

function chart(found: Certificate): HTMLElement {
  const limits = limitsOf(found);
  const own = limits.find((limit) => limit.own);
  const answer = fraction(found.cpev);
  const single = found.nonzeros.length === 1;
  return figure({
    title: "This answer, and what is possible",
    caption: [
      single
        ? "Components with as many variables as this one."
        : "Kinds of components with as many variables in each as these; a kind includes those above it.",
      own?.by === "PCA"
        ? "For components like these the bound is PCA’s own: nothing sharper could be proved."
        : null,
      "The axis shows a part of 0 to 100\u202f%.",
    ]
      .filter((part) => part !== null)
      .join(" "),
    file: "certificate",
    alternative: `On an axis of explained variance: this answer at ${percent(answer, 2)}, PCA at ${percent(fraction(found.cpev_pca), 2)}, and what no components exceed: ${limits
      .map((limit) => `${limit.kind}: ${limit.text}`)
      .join(", ")}. The sentences below say what is proved.`,
    draw: (drawing) => picture(found, limits, drawing),
    numbers: () =>
      plainTable(
        ["components", "explain", "proved by"],
        [
          ["this answer", percent(answer, 2), ""],
          ...limits.map((limit) => [limit.kind, limit.text, limit.by]),
          ["PCA", percent(fraction(found.cpev_pca), 2), ""],
        ],
      ),
  }).element;
}

function proofTable(found: Proof[]): HTMLElement {
  return dataTable({
    label: "Proofs of the components",
    things: "components",
    rows: found.map((proof, i) => ({ ...proof, found: i + 1 })),
    wrap: true,
    columns: [
      {
        key: "component",
        label: "component",
        width: 100,
        hint: "in the order in which they were found",
        sort: (row) => row.found,
        cell: (row) => (row.component < 0 ? "since changed" : `PC${row.component + 1}`),
      },
      {
        key: "nonzeros",
        label: "variables",
        numeric: true,
        width: 86,
        sort: (row) => row.nonzeros,
        cell: (row) => count(row.nonzeros),
      },
      {
        key: "explained",
        label: "explains",
        hint: "of all variance, after the components that were found before it",
        numeric: true,
        width: 92,
        sort: (row) => row.explained,
        cell: (row) => percent(row.explained, 2),
      },
      {
        key: "bound",
        label: "at most",
        hint: "no component with as few variables explains more",
        numeric: true,
        width: 92,
        sort: (row) => row.bound,
        cell: (row) => (row.optimal ? percent : percentUp)(row.bound, 2),
      },
      {
        key: "optimal",
        label: "proved",
        width: 180,
        sort: (row) => row.gap,
        cell: (row) =>
          row.optimal
            ? h("span", { class: "verdict good" }, "optimal")
            : `at most ${percentUp(row.gap, 2)} more`,
      },
      {
        key: "candidates",
        label: "candidates",
        hint: "variables that could not be ruled out before the search",
        numeric: true,
        width: 100,
        sort: (row) => row.candidates,
        cell: (row) => count(row.candidates),
      },
      {
        key: "nodes",
        label: "nodes",
        hint: "of branch and bound",
        numeric: true,
        width: 86,
        sort: (row) => row.nodes,
        cell: (row) => count(row.nodes),
      },
      {
        key: "seconds",
        label: "time",
        numeric: true,
        width: 86,
        sort: (row) => row.seconds,
        cell: (row) => seconds(row.seconds),
      },
    ],
  });
}

export function certificate(fit: Fit): Section | null {
  const found = fit.certificate;
  const proved = fit.proofs ?? [];
  if (!found && proved.length === 0) return null;
  return {
    id: "certificate",
    title: "How much better could it be?",
    lead: "What is proved for this data holds for every method, however long it searches.",
    body: [
      ...(found && found.nonzeros.length > 0 ? [chart(found)] : []),
      ...(found
        ? [
            h(
              "ul",
              { class: "reasons" },
              ...found.text.map((line) => h("li", {}, nameOf(line, 600))),
            ),
          ]
        : []),
      ...(proved.length > 0
        ? [
            h("h3", {}, "Component by component"),
            h(
              "p",
              { class: "caption" },
              "Each component as the method found it, after those that it had found before.",
            ),
            proofTable(proved),
          ]
        : []),
    ],
  };
}
