// Samples in the plane of two components.
import * as Plot from "@observablehq/plot";
import type { Fit } from "../document";
import { chartText, h } from "../dom";
import { type Drawing, colourOf, figure, legend, plot, symbolOf } from "../figure";
import { count, figure as number } from "../format";
import type { Section } from "./section";

const mostGroups = 8; // that colours and symbols can distinguish

export function scores(fit: Fit): Section | null {
  const found = fit.report?.scores;
  if (!found?.index.length || found.columns.length === 0) return null;
  const { index, names, labels, columns } = found;
  const groups = labels ? [...new Set(labels)] : [];
  const coloured = groups.length > 1 && groups.length <= mostGroups;
  const group = index.map((_, k) => (coloured ? groups.indexOf(labels![k]!) : 0));
  const axes = [0, Math.min(1, columns.length - 1)];
  const title = (k: number) =>
    [
      names ? chartText(names[k]!, 60) : `sample ${count(index[k]! + 1)}`,
      labels ? chartText(labels[k]!, 60) : null,
      ...axes.map((j) => `PC${j + 1}: ${number(columns[j]![k]!)}`),
    ]
      .filter((line) => line !== null)
      .join("\n");
  const draw = (drawing: Drawing) => {
    const { colours } = drawing;
    const key = coloured
      ? legend(
          groups.map((label) => chartText(label, 24)),
          drawing,
          56,
        )
      : { marks: [], height: 0 };
    const points = index.map((_, k) => k);
    const at = {
      x: (k: number) => columns[axes[0]!]![k]!,
      y: (k: number) => columns[axes[1]!]![k]!,
    };
    return plot(drawing, {
      height: Math.min(460, Math.max(300, drawing.width * 0.7)) + key.height,
      marginLeft: 56,
      marginBottom: 40,
      marginTop: key.height + 26,
      x: {
        label: `PC${axes[0]! + 1}`,
        labelAnchor: "center",
        labelArrow: "none",
        nice: true,
        grid: true,
        ticks: 6,
      },
      y: { label: `PC${axes[1]! + 1}`, labelArrow: "none", nice: true, grid: true, ticks: 6 },
      marks: [
        ...key.marks,
        Plot.dot(points, {
          ...at,
          fill: (k: number) => colourOf(group[k]!, colours),
          symbol: (k: number) => symbolOf(group[k]!),
          r: points.length > 1000 ? 2 : 3.5,
          fillOpacity: points.length > 300 ? 0.55 : 0.8,
        }),
        Plot.tip(points, Plot.pointer({ ...at, title })),
      ],
    });
  };
  const pick = (axis: number, label: string) =>
    h(
      "label",
      {},
      label,
      h(
        "select",
        {
          change: (event) => {
            axes[axis] = Number((event.currentTarget as HTMLSelectElement).value);
            frame.redraw();
          },
        },
        ...columns.map((_, j) =>
          h("option", { value: j, selected: j === axes[axis] }, `PC${j + 1}`),
        ),
      ),
    );
  const subset = fit.samples !== null && index.length < fit.samples;
  const frame = figure({
    title: "Scores",
    file: "scores",
    draw,
    controls: [pick(0, "x axis "), pick(1, "y axis ")],
    caption: [
      subset
        ? `A random choice of ${count(index.length)} of ${count(fit.samples!)} samples, always the same.`
        : "One point per sample.",
      labels && !coloured && groups.length > 1
        ? `${count(groups.length)} different labels: too many for colours; point at a sample to see its label.`
        : null,
      fit.components > columns.length
        ? `The first ${columns.length} of ${count(fit.components)} components.`
        : null,
    ]
      .filter((line) => line !== null)
      .join(" "),
    alternative: `Scatter of ${index.length} samples by their scores on two components.`,
  });
  return { id: "scores", title: "Samples", body: [frame.element] };
}
