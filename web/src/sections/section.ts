import { copyButton } from "../download";
import { h } from "../dom";

/** A part of the page. */
export interface Section {
  id: string;
  title: string;
  lead?: string; // what it shows, and how to read it
  body: Node[];
}

export function sectionElement({ id, title, lead, body }: Section): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    lead ? h("p", { class: "lead" }, lead) : null,
    ...body,
  );
}

/** A command line with a button that copies it. */
export function commandLine(command: string): HTMLElement {
  return h(
    "div",
    { class: "command" },
    h("code", { tabindex: 0, role: "group", "aria-label": "Command line" }, h("bdi", {}, command)),
    copyButton(command),
  );
}

export function grid(...children: Node[]): HTMLElement {
  return h("div", { class: "grid" }, ...children);
}
