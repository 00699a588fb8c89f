// Building elements. Text from documents only ever becomes text nodes and attributes.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | EventListener | null | undefined>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key, value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => !!child));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

// Controls, zero-width characters and marks that change the direction of the following text. Joiners
// are kept: some scripts are not readable without them.
const invisible =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** The text with invisible characters as escapes such as \u200b. */
export function visible(text: string): string {
  return text.replace(invisible, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** At most `most` characters, the last an ellipsis if something was cut. */
export function clipped(text: string, most: number): string {
  const seen = visible(text.length > 4 * most ? text.slice(0, 4 * most) : text);
  const characters = Array.from(seen);
  return characters.length <= most && text.length <= 4 * most
    ? seen
    : `${characters.slice(0, most - 1).join("")}…`;
}

/** The same for texts within charts, isolated from the direction of the text around them. */
export function chartText(text: string, most: number): string {
  return `\u2068${clipped(text, most)}\u2069`;
}

/** A name from a document: complete in its title, and isolated from the text around it. */
export function nameOf(text: string, most = 48): HTMLElement {
  const short = clipped(text, most);
  const whole = visible(text);
  return h("bdi", { class: "name", title: short === whole ? null : whole }, short || "\u00a0");
}
