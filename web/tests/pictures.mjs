// Makes the pictures of the documentation anew: tools/web pictures
import path from "node:path";
import { pathToFileURL } from "node:url";
import { launch, report } from "./support.mjs";

const folder = path.resolve("../docs/images");
const browser = await launch();

// What a picture of the page need not show.
const hidden = `.top, .contents, header .command, section > h2, section > .lead { display: none !important }
  section { margin-top: 0 !important }`;

/** From the headline, or the first element, to the end of the last. */
async function picture(name, file, { width, from = "h1", to, scale }) {
  const page = await browser.newPage({
    viewport: { width, height: 1000 },
    deviceScaleFactor: scale,
  });
  await page.goto(pathToFileURL(file).href);
  await page.locator(to).waitFor();
  await page.addStyleTag({
    content: hidden,
  });
  const [first, last] = [
    await page.locator(from).boundingBox(),
    await page.locator(to).boundingBox(),
  ];
  const y = Math.max(0, first.y - 10);
  await page.screenshot({
    path: path.join(folder, `${name}.png`),
    fullPage: true,
    clip: { x: 0, y, width, height: last.y + last.height + 10 - y },
  });
  await page.close();
}

await picture(
  "report-pitprops",
  report("pitprops", "fit", "@pitprops", "-r", "6", "--refit", "5"),
  { width: 1000, to: "#figure-loadings-map", scale: 1.5 },
);
await picture(
  "report-patches",
  report(
    "patches",
    "fit",
    "@patches",
    "-r",
    "24",
    "--remove-row-mean",
    "--refit",
    "5",
    "--image",
    "13x13",
  ),
  { width: 1000, to: "#figure-images", scale: 1.5 },
);
await picture(
  "report-path",
  report(
    "path",
    "path",
    "@pitprops",
    "-r",
    "6",
    "--truncation",
    "hard,soft,energy",
    "--points",
    "25",
    "--certify",
  ),
  { width: 1000, from: "#figure-path-share", to: ".chosen", scale: 1.5 },
);
await picture(
  "report-certificate",
  report(
    "certificate",
    "fit",
    "@pitprops",
    "-r",
    "6",
    "--nonzeros",
    "3",
    "--overlap",
    "0",
    "--certify",
  ),
  { width: 1000, from: "#figure-certificate", to: "#certificate .reasons", scale: 1.5 },
);
await browser.close();
