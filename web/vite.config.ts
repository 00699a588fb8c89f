import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

/** The content security policy: the page may run its one script, by its hash, and nothing from data. */
function policy(script: string): string {
  const hash = createHash("sha256").update(script).digest("base64");
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'", // charts set inline styles
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Puts script and style into the page, which becomes the only file. */
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += String(file.source);
        else continue;
        delete bundle[name];
      }
      script = `\n${script.trim().replaceAll("</script", "<\\/script")}\n`;
      for (const file of Object.values(bundle)) {
        if (file.type !== "asset" || !file.fileName.endsWith(".html")) continue;
        file.fileName = "report.html";
        file.source = String(file.source)
          .replace(/\s*<script type="module"[^>]*><\/script>/, "")
          .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
          .replace("%POLICY%", () => policy(script))
          .replace("</head>", () => `  <style>\n${style.trim()}\n  </style>\n</head>`)
          .replace("</body>", () => `  <script type="module">${script}</script>\n</body>`);
      }
    },
  };
}

/** The version of spcart, of which the page is a part. */
function version(): string {
  const header = readFileSync(new URL("../include/spcart/version.hpp", import.meta.url), "utf8");
  const found = /kVersion = "([^"]+)"/.exec(header)?.[1];
  if (!found) throw new Error("include/spcart/version.hpp has no version");
  return found;
}

export default defineConfig({
  plugins: [oneFile()],
  define: { __SPCART_VERSION__: JSON.stringify(version()) },
  build: {
    outDir: "../build/web",
    emptyOutDir: false,
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1024,
    rollupOptions: { output: { inlineDynamicImports: true } },
  },
});
