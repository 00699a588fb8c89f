// How a result was made, and what is needed to reproduce it.
import type { Fit } from "../document";
import { h } from "../dom";
import { count, counted, figure as number, percent, seconds } from "../format";
import type { Section } from "./section";

function preparationInWords({ preparation, samples }: Fit): string | null {
  if (!preparation) return null;
  const done = [
    preparation.remove_row_mean ? "each sample’s own mean was subtracted" : null,
    samples === null
      ? null
      : preparation.center
        ? "each variable’s mean was subtracted"
        : "not centred",
    preparation.scale ? "each variable was divided by its standard deviation" : null,
  ].filter((part) => part !== null);
  return done.length > 0 ? done.join("; ") : "as it is";
}

function targetInWords({ target }: Fit): string | null {
  if (!target) return null;
  const found = target.exact ? "reached" : `found ${number(target.found)}`;
  return `${target.option} ${number(target.asked)}: ${found}, ${counted(target.trials, "lambda")} tried`;
}

function timesInWords({ timing }: Fit): string | null {
  if (!timing) return null;
  const { total, ...stages } = timing;
  const parts = Object.entries(stages)
    .filter(([, time]) => time)
    .map(([stage, time]) => `${stage} ${seconds(time ?? 0)}`);
  return `${seconds(total)} (${parts.join(", ")})`;
}

export function making(fit: Fit): Section {
  const after = [
    fit.refit ? `refit, ${counted(fit.refit, "round")}` : null,
    fit.refine ? `refined, ${counted(fit.refine, "round")}` : null,
  ].filter((part) => part !== null);
  const lines: [string, string | null][] = [
    ["method", fit.method],
    [
      "truncation",
      fit.truncation && `${fit.truncation.type}, lambda ${number(fit.truncation.lambda)}`,
    ],
    ["target", targetInWords(fit)],
    ["start", fit.start],
    ["improvement", after.join("; ") || null],
    ["data", preparationInWords(fit)],
    ["status", fit.message],
    ["resamples", fit.bootstrap && count(fit.bootstrap.resamples)],
    ["PCA solver", fit.solver],
    ["precision", fit.precision],
    ["seed", fit.seed === null ? null : String(fit.seed)],
    ["threads", fit.threads === null ? null : String(fit.threads)],
    ["time", timesInWords(fit)],
    [
      "memory",
      fit.memory_peak_bytes ? `${count(Math.ceil(fit.memory_peak_bytes / 1e6))} MB` : null,
    ],
    ["EV", `${percent(fit.criteria.ev, 2)} of the variance, counting overlaps twice`],
    ["spcart", fit.spcart],
  ];
  const shown = lines.filter((line): line is [string, string] => !!line[1]);
  return {
    id: "making",
    title: "How it was made",
    body: [
      h(
        "dl",
        { class: "making" },
        ...shown.flatMap(([what, how]) => [h("dt", {}, what), h("dd", {}, h("bdi", {}, how))]),
      ),
    ],
  };
}
