// Every kind of report: it opens, asks for nothing, draws what is in its document, and fits its window.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { certificateOf, fitOf, reproduction } from "./samples.mjs";
import {
  dots,
  folder,
  number,
  plain,
  report,
  reportOf,
  saved,
  spcart,
  tipAt,
  withBrowser,
  write,
} from "./support.mjs";

const browser = withBrowser();
const json = (...words) => JSON.parse(spcart(...words, "--json", "-"));

/** A report and the document in it, of one run: what time limits is not the same in two. */
function reportAndJson(name, ...words) {
  const file = report(name, ...words, "--json", `${name}.json`);
  return { file, document: JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) };
}

const kinds = {
  fit: {
    file: () => report("fit", "fit", "@pitprops", "-r", "6", "--refit", "5"),
    headline: /^6 components of 2\sto\s5 variables keep 94\s% of what PCA explains$/,
  },
  images: {
    file: () =>
      report(
        "images",
        "fit",
        "@patches:n=1200",
        "-r",
        "12",
        "--remove-row-mean",
        "--image",
        "13x13",
      ),
    headline: /^12 components of /,
  },
  bootstrap: {
    file: () =>
      report(
        "bootstrap",
        "fit",
        "@spiked:n=200",
        "-r",
        "3",
        "--nonzeros",
        "8",
        "--bootstrap",
        "20",
      ),
    headline: /^3 components of 8 variables each keep/,
  },
  exact: {
    file: () =>
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
    headline: /^3 components of 4 variables each keep/,
  },
  bounded: {
    file: () =>
      report("bounded", "path", "@pitprops", "-r", "3,6", "--points", "10", "--certify=2"),
    headline: /of 78 weights keep .* of what PCA explains/,
  },
  path: {
    file: () =>
      report("path", "path", "@pitprops", "-r", "6", "--truncation", "hard,soft", "--points", "15"),
    headline: /of 78 weights keep .* of what PCA explains/,
  },
  compare: {
    file: () => report("compare", "compare", "@pitprops", "-r", "6", "--nonzeros", "3"),
    headline: /^At 18 nonzeros, .* keeps most/,
  },
  choose: {
    file: () => report("choose", "choose", "@spiked:n=200", "--permutations", "20"),
    headline: /components? of \d+ variables/,
  },
  reproduce: {
    file: () => reportOf("reproduce", reproduction),
    headline: /^2 of 3 claims of the paper hold$/,
  },
};

for (const [kind, { file, headline }] of Object.entries(kinds))
  describe(`the report of ${kind}`, () => {
    let path;
    test("opens from a file, without an error or a request", async () => {
      path = file();
      const { page, seen, left, close } = await browser.open(path);
      assert.match(await page.locator("h1").innerText(), headline);
      assert.ok((await number(page, "svg")) > 0);
      assert.deepEqual(seen.problems, []);
      assert.deepEqual(left(), []);
      await close();
    });
    test("fits windows from 390 to 1800 pixels", async () => {
      const { page, seen, close } = await browser.open(path, { width: 390 });
      for (const width of [390, 700, 1120, 1800]) {
        await page.setViewportSize({ width, height: 900 });
        await page.waitForFunction(() =>
          [...document.querySelectorAll(".plot")].every(
            (plot) => plot.scrollWidth <= plot.clientWidth,
          ),
        );
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${wide} pixels too wide at ${width}`);
      }
      assert.deepEqual(seen.problems, []);
      await close();
    });
    test("can be printed", async () => {
      const { page, close } = await browser.open(path, { scheme: "dark" });
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
      assert.equal(await page.locator(".top").isVisible(), false);
      assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
      assert.ok(await page.locator("h1").isVisible());
      await close();
    });
  });

test("a fit draws a cell for every variable and component, and a bar for every weight", async () => {
  const { page, close } = await browser.open(report("marks", "fit", "@pitprops", "-r", "6"));
  const result = json("fit", "@pitprops", "-r", "6");
  const nonzeros = result.criteria.nonzeros.reduce((a, b) => a + b);
  assert.equal(await number(page, '#figure-loadings-map g[data-mark="cell"] rect'), 13 * 6);
  assert.equal(await number(page, '#figure-loadings-map g[data-mark="text"] text'), nonzeros);
  assert.equal(await number(page, ".component li"), nonzeros);
  assert.equal(await number(page, dots("variance")), 2 * 6);
  assert.equal(await number(page, dots("variance-together")), 2 * 6);
  for (const map of ["angles", "correlations"])
    assert.equal(await number(page, `#figure-${map} g[data-mark="cell"] rect`), 6 * 5);
  const applying = Object.values(result.bounds).filter((bound) => bound.applies).length;
  assert.equal(await number(page, '#figure-bounds g[data-mark="bar"] rect'), applying);
  assert.equal(await number(page, dots("convergence-change")), result.iterations);
  await close();
});

test("every chart names what is pointed at", async () => {
  const { page, close } = await browser.open(report("tips", "fit", "@pitprops", "-r", "6"));
  const cell = page.locator('#figure-loadings-map g[data-mark="cell"] rect').first();
  assert.match(await tipAt(page, "loadings-map", cell), /^\S+\nPC1: \+0\.\d{3}$/);
  assert.match(
    await tipAt(page, "variance", page.locator(dots("variance")).first()),
    /PC1, sparse components\n.*of the variance/s,
  );
  await close();
});

test("loadings are drawn as images if variables are pixels, and samples as points", async () => {
  const { page, close } = await browser.open(
    report(
      "pictures",
      "fit",
      "@patches:n=1200",
      "-r",
      "12",
      "--remove-row-mean",
      "--image",
      "13x13",
    ),
  );
  assert.equal(await number(page, "#figure-images .picture image"), 12);
  assert.equal(await number(page, dots("scores")), 1200);
  const first = () =>
    page
      .locator(dots("scores"))
      .first()
      .evaluate((dot) => dot.outerHTML);
  const before = await first();
  await page.getByLabel("y axis").selectOption("5");
  assert.match(await page.locator("#figure-scores svg").textContent(), /PC6/);
  assert.notEqual(await first(), before);
  await close();
});

test("samples are coloured by their labels", async () => {
  const labels = write(
    "labels.txt",
    Array.from({ length: 200 }, (_, i) =>
      i % 3 === 0 ? "red wine" : i % 3 === 1 ? "white" : "</b>",
    ).join("\n"),
  );
  const { page, close } = await browser.open(
    report("labels", "fit", "@spiked:n=200", "-r", "3", "--labels", labels),
  );
  const legend = await page.locator("#figure-scores .legend text").allTextContents();
  assert.deepEqual(legend.map(plain), ["red wine", "white", "</b>"]);
  const colours = await page
    .locator(dots("scores"))
    .evaluateAll((all) => new Set(all.map((dot) => dot.getAttribute("fill"))).size);
  assert.equal(colours, 3);
  await close();
});

test("resampling shows how often a variable is selected", async () => {
  const { page, close } = await browser.open(
    report("stability", "fit", "@spiked:n=200", "-r", "3", "--nonzeros", "8", "--bootstrap", "20"),
  );
  const shown = await page.locator(".component .often").allInnerTexts();
  assert.equal(shown.length, 24);
  assert.ok(
    shown.every((text) => /^\d+(\.\d)?\s%$/.test(text)),
    shown.join(),
  );
  await close();
});

test("a path draws every setting, and pointing at one gives its command line", async () => {
  const words = ["path", "@pitprops", "-r", "6", "--truncation", "hard,count", "--points", "13"];
  const { page, close } = await browser.open(report("hover", ...words));
  const { points, knee } = json(...words);
  for (const figure of ["path-share", "path-overlap", "path-worst"])
    assert.equal(await number(page, dots(figure)), points.length);
  assert.equal(await number(page, "#path .data-table tbody tr"), points.length);
  const place = 7;
  const nonzeros = points[place].criteria.nonzeros.reduce((sum, count) => sum + count, 0);
  const tip = await tipAt(page, "path-share", page.locator(dots("path-share")).nth(place));
  assert.match(
    tip.replaceAll("\n", " "),
    new RegExp(
      `${points[place].truncation}, lambda .*spcart path @pitprops -r 6 .*--at ${nonzeros}`,
    ),
  );
  await page.mouse.down();
  await page.mouse.up();
  const chosen = await page.locator(".chosen code").innerText();
  assert.ok(chosen.includes(`--at ${nonzeros} `), chosen);
  assert.ok(knee < points.length);
  await close();
});

test("a certificate draws every bound beside the answer, and says what is proved", async () => {
  const { file, document } = reportAndJson(
    "certified",
    "fit",
    "@pitprops",
    "-r",
    "3",
    "--nonzeros",
    "5",
    "--certify=2",
  );
  const { page, close } = await browser.open(file);
  const { certificate } = document;
  const { bounds, cpev } = certificate;
  const bars = (of) => `#figure-certificate g[data-mark="bar"].${of} rect`;
  assert.equal(await number(page, bars("closed")), bounds.length);
  assert.equal(await number(page, bars("open")), bounds.filter(({ bound }) => bound > cpev).length);
  assert.equal(await number(page, bars("explained")), 1);
  const drawn = plain(await page.locator("#figure-certificate svg").textContent());
  const percent = (x) => `${(100 * x).toFixed(2)}\u202f%`;
  for (const words of [
    `this answer ${percent(cpev)}`,
    `PCA ${percent(certificate.cpev_pca)}`,
    "not ruled out",
    "nobody can reach this",
    ...bounds.map(({ bound, by }) => percent(by === "pca" ? bound : Math.ceil(1e4 * bound) / 1e4)),
  ])
    assert.ok(drawn.includes(words), words);
  const sentences = await page.locator("#certificate li").allTextContents();
  assert.deepEqual(sentences, certificate.text);
  assert.match(
    await tipAt(page, "certificate", page.locator(bars("closed")).first()),
    /^no common variables: at most .*\nproved by: .*\nthis answer: /s,
  );
  await page.locator("#figure-certificate summary").click();
  const rows = page.locator("#figure-certificate .numbers tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), bounds.length + 2);
  await close();
});

test("the answer is drawn beside the bound for components like it", async () => {
  const document = { ...fitOf(["a", "b"], [[[0, 1]], [[1, 1]]]), certificate: certificateOf() };
  const { page, close } = await browser.open(reportOf("own", document));
  const drawn = plain(await page.locator("#figure-certificate svg").textContent());
  assert.match(drawn, /orthogonal, like these/);
  const rowOf = (of) =>
    page
      .locator(`#figure-certificate g[data-mark="bar"].${of} rect`)
      .evaluateAll((all) => all.map((rect) => Number(rect.getAttribute("y"))));
  assert.deepEqual(await rowOf("explained"), (await rowOf("closed")).slice(1, 2));
  await close();
});

test("a bound that is PCA’s own is called that, and an answer that is optimal", async () => {
  const own = { components: "any", bound: 0.8, by: "pca" };
  const best = { components: "any", bound: 0.7, by: "branch-and-bound" };
  for (const [bounds, words, caption] of [
    [[own], /80\.00\s%, PCA’s own/, /nothing sharper could be proved/],
    [[best], /70\.00\s%, attained/, /as many variables as this one/],
  ]) {
    const certificate = certificateOf({ nonzeros: [3], bounds });
    const document = { ...fitOf(["a"], [[[0, 1]]]), certificate };
    const { page, close } = await browser.open(reportOf("own-bound", document));
    assert.match(plain(await page.locator("#figure-certificate svg").textContent()), words);
    assert.match(await page.locator("#figure-certificate figcaption").textContent(), caption);
    await close();
  }
});

test("the proofs of exact components are in a table", async () => {
  const words = ["fit", "@pitprops", "-r", "6", "--nonzeros", "3", "--method", "exact"];
  const { page, close } = await browser.open(report("proofs", ...words));
  const { proofs } = json(...words);
  assert.equal(await number(page, "#figure-certificate"), 0);
  const lines = await page.locator("#certificate tbody tr").allInnerTexts();
  assert.equal(lines.length, proofs.length);
  assert.notDeepEqual(
    proofs.map(({ component }) => component),
    [0, 1, 2, 3, 4, 5],
  );
  proofs.forEach(({ component, explained }, i) => {
    assert.match(lines[i], new RegExp(`^PC${component + 1}\\b`));
    assert.ok(lines[i].includes(`${(100 * explained).toFixed(2)}\u202f%`), lines[i]);
    assert.match(lines[i], /optimal/);
  });
  await close();
});

test("without components only the sentences are shown, and without a certificate nothing", async () => {
  const nothing = certificateOf({
    nonzeros: [],
    bounds: [{ components: "any", bound: 0.8, by: "pca" }],
    text: ["There are no components of which to prove anything."],
  });
  const empty = { ...fitOf(["a"], [[]]), certificate: nothing, proofs: [] };
  const opened = await browser.open(reportOf("nothing", empty));
  assert.equal(await number(opened.page, "#certificate li"), 1);
  assert.equal(await number(opened.page, "#figure-certificate"), 0);
  await opened.close();
  for (const more of [{}, { certificate: null, proofs: [] }]) {
    const { page, seen, close } = await browser.open(
      reportOf("older", { ...fitOf(["a"], [[[0, 1]]]), ...more }),
    );
    assert.equal(await number(page, "#certificate"), 0);
    assert.deepEqual(seen.problems, []);
    await close();
  }
});

test("a path shades what is out of reach, if that was proved", async () => {
  const words = ["path", "@pitprops", "-r", "3", "--points", "12"];
  const area = '#figure-path-share g[data-mark="area"] path';
  const { file, document } = reportAndJson("shaded", ...words, "--certify=2");
  const { page, close } = await browser.open(file);
  const { points } = document;
  assert.equal(await number(page, area), 1);
  assert.equal(await number(page, '#figure-path-overlap g[data-mark="area"]'), 0);
  const legend = await page.locator("#figure-path-share .legend text").allTextContents();
  assert.deepEqual(legend, ["hard", "no orthogonal components reach this"]);
  const heads = await page.locator("#path .data-table th").allInnerTexts();
  const column = heads.indexOf("at most");
  const last = points.length - 1;
  const { bound, criteria } = points[last];
  const share = Math.min(bound / criteria.cpev_pca, 1);
  const most = `${(Math.ceil(1e3 * share) / 10).toFixed(1)}\u202f%`;
  const cells = page.locator("#path .data-table tbody tr").nth(last).locator("td");
  assert.equal(await cells.nth(column).innerText(), most);
  const tip = await tipAt(page, "path-share", page.locator(dots("path-share")).nth(last));
  assert.ok(tip.replaceAll("\n", " ").includes(`orthogonal components: at most ${most}`), tip);
  const hatched = await page.locator(area).boundingBox();
  await page.mouse.move(hatched.x + hatched.width, hatched.y + hatched.height); // the last bound
  await page.mouse.move(hatched.x + hatched.width, hatched.y + hatched.height - 3);
  await page.waitForFunction(() =>
    /keep more than/.test(
      document.querySelector('#figure-path-share g[aria-label="tip"]')?.textContent ?? "",
    ),
  );
  await close();
  const without = await browser.open(report("unshaded", ...words));
  assert.equal(await number(without.page, area), 0);
  assert.equal(await number(without.page, '#path th[data-key="bound"]'), 0);
  await without.close();
});

test("a comparison names its points, and has all methods in its table", async () => {
  const words = ["compare", "@pitprops", "-r", "6", "--nonzeros", "3"];
  const { page, close } = await browser.open(report("named", ...words));
  const { rows } = json(...words);
  const matched = rows.filter((row) => row.note === null);
  assert.equal(await number(page, "#compare tbody tr"), rows.length);
  for (const figure of ["compare-nor", "compare-sparsity", "compare-seconds"]) {
    assert.equal(await number(page, dots(figure)), matched.length);
    assert.ok((await number(page, `#figure-${figure} g[data-mark="text"]:not(.legend) text`)) >= 3);
  }
  const tip = await tipAt(page, "compare-nor", page.locator(dots("compare-nor")).first());
  assert.ok(tip.startsWith(matched[0].method), tip);
  await page.getByRole("button", { name: "at this sparsity" }).click();
  assert.equal(await number(page, "#compare tbody tr"), matched.length);
  await close();
});

test("a choice draws its scree and its errors, and gives both answers", async () => {
  const words = ["choose", "@spiked:n=200", "--permutations", "20"];
  const { page, close } = await browser.open(report("chosen", ...words));
  const { scree, cross_validation: validation, to_read, to_predict } = json(...words);
  assert.equal(await number(page, '#figure-scree g[data-mark="bar"] rect'), scree.variances.length);
  assert.equal(await number(page, dots("scree")), 2 * scree.variances.length);
  assert.equal(
    await number(page, dots("cross-validation")),
    validation.points.filter((point) => point.components > 0).length,
  );
  assert.equal(
    await number(page, ".reasons li"),
    to_read.reasons.length + to_predict.reasons.length,
  );
  const calls = await page.locator("#choose .command code").allInnerTexts();
  assert.deepEqual(
    calls,
    [to_read, to_predict].map(
      ({ components, nonzeros }) =>
        `spcart fit @spiked:n=200 -r ${components} --nonzeros ${nonzeros}`,
    ),
  );
  await close();
});

test("a reproduction shows claims by verdict, figures, tables and pictures", async () => {
  const { page, close } = await browser.open(reportOf("claims", reproduction));
  assert.equal(await number(page, "#claims tbody tr"), 3);
  await page.getByRole("button", { name: "differs 1" }).click();
  assert.equal(await number(page, "#claims tbody tr"), 1);
  assert.match(await page.locator("#claims tbody").innerText(), /interpreter/);
  await page.getByRole("button", { name: "all 3" }).click();
  await page.getByLabel("Search claims").fill("cpev");
  assert.equal(await number(page, "#claims tbody tr"), 1);
  assert.equal(await number(page, dots("experiment-1-0")), 7);
  assert.equal(await number(page, '#figure-experiment-1-0 g[data-mark="line"] path'), 2);
  assert.equal(await number(page, "#experiment-0 tbody tr"), 2);
  assert.equal(await number(page, ".picture image"), 10);
  assert.match(
    await tipAt(page, "experiment-1-0", page.locator(dots("experiment-1-0")).nth(2)),
    /^SPCArt\nsparsity: 0\.6000\nCPEV: 0\.8600/,
  );
  await close();
});

test("charts are saved as drawings of their own", async () => {
  const { page, close } = await browser.open(report("saved", "fit", "@pitprops", "-r", "6"));
  const { name, text } = await saved(page, () =>
    page.getByRole("button", { name: "Save “Map of the weights” as SVG" }).click(),
  );
  assert.equal(name, "loadings-map.svg");
  const seen = await page.evaluate((source) => {
    const found = new DOMParser().parseFromString(source, "image/svg+xml");
    return [
      found.documentElement.nodeName,
      found.querySelectorAll('g[data-mark="cell"] rect').length,
      found.querySelectorAll("parsererror").length,
    ];
  }, text);
  assert.deepEqual(seen, ["svg", 78, 0]);
  await close();
});
