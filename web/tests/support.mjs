// What the tests share: reports made by the command or from documents at hand, and a browser.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const root = path.resolve(
  import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname),
  "../..",
);
const build = process.env.SPCART_BUILD ?? path.join(root, "build");
const browserPath = process.env.SPCART_CHROMIUM ?? "/usr/bin/chromium";

export const folder = mkdtempSync(path.join(tmpdir(), "spcart-web-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

/** Runs the command; the report is at the path that is returned. */
export function report(name, ...words) {
  const file = path.join(folder, `${name}.html`);
  spcart(...words, "--report", `${name}.html`);
  return file;
}

export function spcart(...words) {
  return execFileSync(path.join(build, "spcart"), words, {
    encoding: "utf8",
    cwd: folder,
    maxBuffer: 1 << 28,
  });
}

/** A document in the page, as the command puts it there. */
export function reportOf(name, document) {
  const page = readFileSync(path.join(build, "web/report.html"), "utf8");
  const text = typeof document === "string" ? document : JSON.stringify(document);
  const data = gzipSync(text).toString("base64");
  return write(
    `${name}.html`,
    page.replace('id="result">', () => `id="result">${data}`),
  );
}

/** The page without a document. */
export function emptyPage() {
  return path.join(build, "web/report.html");
}

export function write(name, text) {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

export async function launch() {
  if (!existsSync(browserPath))
    throw new Error(`there is no browser at ${browserPath}: run tools/setup web`);
  const root = process.getuid?.() === 0; // whose browser has no sandbox
  return chromium.launch({ executablePath: browserPath, args: root ? ["--no-sandbox"] : [] });
}

/** A browser for the tests of a file. `open` watches what a page does, and the tests ask it. */
export function withBrowser() {
  const held = {};
  before(async () => {
    held.browser = await launch();
  });
  after(() => held.browser?.close());
  held.open = async (file, { width = 1400, scheme = "light", prepare } = {}) => {
    const context = await held.browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: scheme,
      acceptDownloads: true,
    });
    const page = await context.newPage();
    const seen = { problems: [], requests: [] };
    page.on(
      "console",
      (message) =>
        ["error", "warning"].includes(message.type()) && seen.problems.push(message.text()),
    );
    page.on("pageerror", (error) => seen.problems.push(String(error)));
    page.on(
      "dialog",
      (dialog) => (seen.problems.push(`dialog: ${dialog.message()}`), dialog.dismiss()),
    );
    page.on("request", (request) => seen.requests.push(request.url()));
    const address = pathToFileURL(file).href;
    await prepare?.(page);
    await page.goto(address);
    await page.waitForSelector("main h1");
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".plot")].every((plot) => plot.firstChild),
    );
    // Pictures of the page's own making are no requests that leave it.
    const left = () =>
      seen.requests.filter(
        (url) => url !== address && !url.startsWith("data:") && !url.startsWith("blob:"),
      );
    return { page, seen, left, close: () => context.close() };
  };
  return held;
}

/** How many elements a selector finds. */
export const number = (page, selector) => page.locator(selector).count();

/** Dots of a figure that stand for data, not for its legend or marks. */
export const dots = (figure) =>
  `#figure-${figure} svg g[data-mark="dot"]:not(.legend):not(.marked) > *`;

/** The text of a saved file. */
export async function saved(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}

/** A text of a chart without the marks that keep its directions apart. */
export const plain = (text) => text.replace(/[\u200b\u2068\u2069]/g, "");

/** Points at the middle of an element and returns what the tip says. */
export async function tipAt(page, figure, element) {
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const tip = page.locator(`#figure-${figure} svg g[aria-label="tip"] text`).first();
  await tip.waitFor();
  return (await tip.locator("tspan").allTextContents()).map(plain).join("\n");
}
