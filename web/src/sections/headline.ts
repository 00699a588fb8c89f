// The result in words and a few figures.
import type { Compare, Choose, Document, Fit, Path, Report, Reproduce } from "../document";
import { h, nameOf } from "../dom";
import { count, counted, figure, percent, range, seconds } from "../format";
import { commandLine } from "./section";

interface Tile {
  value: string;
  label: string;
  note?: string;
}

interface Headline {
  words: (string | Node)[];
  facts: (string | Node | null)[];
  tiles: Tile[];
  warnings: string[];
}

function truncationInWords(type: string, lambda: number): string {
  switch (type) {
    case "count":
      return `${counted(lambda, "zero")} per component`;
    case "energy":
      return `truncation of ${percent(lambda)} of the energy`;
    default:
      return `${type} truncation at ${figure(lambda)}`;
  }
}

function dataFacts(
  report: Report | null,
  samples: number | null,
  variables: number | null,
): (string | Node)[] {
  const facts: (string | Node)[] = [];
  if (report?.data) facts.push(nameOf(report.data));
  if (variables !== null)
    facts.push(
      samples === null
        ? `covariance of ${counted(variables, "variable")}`
        : `${counted(samples, "sample")} × ${counted(variables, "variable")}`,
    );
  return facts;
}

function ofFit(fit: Fit): Headline {
  const { criteria: c, components: r } = fit;
  const each = new Set(c.nonzeros).size === 1 ? " each" : "";
  const variables = range(c.nonzeros);
  const words = fit.truncation
    ? `${counted(r, "component")} of ${variables.replaceAll(" ", "\u00a0")} ${variables === "1" ? "variable" : "variables"}${each} ${r === 1 ? "keeps" : "keep"} ${percent(c.share_of_pca)} of what PCA explains`
    : `${counted(r, "component")} of all variables ${r === 1 ? "explains" : "explain"} ${percent(c.cpev)} of the variance`;
  return {
    words: [words],
    facts: [
      ...dataFacts(fit.report, fit.samples, fit.variables),
      fit.truncation
        ? `${fit.method}, ${truncationInWords(fit.truncation.type, fit.truncation.lambda)}`
        : fit.method,
      fit.start ? `${fit.start} start` : null,
      fit.refit ? `refit, ${counted(fit.refit, "round")}` : null,
      fit.refine ? `refined, ${counted(fit.refine, "round")}` : null,
      fit.message || null,
      fit.timing ? seconds(fit.timing.total) : null,
    ],
    tiles: [
      {
        value: percent(c.cpev, 1),
        label: "of the variance explained",
        note: `PCA: ${percent(c.cpev_pca, 1)} (CPEV)`,
      },
      {
        value: percent(c.sparsity.mean, 1),
        label: "of the weights are zero",
        note: `minimum ${percent(c.sparsity.min)}, standard deviation ${figure(c.sparsity.std)}`,
      },
      {
        value: variables,
        label: "variables in a component",
        note: `of ${count(fit.variables)}; ${count(c.nonzeros.reduce((a, b) => a + b, 0))} weights in all`,
      },
      {
        value: figure(c.nonorthogonality),
        label: "mean overlap of two loadings",
        note: `largest ${figure(c.worst_nonorthogonality)} (NOR)`,
      },
    ],
    warnings: fit.warnings,
  };
}

function ofPath(path: Path): Headline {
  const knee = path.points[path.knee]!;
  const total = (nonzeros: number[]) => nonzeros.reduce((a, b) => a + b, 0);
  const keep = path.keep === null ? null : path.points[path.keep]!;
  const report = path.report;
  return {
    words: [
      `${count(total(knee.criteria.nonzeros))} of ${count(knee.components * path.variables)} weights keep ${percent(knee.criteria.share_of_pca)} of what PCA explains`,
    ],
    facts: [
      ...dataFacts(report, report?.samples ?? null, report?.variables ?? path.variables),
      counted(path.points.length, "setting"),
      path.timing ? seconds(path.timing.total) : null,
    ],
    tiles: [
      {
        value: count(total(knee.criteria.nonzeros)),
        label: "nonzeros at the knee",
        note: `${knee.truncation}, lambda ${figure(knee.lambda)}, ${counted(knee.components, "component")}`,
      },
      {
        value: percent(knee.criteria.share_of_pca, 1),
        label: "of PCA’s variance there",
        note: `explains ${percent(knee.criteria.cpev, 1)} of all, PCA ${percent(knee.criteria.cpev_pca, 1)}`,
      },
      ...(keep
        ? [
            {
              value: count(total(keep.criteria.nonzeros)),
              label: "nonzeros that keep enough",
              note: `${keep.truncation}, lambda ${figure(keep.lambda)}: ${percent(keep.criteria.share_of_pca, 1)} of PCA’s`,
            },
          ]
        : []),
      {
        value: figure(knee.criteria.nonorthogonality),
        label: "mean overlap at the knee",
        note: `largest ${figure(knee.criteria.worst_nonorthogonality)} (NOR)`,
      },
    ],
    warnings: path.warnings,
  };
}

function ofCompare(compare: Compare): Headline {
  const matched = compare.rows.filter((row) => row.note === null);
  const best = matched.reduce(
    (a, b) => (b.criteria.cpev > a.criteria.cpev ? b : a),
    matched[0] ?? compare.rows[0]!,
  );
  const quick = matched.reduce((a, b) => (b.seconds < a.seconds ? b : a), best);
  const apart = matched.reduce(
    (a, b) => (b.criteria.nonorthogonality < a.criteria.nonorthogonality ? b : a),
    best,
  );
  const nonzeros = best.criteria.nonzeros.reduce((a, b) => a + b, 0);
  const report = compare.report;
  return {
    words: [
      "At ",
      `${counted(nonzeros, "nonzero")}, `,
      nameOf(best.method),
      ` keeps most: ${percent(best.criteria.share_of_pca, 1)} of what PCA explains`,
    ],
    facts: [
      ...dataFacts(report, report?.samples ?? null, report?.variables ?? null),
      counted(best.criteria.nonzeros.length, "component"),
      `${counted(matched.length, "method")} of ${count(compare.rows.length)} reach this sparsity`,
    ],
    tiles: [
      {
        value: percent(best.criteria.cpev, 1),
        label: `most variance: ${best.method}`,
        note: `PCA: ${percent(best.criteria.cpev_pca, 1)} (CPEV)`,
      },
      {
        value: figure(apart.criteria.nonorthogonality),
        label: `least overlap: ${apart.method}`,
        note: "mean over pairs of loadings (NOR)",
      },
      {
        value: seconds(quick.seconds),
        label: `fastest: ${quick.method}`,
        note: "one fit, including PCA",
      },
      {
        value: percent(best.criteria.sparsity.mean, 1),
        label: "of the weights are zero",
        note: "the same for all methods",
      },
    ],
    warnings: [],
  };
}

function ofChoose(choose: Choose): Headline {
  const { scree, cross_validation: validation, report } = choose;
  const chosen = validation.points[validation.chosen];
  const least = validation.points[validation.least];
  const inWords = ({ components, nonzeros }: { components: number; nonzeros: number }) =>
    `${counted(components, "component")} of ${
      nonzeros >= (report?.variables ?? Infinity) ? "all variables" : counted(nonzeros, "variable")
    }`;
  const two =
    choose.to_read &&
    (choose.to_read.components !== choose.components || choose.to_read.nonzeros !== choose.nonzeros)
      ? choose.to_read
      : null;
  return {
    words: [
      choose.components === 0
        ? "No structure above the noise"
        : two
          ? `To read, ${inWords(two)}; to predict, ${inWords(choose)}`
          : inWords(choose),
    ],
    facts: dataFacts(report, report?.samples ?? null, report?.variables ?? null),
    tiles: [
      {
        value: count(scree.by_parallel),
        label: "components above permuted data",
        note: "parallel analysis, 95 % quantile",
      },
      {
        value: count(scree.by_broken_stick),
        label: "above the broken stick",
        note: "expected by chance alone",
      },
      ...(chosen
        ? [
            {
              value: percent(chosen.error, 1),
              label: "of the error remains",
              note: "at held-out entries, relative to their means",
            },
          ]
        : []),
      ...(least
        ? [
            {
              value: `${count(least.components)} × ${count(least.nonzeros)}`,
              label: "has the least error",
              note: `components × variables: ${percent(least.error, 1)}`,
            },
          ]
        : []),
    ],
    warnings: choose.warnings,
  };
}

function ofReproduce(found: Reproduce): Headline {
  const hold = found.claims.filter((claim) => claim.holds).length;
  const checked = found.claims.filter((claim) => claim.holds !== null).length;
  const standIns = found.experiments.filter((experiment) => experiment.stand_in).length;
  const total = found.experiments.reduce((sum, experiment) => sum + (experiment.seconds ?? 0), 0);
  return {
    words: [
      `${count(hold)} of ${counted(checked, "claim")} of the paper ${hold === 1 ? "holds" : "hold"}`,
    ],
    facts: [found.date, found.machine, found.quick ? "quick run: small settings" : null],
    tiles: [
      {
        value: count(found.experiments.length),
        label: "experiments",
        ...(standIns > 0 ? { note: `${count(standIns)} on stand-in data` } : {}),
      },
      { value: count(hold), label: "claims hold", note: `of ${count(checked)}` },
      { value: count(checked - hold), label: "differ", note: "each is explained below" },
      { value: seconds(total), label: "of computation" },
    ],
    warnings: [],
  };
}

function headlineOf(doc: Document): Headline {
  switch (doc.kind) {
    case "fit":
      return ofFit(doc);
    case "path":
      return ofPath(doc);
    case "compare":
      return ofCompare(doc);
    case "choose":
      return ofChoose(doc);
    case "reproduce":
      return ofReproduce(doc);
  }
}

export function headline(doc: Document): HTMLElement {
  const { words, facts, tiles, warnings } = headlineOf(doc);
  const command = doc.kind === "reproduce" ? null : doc.report?.command;
  return h(
    "header",
    { class: "headline" },
    h("h1", {}, ...words),
    h("ul", { class: "facts" }, ...facts.filter((fact) => !!fact).map((fact) => h("li", {}, fact))),
    h(
      "dl",
      { class: "tiles" },
      ...tiles.map(({ value, label, note }) =>
        h(
          "div",
          {},
          h("dt", {}, label),
          h("dd", { class: "value" }, value),
          note ? h("dd", { class: "note" }, note) : null,
        ),
      ),
    ),
    warnings.length > 0
      ? h(
          "div",
          { class: "warnings", role: "note" },
          h("h2", {}, counted(warnings.length, "warning")),
          h("ul", {}, ...warnings.map((warning) => h("li", {}, nameOf(warning, 600)))),
        )
      : null,
    command ? commandLine(command) : null,
  );
}
