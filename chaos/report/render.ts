import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PageData } from "./page-data.js";

/** The page's scripts, in the order in which one uses the other. */
const SCRIPTS = [
  ...["svg", "scale", "lanes", "paint", "plots", "find", "tooltip"],
  ...["header", "legend", "promises", "gestures", "main"],
];

/** One HTML file that needs nothing else: it can be mailed, or kept as what a build left behind. */
export function renderPage(data: PageData): string {
  const dir = join(projectRoot(), "chaos", "report", "page");
  const read = (file: string): string => readFileSync(join(dir, file), "utf8");
  const script = SCRIPTS.map((name) => withoutModules(read(`${name}.js`))).join("\n");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Campaign ${data.settings.seed}</title>
<style>
${read("page.css")}</style>
</head>
<body>
<header id="header"></header>
<main>
<section id="chart"></section>
<section id="violations"></section>
</main>
<div id="tooltip" hidden></div>
<script type="application/json" id="data">${inScript(JSON.stringify(data))}</script>
<script>
"use strict";
(() => {
${script}
})();
</script>
</body>
</html>
`;
}

/** The scripts are modules to a linter and a reader; in the page they are one. */
function withoutModules(source: string): string {
  return source
    .replaceAll(/^import\s[\s\S]*?;\n/gm, "")
    .replaceAll(/^export (?=const|function|class)/gm, "");
}

/** Nothing in the data may end the element that it stands in. */
function inScript(json: string): string {
  return json.replaceAll("<", String.raw`\u003c`);
}

/** The checkout, wherever this file was compiled to inside of it: the page's parts are not compiled. */
function projectRoot(): string {
  let dir = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(dir, "package-lock.json"))) {
    if (dirname(dir) === dir) throw new Error("not inside the project");
    dir = dirname(dir);
  }
  return dir;
}
