// The documents that spcart writes, as docs/json.md describes them, and how they are read.
import {
  type Check,
  type Checked,
  DocumentError,
  count,
  counts,
  dictionary,
  ensure,
  flag,
  list,
  maybe,
  number,
  numbers,
  object,
  text,
  texts,
} from "./check";

declare const __SPCART_VERSION__: string;
export const version = __SPCART_VERSION__;

/** Ascending indices; reports have the differences between them, which take less space. */
function positions({ index, steps }: { index: number[] | null; steps: number[] | null }): number[] {
  if (index) return index;
  let at = 0;
  return steps ? steps.map((step) => (at += step)) : [];
}

const stored = object({ index: maybe(counts), steps: maybe(counts), value: numbers });
const column: Check<{ index: number[]; value: number[] }> = (value, path) => {
  const found = stored(value, path);
  return { index: positions(found), value: found.value };
};

const storedScores = object({
  index: maybe(counts),
  steps: maybe(counts),
  names: maybe(texts),
  labels: maybe(texts),
  columns: list(numbers),
});
const scores = (value: unknown, path: string) => {
  const { names, labels, columns, ...found } = storedScores(value, path);
  return { index: positions(found), names, labels, columns };
};

const criteria = object({
  cpev: number,
  cpev_pca: number,
  share_of_pca: number,
  ev: number,
  nonorthogonality: number,
  worst_nonorthogonality: number,
  sparsity: object({ mean: number, std: number, min: number }),
  nonzeros: counts,
  adjusted_variance: numbers,
  cpev_gains: numbers,
});

/** What was proved of a fit: how much more other components could explain. */
const certificate = object({
  nonzeros: counts,
  cpev: number,
  cpev_pca: number,
  bounds: list(object({ components: text, bound: number, by: text })),
  orthogonal: flag,
  disjoint: flag,
  text: texts,
});

const proof = object({
  component: number,
  explained: number,
  bound: number,
  gap: number,
  optimal: flag,
  nonzeros: count,
  candidates: count,
  nodes: count,
  seconds: number,
});

/** What `--report` adds to what `--json` writes. */
const report = object({
  command: maybe(text),
  data: maybe(text),
  samples: maybe(count),
  variables: maybe(count),
  calls: maybe(texts),
  image: maybe(list(count, 2)),
  pca_variances: maybe(numbers),
  cosines: maybe(list(numbers)),
  angles: maybe(list(numbers)),
  correlations: maybe(list(numbers)),
  scores: maybe(scores),
});

const fit = object({
  spcart: text,
  method: text,
  truncation: maybe(object({ type: text, lambda: number })),
  components: count,
  samples: maybe(count),
  variables: count,
  names: texts,
  status: text,
  message: text,
  iterations: count,
  warnings: texts,
  criteria,
  loadings: list(column),
  history: list(
    object({ change: number, truncated_energy: number, sparsity: number, objective: number }),
  ),
  bounds: dictionary(
    object({
      source: text,
      kind: text,
      guaranteed: list(number, 2),
      measured: list(number, 2),
      applies: flag,
      reason: maybe(text),
      holds: flag,
      tightness: number,
    }),
  ),
  proofs: maybe(list(proof)),
  certificate: maybe(certificate),
  timing: maybe(
    object({
      read: number,
      prepare: maybe(number),
      pca: number,
      rotate: number,
      refit: number,
      refine: number,
      search: maybe(number),
      score: number,
      certify: maybe(number),
      total: number,
    }),
  ),
  preparation: maybe(object({ remove_row_mean: flag, center: flag, scale: flag })),
  memory_peak_bytes: maybe(count),
  precision: maybe(text),
  order: maybe(text),
  start: maybe(text),
  solver: maybe(text),
  refit: maybe(count),
  refine: maybe(count),
  seed: maybe(count),
  threads: maybe(count),
  target: maybe(object({ option: text, asked: number, found: number, exact: flag, trials: count })),
  bootstrap: maybe(object({ resamples: count, frequencies: list(column), cosines: numbers })),
  report: maybe(report),
});

const path = object({
  spcart: text,
  variables: count,
  points: list(
    object({
      truncation: text,
      lambda: number,
      components: count,
      criteria,
      iterations: count,
      status: text,
      warm: flag,
      bound: maybe(number),
    }),
  ),
  knee: count,
  keep: maybe(count),
  warnings: texts,
  timing: maybe(object({ total: number })),
  report: maybe(report),
});

const compare = object({
  spcart: text,
  rows: list(
    object({
      method: text,
      truncation: maybe(text),
      lambda: maybe(number),
      start: maybe(text),
      criteria,
      seconds: number,
      status: text,
      fits: count,
      note: maybe(text),
    }),
  ),
  report: maybe(report),
});

const recommendation = object({
  components: count,
  nonzeros: count,
  when: text,
  reasons: texts,
  explained: number,
  explained_by_pca: number,
  error: maybe(number),
});

const choose = object({
  spcart: text,
  components: count,
  nonzeros: count,
  reasons: texts,
  to_read: maybe(recommendation),
  to_predict: maybe(recommendation),
  difference: maybe(text),
  scree: object({
    variances: numbers,
    broken_stick: numbers,
    parallel: numbers,
    by_broken_stick: count,
    by_parallel: count,
  }),
  cross_validation: object({
    points: list(
      object({ components: count, nonzeros: count, error: number, excess_deviation: number }),
    ),
    least: count,
    chosen: count,
  }),
  warnings: texts,
  report: maybe(report),
});

export type Value = number | string | boolean | null;
const value: Check<Value> = (found, at) => {
  if (found === null || typeof found === "string" || typeof found === "boolean") return found;
  return number(found, at);
};

const reproduce = object({
  spcart: text,
  date: maybe(text),
  machine: maybe(text),
  quick: maybe(flag),
  experiments: list(
    object({
      name: text,
      title: text,
      about: maybe(text),
      data: maybe(text),
      stand_in: maybe(flag),
      seconds: maybe(number),
      records: list(dictionary(value)),
      figures: list(
        object({
          title: text,
          x: text,
          y: text,
          x_label: maybe(text),
          y_label: maybe(text),
          log_x: maybe(flag),
          log_y: maybe(flag),
        }),
      ),
      table: maybe(list(object({ field: text, label: text }))),
      images: maybe(
        object({
          shape: list(count, 2),
          rows: list(object({ label: text, loadings: list(column) })),
        }),
      ),
    }),
  ),
  claims: list(
    object({
      experiment: text,
      claim: text,
      paper: maybe(value),
      measured: maybe(value),
      holds: maybe(flag),
      note: maybe(text),
    }),
  ),
});

export type Criteria = Checked<typeof criteria>;
export type Column = Checked<typeof column>;
export type Certificate = Checked<typeof certificate>;
export type Proof = Checked<typeof proof>;
export type Report = Checked<typeof report>;
export type Fit = Checked<typeof fit>;
export type Path = Checked<typeof path>;
export type PathPoint = Path["points"][number];
export type Compare = Checked<typeof compare>;
export type Recommendation = Checked<typeof recommendation>;
export type Choose = Checked<typeof choose>;
export type Reproduce = Checked<typeof reproduce>;
export type Experiment = Reproduce["experiments"][number];
export type Document =
  | ({ kind: "fit" } & Fit)
  | ({ kind: "path" } & Path)
  | ({ kind: "compare" } & Compare)
  | ({ kind: "choose" } & Choose)
  | ({ kind: "reproduce" } & Reproduce);

function checkColumns(columns: Column[], p: number, path: string): void {
  columns.forEach(({ index, value }, j) => {
    const at = `${path}[${j}]`;
    ensure(index.length === value.length, at, "does not have as many values as indices");
    ensure(
      index.every((i) => i < p),
      at,
      `has an index beyond the ${p} variables`,
    );
  });
}

function checkReport(found: Report | null, r: number, p: number): void {
  if (!found) return;
  if (found.image)
    ensure(
      (found.image[0] ?? 0) * (found.image[1] ?? 0) === p,
      "report.image",
      `must have ${p} pixels`,
    );
  for (const field of ["cosines", "angles", "correlations"] as const) {
    const rows = found[field];
    if (rows)
      ensure(
        rows.length === r && rows.every((row) => row.length === r),
        `report.${field}`,
        `is not ${r} x ${r}`,
      );
  }
  if (!found.scores) return;
  const { index, names, labels, columns } = found.scores;
  const parts: [string, { length: number }][] = columns.map((c, j) => [`columns[${j}]`, c]);
  if (names) parts.push(["names", names]);
  if (labels) parts.push(["labels", labels]);
  for (const [field, part] of parts)
    ensure(
      part.length === index.length,
      `report.scores.${field}`,
      "must have one entry per sample",
    );
}

function checkFit(found: Fit): void {
  const { variables: p, components: r } = found;
  ensure(found.names.length === p, "names", `must have ${p} entries, one per variable`);
  ensure(found.loadings.length === r, "loadings", `must have ${r} entries, one per component`);
  ensure(found.criteria.nonzeros.length === r, "criteria.nonzeros", `must have ${r} entries`);
  checkColumns(found.loadings, p, "loadings");
  if (found.certificate)
    ensure(found.certificate.bounds.length > 0, "certificate.bounds", "is empty");
  if (found.bootstrap) {
    ensure(
      found.bootstrap.frequencies.length === r,
      "bootstrap.frequencies",
      `must have ${r} entries`,
    );
    checkColumns(found.bootstrap.frequencies, p, "bootstrap.frequencies");
  }
  checkReport(found.report, r, p);
}

function checkIndices(indices: (number | null)[], length: number, at: string): void {
  ensure(length > 0, at, "is empty");
  for (const index of indices)
    ensure(index === null || index < length, at, `has no entry ${index}`);
}

function checkReproduce(found: Reproduce): void {
  found.experiments.forEach(({ images }, i) => {
    const pixels = images ? (images.shape[0] ?? 0) * (images.shape[1] ?? 0) : 0;
    images?.rows.forEach((row, j) =>
      checkColumns(row.loadings, pixels, `experiments[${i}].images.rows[${j}].loadings`),
    );
  });
}

/** The kind of a document; early versions do not have the field. */
function kindOf(fields: Record<string, unknown>): unknown {
  if ("kind" in fields) return fields["kind"];
  return "loadings" in fields
    ? "fit"
    : "points" in fields
      ? "path"
      : "rows" in fields
        ? "compare"
        : "scree" in fields
          ? "choose"
          : "claims" in fields
            ? "reproduce"
            : undefined;
}

function checkVersion(fields: Record<string, unknown>): void {
  const major = (of: string) => of.split(".", 1)[0];
  const found = text(fields["spcart"], "spcart");
  if (major(found) !== major(version))
    throw new DocumentError(
      `it was written by spcart ${found.slice(0, 40)}, and this page is of spcart ${version}: their documents differ. ` +
        `Write the report again with one version`,
    );
}

/** The document in a text. Throws DocumentError if it is not one. */
export function parseDocument(json: string): Document {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    throw new DocumentError("it is not JSON");
  }
  if (typeof parsed !== "object" || parsed === null || !("spcart" in parsed))
    throw new DocumentError('it is JSON, but not what spcart writes: it has no field "spcart"');
  const fields = parsed as Record<string, unknown>;
  checkVersion(fields);
  const kind = kindOf(fields);
  switch (kind) {
    case "fit": {
      const found = fit(parsed, "");
      checkFit(found);
      return { kind, ...found };
    }
    case "path": {
      const found = path(parsed, "");
      checkIndices([found.knee, found.keep], found.points.length, "points");
      return { kind, ...found };
    }
    case "compare": {
      const found = compare(parsed, "");
      checkIndices([], found.rows.length, "rows");
      return { kind, ...found };
    }
    case "choose":
      return { kind, ...choose(parsed, "") };
    case "reproduce": {
      const found = reproduce(parsed, "");
      checkReproduce(found);
      return { kind, ...found };
    }
    default:
      throw new DocumentError(
        "it is JSON of spcart, but not of a kind that this page shows (fit, path, compare, choose, reproduce)",
      );
  }
}

async function unzipped(bytes: Blob): Promise<string> {
  const stream = bytes.stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** The text within the page, or null if there is none. */
export async function embeddedText(): Promise<string | null> {
  const base64 = document.getElementById("result")?.textContent?.trim() ?? "";
  if (!base64) return null;
  try {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return await unzipped(new Blob([bytes]));
  } catch {
    throw new DocumentError("the data within this file is damaged");
  }
}

/** The text of a file that was opened: JSON, plain or gzipped, or a report. */
export async function textOf(file: Blob): Promise<string> {
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (head[0] !== 0x1f || head[1] !== 0x8b) return file.text();
  try {
    return await unzipped(file);
  } catch {
    throw new DocumentError("it is a damaged gzip file");
  }
}
