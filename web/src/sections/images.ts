// Loadings as images, if variables are pixels.
import * as Plot from "@observablehq/plot";
import type { Column, Fit } from "../document";
import { svg } from "../dom";
import { type Drawing, figure } from "../figure";
import { count } from "../format";
import type { Palette } from "../theme";
import type { Section } from "./section";

const mostShown = 100;

/** An image as a PNG data URL, scaled to its own largest weight. */
function pictureOf({ index, value }: Column, [rows, columns]: number[], colours: Palette): string {
  const canvas = document.createElement("canvas");
  canvas.width = columns!;
  canvas.height = rows!;
  const context = canvas.getContext("2d");
  if (!context) return "";
  const most = value.reduce((a, x) => Math.max(a, Math.abs(x)), 0) || 1;
  const scale = Plot.scale({
    color: {
      type: "linear",
      domain: [-1, 0, 1],
      range: [colours.negative, colours.neutral, colours.positive],
      interpolate: "lab",
    },
  });
  context.fillStyle = colours.neutral;
  context.fillRect(0, 0, columns!, rows!);
  index.forEach((i, k) => {
    context.fillStyle = scale.apply(value[k]! / most) as string;
    context.fillRect(i % columns!, Math.floor(i / columns!), 1, 1);
  });
  return canvas.toDataURL("image/png");
}

export interface Picture {
  column: Column;
  label: string;
  about: string;
}

/** Images in rows, at most `perLine` of them per row and as many as fit. */
export function pictures(
  all: Picture[],
  shape: number[],
  drawing: Drawing,
  left = 0,
  perLine = Infinity,
): SVGSVGElement {
  const { colours, width } = drawing;
  const room = width - left;
  const size = Math.max(40, Math.min(112, room / Math.min(perLine, 10) - 10));
  const across = Math.max(1, Math.min(perLine, Math.floor((room + 10) / (size + 10))));
  const tall = size * (shape[0]! / shape[1]!);
  const [stepX, stepY] = [size + 10, tall + 26];
  const height = Math.ceil(all.length / across) * stepY;
  const parts = all.map(({ column, label, about }, k) => {
    const [x, y] = [left + (k % across) * stepX, Math.floor(k / across) * stepY];
    return svg(
      "g",
      { class: "picture", transform: `translate(${x.toFixed(1)},${y.toFixed(1)})` },
      svg("title", {}, about),
      svg("image", {
        href: pictureOf(column, shape, colours),
        width: size.toFixed(1),
        height: tall.toFixed(1),
        preserveAspectRatio: "none",
        style: "image-rendering:pixelated",
      }),
      svg("rect", {
        width: size.toFixed(1),
        height: tall.toFixed(1),
        fill: "none",
        stroke: colours.faint,
      }),
      svg("text", { x: 0, y: (tall + 15).toFixed(1), fill: colours.muted, "font-size": 11 }, label),
    );
  });
  return svg(
    "svg",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      style: `max-width:100%;color:${colours.muted}`,
    },
    ...parts,
  );
}

export function images(fit: Fit): Section | null {
  const shape = fit.report?.image;
  if (!shape) return null;
  const shown = fit.loadings.slice(0, mostShown).map(
    (column, j): Picture => ({
      column,
      label: `PC${j + 1} · ${count(column.index.length)} px`,
      about: `PC${j + 1}: ${count(column.index.length)} of ${count(fit.variables)} pixels`,
    }),
  );
  return {
    id: "images",
    title: "Loadings as images",
    body: [
      figure({
        title: `${shape[0]} × ${shape[1]} pixels`,
        file: "images",
        caption: `Blue is positive, orange negative; each image is scaled to its own largest weight.${fit.components > mostShown ? ` The first ${mostShown} of ${count(fit.components)} components.` : ""}`,
        alternative: `Loadings of ${shown.length} components as images of ${shape[0]} by ${shape[1]} pixels.`,
        draw: (drawing) => pictures(shown, shape, drawing),
      }).element,
    ],
  };
}
