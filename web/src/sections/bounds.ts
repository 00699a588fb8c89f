// What the theory guarantees beside the measured values.
import * as Plot from "@observablehq/plot";
import type { Fit } from "../document";
import { h } from "../dom";
import { type Drawing, figure, plot } from "../figure";
import { figure as number, percent } from "../format";
import { dataTable } from "../table";
import type { Section } from "./section";

const words: Record<string, string> = {
  sparsity: "Sparsity",
  deviation: "Deviation from the rotated basis",
  deviation_relative: "Deviation, from the angles",
  nonorthogonality: "Overlap of two loadings",
  nonorthogonality_relative: "Overlap, from the angles",
  explained_variance: "Explained variance (EV)",
  explained_variance_dmin: "EV, from the smallest singular value",
  explained_variance_cos: "EV, from cosines",
  explained_variance_projected: "EV, from the projection",
  explained_variance_estimate: "EV, estimated",
  cpev: "Explained variance of the span (CPEV)",
};

const interval = ([from, to]: number[]) =>
  from === to ? number(from!) : `${number(from!)} to ${number(to!)}`;

export function bounds(fit: Fit): Section | null {
  const rows = [...fit.bounds].map(([name, bound]) => ({
    name,
    title: words[name] ?? name,
    ...bound,
  }));
  if (rows.length === 0) return null;
  const applying = rows.filter((row) => row.applies);
  const most = applying.reduce(
    (a, row) => Math.max(a, row.measured[1]!, Math.min(row.guaranteed[1]!, 1)),
    1,
  );
  const draw = (drawing: Drawing) => {
    const { colours, width } = drawing;
    const narrow = width < 560;
    const left = narrow ? 12 : 250;
    return plot(drawing, {
      height: applying.length * (narrow ? 48 : 34) + 44,
      marginLeft: left,
      marginBottom: 36,
      marginTop: 8,
      x: {
        domain: [0, most],
        label: "fraction",
        labelAnchor: "center",
        labelArrow: "none",
        grid: true,
        ticks: 5,
      },
      y: {
        type: "band",
        domain: applying.map((row) => row.title),
        label: null,
        axis: narrow ? null : "left",
        tickSize: 0,
        padding: 0.3,
      },
      marks: [
        Plot.barX(applying, {
          y: "title",
          x1: (d) => d.guaranteed[0],
          x2: (d) => Math.min(d.guaranteed[1], most),
          fill: colours.soft,
          rx: 3,
          insetTop: narrow ? 14 : 0,
        }),
        Plot.ruleY(applying, {
          y: "title",
          x1: (d) => d.measured[0],
          x2: (d) => d.measured[1],
          stroke: colours.accent,
          strokeWidth: 4,
          dy: narrow ? 7 : 0,
        }),
        Plot.dot(
          applying.flatMap((row) => row.measured.map((value) => ({ ...row, value }))),
          { y: "title", x: "value", fill: colours.accent, r: 4, dy: narrow ? 7 : 0 },
        ),
        narrow
          ? Plot.text(applying, {
              y: "title",
              x: 0,
              text: "title",
              textAnchor: "start",
              dy: -10,
              dx: 2,
              fill: colours.ink,
            })
          : null,
        Plot.tip(
          applying,
          Plot.pointerY({
            y: "title",
            x: (d) => d.measured[1],
            title: (d) =>
              `${d.title}\nguaranteed: ${interval(d.guaranteed)}\nmeasured: ${interval(d.measured)}\n${d.source}`,
          }),
        ),
      ],
    });
  };
  const table = dataTable({
    label: "Guarantees and measured values",
    things: "guarantees",
    rows,
    wrap: true,
    filters: [
      { label: "all", keep: () => true },
      { label: "apply", keep: (row) => row.applies },
      { label: "do not apply", keep: (row) => !row.applies },
    ],
    columns: [
      {
        key: "title",
        label: "what",
        width: 200,
        sort: (row) => row.title,
        cell: (row) => row.title,
      },
      {
        key: "guaranteed",
        label: "guaranteed",
        numeric: true,
        width: 150,
        sort: (row) => row.guaranteed[0]!,
        cell: (row) => interval(row.guaranteed),
      },
      {
        key: "measured",
        label: "measured",
        numeric: true,
        width: 150,
        sort: (row) => row.measured[0]!,
        cell: (row) => interval(row.measured),
      },
      {
        key: "holds",
        label: "holds",
        width: 64,
        sort: (row) => (row.holds ? 1 : 0),
        cell: (row) => (row.holds ? "yes" : "no"),
      },
      {
        key: "tightness",
        label: "tightness",
        hint: "0: says nothing, 100 %: attained",
        numeric: true,
        width: 90,
        sort: (row) => row.tightness,
        cell: (row) => percent(row.tightness),
      },
      { key: "kind", label: "kind", width: 90, sort: (row) => row.kind, cell: (row) => row.kind },
      {
        key: "source",
        label: "source",
        width: 150,
        sort: (row) => row.source,
        cell: (row) => row.source,
      },
      {
        key: "applies",
        label: "applies",
        width: 180,
        sort: (row) => (row.applies ? 1 : 0),
        cell: (row) =>
          row.applies ? "yes" : h("span", {}, `no: ${row.reason ?? "reason not known"}`),
      },
    ],
  });
  return {
    id: "bounds",
    title: "What is guaranteed",
    lead: "Bounds from the theory, and where this result is within them.",
    body: [
      ...(applying.length > 0
        ? [
            figure({
              title: "Guaranteed and measured",
              file: "bounds",
              draw,
              caption:
                "The pale bar is the guaranteed interval; the line within it is from minimum to maximum over the components. Only bounds whose assumptions hold are shown.",
              alternative: `${applying.length} guarantees with the measured interval within each; the table below has the numbers.`,
            }).element,
          ]
        : []),
      table,
    ],
  };
}
