// Documents that are wrong, or meant to do harm: said clearly, shown literally, never run.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { certificateOf, fitOf, reproduction } from "./samples.mjs";
import { emptyPage, number, reportOf, spcart, withBrowser, write } from "./support.mjs";

const browser = withBrowser();

const hostile = [
  "</script><script>window.hacked = 1</script>",
  '<img src=x onerror="window.hacked = 1">',
  '"><svg onload=window.hacked=1>',
  "'; window.hacked = 1; '",
  "${window.hacked = 1}",
  "javascript:window.hacked=1",
  "x".repeat(10000),
  "\u05d0\u05d1\u05d2 right to left",
  "\u202egnp.exe",
  "zero\u200bwidth\ufeff",
  "bell\u0007 and\ttab",
  "__proto__",
  "constructor",
  "&lt;b&gt;",
];

const weights = hostile.map((_, i) => [i, 1 / (i + 2)]);
const withNames = () =>
  fitOf(hostile, [weights, weights.slice(0, 3)], {
    method: hostile[0],
    message: hostile[1],
    warnings: [hostile[2]],
    bounds: {
      [hostile[1]]: {
        source: hostile[0],
        kind: hostile[0],
        guaranteed: [0, 1],
        measured: [0.1, 0.2],
        applies: true,
        reason: hostile[1],
        holds: true,
        tightness: 0.2,
      },
    },
    report: {
      command: hostile[0],
      data: hostile[1],
      samples: 3,
      variables: hostile.length,
      calls: null,
      image: null,
      pca_variances: [0.3, 0.2],
      cosines: [
        [1, 0],
        [0, 1],
      ],
      angles: [
        [0, 90],
        [90, 0],
      ],
      correlations: [
        [1, 0],
        [0, 1],
      ],
      scores: {
        index: [0, 1, 2],
        names: hostile.slice(0, 3),
        labels: hostile.slice(3, 6),
        columns: [
          [1, 2, 3],
          [2, 1, 0],
        ],
      },
    },
  });

async function expectHarmless({ page, seen, left }) {
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.deepEqual(seen.problems, []);
  assert.deepEqual(left(), []);
  assert.equal(await number(page, "main script, main img, main iframe, main object"), 0);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
}

test("hostile names are shown literally and do nothing", async () => {
  for (const width of [1400, 390]) {
    const opened = await browser.open(reportOf("hostile", withNames()), { width });
    const { page } = opened;
    await expectHarmless(opened);
    const names = page.locator("#loadings .data-table td:first-child .name");
    assert.equal(await names.count(), hostile.length);
    for (const [i, name] of hostile.entries()) {
      const shown = names.nth(i);
      const expected = name.replace(
        /[\u0007\t\u200b\ufeff\u202e]/g,
        (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
      );
      const text = await shown.textContent();
      if (expected.length <= 40) assert.equal(text, expected);
      else {
        assert.equal(text, `${expected.slice(0, 39)}…`);
        assert.equal(await shown.getAttribute("title"), expected);
      }
      assert.equal(
        await shown.evaluate((element) => getComputedStyle(element).unicodeBidi),
        "isolate",
      );
    }
    await page
      .locator('#figure-loadings-map g[data-mark="cell"] rect')
      .first()
      .hover({ force: true });
    await page.locator(".numbers summary").first().click();
    await expectHarmless(opened);
    await opened.close();
  }
});

test("hostile texts of experiments are shown literally too", async () => {
  const text = JSON.stringify(reproduction).replaceAll(
    "SPCArt",
    "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>",
  );
  const opened = await browser.open(reportOf("hostile-claims", text));
  await expectHarmless(opened);
  assert.match(
    await opened.page.locator("#experiment-0 tbody").textContent(),
    /<\/script><script>window/,
  );
  await opened.close();
});

test("hostile texts of a certificate are shown literally too", async () => {
  const bounds = hostile.map((text) => ({ components: text, bound: 0.75, by: text }));
  const found = { ...withNames(), certificate: certificateOf({ bounds, text: hostile }) };
  for (const width of [1400, 390]) {
    const opened = await browser.open(reportOf("hostile-certificate", found), { width });
    const { page } = opened;
    await expectHarmless(opened);
    assert.equal(await page.locator("#certificate li").first().textContent(), hostile[0]);
    await page.locator('#figure-certificate g[data-mark="bar"] rect').last().hover({ force: true });
    await page.locator("#figure-certificate summary").click();
    await expectHarmless(opened);
    await opened.close();
  }
});

test("a certificate with absurd numbers is drawn within its figure", async () => {
  for (const more of [
    { cpev: 5, cpev_pca: -3 },
    { cpev: 0, cpev_pca: 0, bounds: [{ components: "any", bound: 0, by: "pca" }] },
    { cpev: 1, cpev_pca: 1, bounds: [{ components: "any", bound: 1e300, by: "soft" }] },
    { bounds: [{ components: "any", bound: -1e300, by: "soft" }] },
  ]) {
    const document = { ...good(), certificate: certificateOf(more) };
    const opened = await browser.open(reportOf("absurd", document), { width: 390 });
    await expectHarmless(opened);
    const outside = await opened.page.locator("#figure-certificate svg rect").evaluateAll(
      (all) =>
        all.filter((rect) => {
          const [x, width] = ["x", "width"].map((name) => Number(rect.getAttribute(name)));
          return !(x >= 0 && width >= 0 && x + width <= 390);
        }).length,
    );
    assert.equal(outside, 0, JSON.stringify(more));
    await opened.close();
  }
});

test("the bounds of a path may be absurd, or missing at some points", async () => {
  const document = JSON.parse(
    spcart("path", "@pitprops", "-r", "3", "--points", "8", "--json", "-"),
  );
  const bounds = [1e300, null, -5, 0.1, undefined, 0.5];
  document.points.forEach((point, k) => (point.bound = bounds[k % bounds.length]));
  const opened = await browser.open(reportOf("absurd-path", document));
  await expectHarmless(opened);
  assert.equal(await number(opened.page, '#figure-path-share g[data-mark="area"] path'), 1);
  await opened.close();
});

test("the policy of the page forbids any other script", async () => {
  const { page, close } = await browser.open(reportOf("policy", withNames()));
  const blocked = await page.evaluate(
    () =>
      new Promise((resolve) => {
        document.addEventListener("securitypolicyviolation", (event) =>
          resolve(event.effectiveDirective),
        );
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1";
        document.body.append(script);
        setTimeout(() => resolve("nothing"), 2000);
      }),
  );
  assert.match(blocked, /^script-src/);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await close();
});

const good = () => fitOf(["a", "b"], [[[0, 1]]]);
const wrong = [
  ["not JSON", "{", /it is not JSON/],
  ["another JSON", '{"a": 1}', /not what spcart writes/],
  ["a list", "[1, 2]", /not what spcart writes/],
  ["null", "null", /not what spcart writes/],
  [
    "another major version",
    JSON.stringify({ ...good(), spcart: "7.1.0" }),
    /written by spcart 7\.1\.0, and this page is of spcart 0\./,
  ],
  [
    "an unknown kind",
    JSON.stringify({ spcart: "0.1.0", kind: "dance" }),
    /not of a kind that this page shows/,
  ],
  [
    "a missing field",
    JSON.stringify({ ...good(), criteria: undefined }),
    /"criteria" is not an object/,
  ],
  [
    "a name that is a number",
    JSON.stringify({ ...good(), names: ["a", 3] }),
    /"names\[1\]" is not a text/,
  ],
  ["too few names", JSON.stringify({ ...good(), names: ["a"] }), /"names" must have 2 entries/],
  [
    "an index beyond the variables",
    JSON.stringify(good()).replace('"index":[0]', '"index":[9]'),
    /"loadings\[0\]" has an index beyond/,
  ],
  [
    "as many values as no index",
    JSON.stringify(good()).replace('"index":[0]', '"index":[0,1]'),
    /does not have as many values/,
  ],
  [
    "a certificate without bounds",
    JSON.stringify({ ...good(), certificate: certificateOf({ bounds: [] }) }),
    /"certificate\.bounds" is empty/,
  ],
  [
    "a certificate that is incomplete",
    JSON.stringify({ ...good(), certificate: { bound: 0.5 } }),
    /"certificate\.nonzeros" is not a list/,
  ],
  [
    "a proof that is none",
    JSON.stringify({ ...good(), proofs: ["trust me"] }),
    /"proofs\[0\]" is not an object/,
  ],
  [
    "a number that is none",
    JSON.stringify(good()).replace('"cpev":0.7', '"cpev":"much"'),
    /"criteria\.cpev" is not a number/,
  ],
];

test("a document that is wrong is explained, and the page still works", async () => {
  for (const [name, text, words] of wrong) {
    const { page, seen, close } = await browser.open(reportOf("wrong", text));
    const message = await page.locator(".message p").innerText();
    assert.match(message, words, name);
    assert.match(message, /^The result in this page cannot be shown: /);
    assert.ok(await page.getByRole("button", { name: "Choose a file" }).isVisible());
    assert.deepEqual(seen.problems, [], name);
    await close();
  }
});

test("damaged data within the page is explained", async () => {
  for (const data of ["!!!!", "AAAA", gzipSync("{}").toString("base64").slice(0, 12)]) {
    const { readFileSync } = await import("node:fs");
    const text = readFileSync(emptyPage(), "utf8").replace('id="result">', `id="result">${data}`);
    const { page, close } = await browser.open(write("damaged.html", text));
    assert.match(await page.locator(".message p").innerText(), /damaged/);
    await close();
  }
});

test("the empty page offers to open a result, by choice or by dropping it", async () => {
  const { page, seen, left, close } = await browser.open(emptyPage());
  assert.equal(await page.locator("h1").innerText(), "Open a result");
  const input = page.locator('input[type="file"]');
  await input.setInputFiles(write("bad.json", "nonsense"));
  assert.match(
    await page.locator(".message p").innerText(),
    /“bad\.json” cannot be shown: it is not JSON/,
  );
  await input.setInputFiles(write("good.json", JSON.stringify(good())));
  await page.getByText("1 component of 1 variable each keeps").waitFor();
  assert.equal(await page.locator(".message").innerText(), "");
  await input.setInputFiles({
    name: "claims.json.gz",
    mimeType: "application/gzip",
    buffer: gzipSync(JSON.stringify(reproduction)),
  });
  await page.getByText("2 of 3 claims of the paper hold").waitFor();
  await page.evaluate((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "dropped.json"));
    window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, cancelable: true }));
  }, JSON.stringify(good()));
  await page.getByText("1 component of 1 variable each keeps").waitFor();
  assert.deepEqual(seen.problems, []);
  assert.deepEqual(left(), []);
  await close();
});
