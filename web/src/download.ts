import { h } from "./dom";

/** Gives a text to the browser as a file. */
export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A drawing as a separate file: with its size and its font, and without tooltips. */
export function downloadSvg(name: string, drawing: SVGSVGElement, background: string): void {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.style.background = background;
  copy.style.color = getComputedStyle(drawing).color;
  copy.setAttribute("font-family", "Helvetica, Arial, sans-serif");
  for (const tip of copy.querySelectorAll('[aria-label="tip"], [data-mark="tip"]')) tip.remove();
  download(name, "image/svg+xml", `${new XMLSerializer().serializeToString(copy)}\n`);
}

/** A button that copies a text to the clipboard. */
export function copyButton(text: string): HTMLButtonElement {
  const button = h("button", { type: "button", class: "small", click: () => void copy() }, "Copy");
  const copy = async () => {
    const area = h("textarea", { readonly: true, class: "unseen" }, text);
    document.body.append(area);
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      area.select(); // local files may not use the clipboard otherwise
      document.execCommand("copy");
    }
    area.remove();
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  return button;
}
