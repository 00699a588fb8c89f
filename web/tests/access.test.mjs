// For everybody: contrast and structure by axe, keys, light and dark.
import assert from "node:assert/strict";
import { test } from "node:test";
import axe from "axe-core";
import { reproduction } from "./samples.mjs";
import { emptyPage, report, reportOf, withBrowser } from "./support.mjs";

const browser = withBrowser();

const files = {
  empty: emptyPage,
  fit: () =>
    report("fit", "fit", "@spiked:n=200", "-r", "3", "--nonzeros", "8", "--bootstrap", "10"),
  exact: () =>
    report(
      "exact",
      "fit",
      "@pitprops",
      "-r",
      "3",
      "--nonzeros",
      "4",
      "--method",
      "exact",
      "--certify=2",
    ),
  images: () =>
    report("images", "fit", "@patches:n=600", "-r", "6", "--remove-row-mean", "--image", "13x13"),
  path: () =>
    report("path", "path", "@pitprops", "-r", "6", "--truncation", "hard,soft", "--points", "10"),
  bounded: () => report("bounded", "path", "@pitprops", "-r", "3", "--points", "10", "--certify=2"),
  compare: () => report("compare", "compare", "@pitprops", "-r", "6", "--nonzeros", "3"),
  choose: () => report("choose", "choose", "@spiked:n=200", "--permutations", "10"),
  reproduce: () => reportOf("reproduce", reproduction),
};

for (const [name, file] of Object.entries(files))
  test(`axe finds nothing against the report of ${name}, light and dark, wide and narrow`, async () => {
    const path = file();
    for (const [scheme, width] of [
      ["light", 1400],
      ["dark", 1400],
      ["light", 390],
    ]) {
      const { page, close } = await browser.open(path, { scheme, width });
      await page.evaluate(axe.source);
      const { violations, passes } = await page.evaluate(() =>
        window.axe.run(document, {
          runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"],
          resultTypes: ["violations", "passes"],
        }),
      );
      const found = violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map((node) => `${node.target} ${node.failureSummary}`)
            .join("; ")}`,
      );
      assert.deepEqual(found, [], `${scheme}, ${width} pixels`);
      assert.ok(
        passes.some(({ id }) => id === "color-contrast"),
        "contrast was looked at",
      );
      await close();
    }
  });

test("the switch turns light into dark, charts too", async () => {
  const { page, seen, close } = await browser.open(report("theme", "fit", "@pitprops", "-r", "6"));
  const state = () =>
    page.evaluate(() => [
      document.documentElement.dataset.theme,
      getComputedStyle(document.body).backgroundColor,
      document.querySelector('#figure-loadings-map g[data-mark="cell"] rect').getAttribute("fill"),
    ]);
  const light = await state();
  await page.getByRole("button", { name: "Dark" }).click();
  const dark = await state();
  assert.deepEqual([light[0], dark[0]], ["light", "dark"]);
  assert.notEqual(light[1], dark[1]);
  assert.notEqual(light[2], dark[2]);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByRole("button", { name: "Light" }).click();
  assert.deepEqual(await state(), light);
  assert.deepEqual(seen.problems, []);
  await close();
});

test("everything can be reached and worked by keys, and shows where the focus is", async () => {
  const { page, close } = await browser.open(report("keys", "fit", "@pitprops", "-r", "6"));
  const reached = new Set();
  for (let k = 0; k < 80; ++k) {
    await page.keyboard.press("Tab");
    const [what, outline] = await page.evaluate(() => {
      const focused = document.activeElement;
      return [
        `${focused.tagName} ${focused.innerText?.slice(0, 30) || focused.getAttribute("aria-label")}`,
        getComputedStyle(focused).outlineStyle,
      ];
    });
    reached.add(what);
    if (!what.startsWith("BODY")) assert.notEqual(outline, "none", what);
  }
  for (const name of [
    "A Skip to the content",
    "BUTTON Open…",
    "BUTTON Dark",
    "BUTTON SVG",
    "INPUT Search variables",
    "BUTTON Loadings as CSV",
    "BUTTON variable",
    "SUMMARY Numbers",
  ])
    assert.ok(reached.has(name), `${name} is not reached: ${[...reached].join(", ")}`);
  await page.locator("#figure-variance summary").press("Enter");
  const rows = page.locator("#figure-variance .numbers tbody tr");
  await rows.first().waitFor(); // they are drawn after the key is heard
  assert.equal(await rows.count(), 6);
  await close();
});
