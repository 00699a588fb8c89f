import "./style.css";
import { DocumentError } from "./check";
import { type Document, embeddedText, parseDocument, textOf, version } from "./document";
import { clipped, h } from "./dom";
import { forgetFigures } from "./figure";
import { between } from "./sections/between";
import { bounds } from "./sections/bounds";
import { certificate } from "./sections/certificate";
import { choose } from "./sections/choose";
import { compare } from "./sections/compare";
import { convergence } from "./sections/convergence";
import { headline } from "./sections/headline";
import { images } from "./sections/images";
import { loadings } from "./sections/loadings";
import { making } from "./sections/making";
import { path } from "./sections/path";
import { claims, experiment } from "./sections/reproduce";
import { scores } from "./sections/scores";
import { type Section, sectionElement } from "./sections/section";
import { variance } from "./sections/variance";
import { onTheme, theme, toggleTheme, watchTheme } from "./theme";

function sectionsOf(doc: Document): Section[] {
  const found = (() => {
    switch (doc.kind) {
      case "fit":
        return [
          images(doc),
          loadings(doc),
          variance(doc),
          certificate(doc),
          scores(doc),
          between(doc),
          bounds(doc),
          convergence(doc),
          making(doc),
        ];
      case "path":
        return [path(doc)];
      case "compare":
        return [compare(doc)];
      case "choose":
        return [choose(doc)];
      case "reproduce":
        return [claims(doc), ...doc.experiments.map(experiment)];
    }
  })();
  return found.filter((section) => section !== null);
}

const page = document.getElementById("page")!;
const message = h("div", { class: "message", role: "alert" });
const content = h("main", { id: "content", tabindex: -1 });

function say(text: string): void {
  message.replaceChildren(...(text ? [h("p", {}, text)] : []));
}

function titleOf(doc: Document): string {
  const data = doc.kind === "reproduce" ? "the paper’s experiments" : doc.report?.data;
  return `${data ? `${clipped(data, 80)} – ` : ""}spcart ${doc.kind}`;
}

function contents(sections: Section[]): HTMLElement | null {
  if (sections.length < 2) return null;
  return h(
    "nav",
    { class: "contents", "aria-label": "Contents" },
    h(
      "ol",
      {},
      ...sections.map(({ id, title }) =>
        h("li", {}, h("a", { href: `#${id}` }, clipped(title, 60))),
      ),
    ),
  );
}

function show(doc: Document): void {
  forgetFigures();
  const sections = sectionsOf(doc);
  const list = contents(sections);
  document.title = titleOf(doc);
  content.className = list ? "with-contents" : "";
  content.replaceChildren(
    headline(doc),
    ...(list ? [list] : []),
    h("div", { class: "sections" }, ...sections.map(sectionElement)),
    h(
      "footer",
      {},
      `Written by spcart ${doc.spcart}. This file contains everything that it shows and needs no network.`,
    ),
  );
}

function invitation(): void {
  forgetFigures();
  content.className = "";
  content.replaceChildren(
    h(
      "header",
      { class: "headline empty" },
      h("h1", {}, "Open a result"),
      h(
        "p",
        {},
        "This page shows what ",
        h("code", {}, "spcart fit --json result.json"),
        " and the other commands write. Choose such a file or drop it here; it stays on this machine.",
      ),
      h(
        "p",
        {},
        h(
          "button",
          { type: "button", class: "primary", click: () => picker.click() },
          "Choose a file",
        ),
      ),
    ),
  );
}

function explain(name: string, error: unknown): void {
  const reason =
    error instanceof DocumentError ? error.message : `it could not be shown (${String(error)})`;
  say(`${name} cannot be shown: ${clipped(reason, 400)}.`);
}

async function open(file: File): Promise<void> {
  const name = `“${clipped(file.name, 60)}”`;
  try {
    const doc = parseDocument(await textOf(file));
    show(doc);
    say("");
    window.scrollTo(0, 0);
    content.focus({ preventScroll: true });
  } catch (error) {
    explain(name, error);
  }
}

const picker = h("input", {
  type: "file",
  accept: ".json,.gz,application/json",
  "aria-label": "Result to open",
  class: "unseen",
  tabindex: -1,
  change: () => {
    const file = picker.files?.[0];
    picker.value = "";
    if (file) void open(file);
  },
});

function topBar(): HTMLElement {
  const other = () => (theme() === "dark" ? "Light" : "Dark");
  const button = h("button", { type: "button", class: "theme", click: toggleTheme }, other());
  onTheme(() => (button.textContent = other()));
  return h(
    "header",
    { class: "top" },
    h("a", { class: "skip", href: "#content" }, "Skip to the content"),
    h("span", { class: "brand" }, "spcart", h("small", {}, version)),
    h("button", { type: "button", class: "open", click: () => picker.click() }, "Open…"),
    picker,
    button,
  );
}

function watchDrops(): void {
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    const file = event.dataTransfer?.files[0];
    if (file) void open(file);
  });
}

async function start(): Promise<void> {
  watchTheme();
  watchDrops();
  page.append(topBar(), message, content);
  try {
    const json = await embeddedText();
    if (json === null) return invitation();
    show(parseDocument(json));
  } catch (error) {
    invitation();
    explain("The result in this page", error);
  }
}

void start();
