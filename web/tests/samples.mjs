// Documents made by hand.

/** Numbers that look random and are always the same. */
export function noise(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648 - 0.5;
  };
}

/** A result of a fit with such names and loadings, a list of [index, value] a component. */
export function fitOf(names, loadings, more = {}) {
  const r = loadings.length;
  const p = names.length;
  const nonzeros = loadings.map((column) => column.length);
  return {
    spcart: "0.1.0",
    kind: "fit",
    method: "spcart",
    truncation: { type: "hard", lambda: 0.1 },
    components: r,
    samples: 50,
    variables: p,
    names,
    status: "converged",
    message: "converged after 3 iterations",
    iterations: 3,
    warnings: [],
    target: null,
    criteria: {
      cpev: 0.7,
      cpev_pca: 0.8,
      share_of_pca: 0.875,
      ev: 0.71,
      nonorthogonality: 0.02,
      worst_nonorthogonality: 0.1,
      sparsity: { mean: 0.8, std: 0.1, min: 0.6 },
      nonzeros,
      adjusted_variance: nonzeros.map((_, j) => 0.3 / (j + 1)),
      cpev_gains: nonzeros.map((_, j) => 0.3 / (j + 1)),
    },
    loadings: loadings.map((column) => ({
      index: column.map(([i]) => i),
      value: column.map(([, x]) => x),
    })),
    history: [1, 0.1, 0.001].map((change) => ({
      change,
      truncated_energy: 0.1,
      sparsity: 0.8,
      objective: 1 + change,
    })),
    bounds: {},
    timing: { read: 0, pca: 0.1, rotate: 0.2, refit: 0, refine: 0, score: 0.1, total: 0.5 },
    start: "varimax",
    solver: "gram",
    refit: 0,
    refine: 0,
    seed: 0,
    threads: 2,
    ...more,
  };
}

/** What is proved of two orthogonal components. */
export function certificateOf(more = {}) {
  return {
    nonzeros: [3, 3],
    cpev: 0.7,
    cpev_pca: 0.8,
    bounds: [
      { components: "disjoint", bound: 0.69, by: "dual" },
      { components: "orthogonal", bound: 0.74, by: "lagrangian" },
      { components: "any", bound: 0.8, by: "pca" },
    ],
    bound: 0.74,
    gap: 0.0571,
    obliqueness: 1,
    orthogonal: true,
    disjoint: false,
    complete: true,
    seconds: 0.1,
    text: ["No orthogonal components of 3 variables each explain more than 74.00 %."],
    ...more,
  };
}

/** p variables in r components that use every one of them. */
export function denseFit(p, r) {
  const next = noise(7);
  return fitOf(
    Array.from({ length: p }, (_, i) => `gene_${(i * 7919) % p}`),
    Array.from({ length: r }, () =>
      Array.from({ length: p }, (_, i) => [i, next() / Math.sqrt(p)]),
    ),
  );
}

const series = (name, lambdas, more) =>
  lambdas.map((lambda, k) => ({
    series: name,
    lambda,
    sparsity: 0.5 + 0.05 * k,
    cpev: 0.9 - 0.02 * k * more,
    nor: 0.01 * k,
    seconds: 0.1 * more ** k,
    iteration: k + 1,
  }));

export const reproduction = {
  spcart: "0.1.0",
  kind: "reproduce",
  date: "2026-11-16",
  machine: "two cores",
  quick: true,
  experiments: [
    {
      name: "pitprops",
      title: "Pitprops",
      about: "Six components of the classic data set, beside the paper’s own table.",
      data: "@pitprops",
      stand_in: false,
      seconds: 0.4,
      records: [
        {
          series: "SPCArt hard",
          lambda: 0.277,
          sparsity: 0.77,
          std: 0.0688,
          nor: 0.0181,
          cpev: 0.8013,
          seconds: 0.01,
        },
        {
          series: "SPCArt count",
          lambda: 10,
          sparsity: 0.77,
          std: 0,
          nor: 0.0428,
          cpev: 0.7514,
          seconds: null,
        },
      ],
      figures: [],
      table: [
        { field: "series", label: "method" },
        { field: "lambda", label: "lambda" },
        { field: "cpev", label: "CPEV" },
        { field: "nor", label: "NOR" },
      ],
      images: null,
    },
    {
      name: "images",
      title: "SPCArt against rSVD-GP",
      about: "Patches of natural images.",
      data: "@patches, a stand-in",
      stand_in: true,
      seconds: 3.25,
      records: [
        ...series("SPCArt", [0.1, 0.2, 0.3, 0.4], 1),
        ...series("rSVD-GP", [0.1, 0.2, 0.3], 2),
        { series: "SPCArt", lambda: 0.9, sparsity: 0.99 },
      ],
      figures: [
        {
          title: "CPEV",
          x: "sparsity",
          y: "cpev",
          x_label: "sparsity",
          y_label: "CPEV",
          log_x: false,
          log_y: false,
        },
        {
          title: "Time",
          x: "sparsity",
          y: "seconds",
          x_label: "sparsity",
          y_label: "seconds",
          log_x: false,
          log_y: true,
        },
      ],
      table: null,
      images: {
        shape: [3, 4],
        rows: ["PCA", "SPCArt"].map((label, k) => ({
          label,
          loadings: Array.from({ length: 5 }, (_, j) => ({
            index: [j, j + 4, j + 7],
            value: [0.5, -0.5, 0.1 * (k + 1)],
          })),
        })),
      },
    },
  ],
  claims: [
    {
      experiment: "pitprops",
      claim: "Hard truncation finds 18 nonzeros.",
      paper: "18",
      measured: "18",
      holds: true,
      note: null,
    },
    {
      experiment: "pitprops",
      claim: "Its CPEV is .8013.",
      paper: "0.8013",
      measured: "0.8013",
      holds: true,
      note: null,
    },
    {
      experiment: "images",
      claim: "rSVD-GP is slower.",
      paper: "10 times",
      measured: "1.6 times",
      holds: false,
      note: "Their program runs in an interpreter.",
    },
  ],
};
