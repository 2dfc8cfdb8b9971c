import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PageData } from "./page-data.js";

/** The page's scripts, each after the scripts it uses. */
const SCRIPTS = [
  ...["svg", "scale", "lanes", "paint", "plots", "find", "tooltip"],
  ...["header", "legend", "promises", "gestures", "main"],
];

/** One self-contained HTML file: it can be mailed, or kept as a build artifact. */
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

/** For linters and readers the scripts are modules; in the page they are a single script. */
function withoutModules(source: string): string {
  return source
    .replaceAll(/^import\s[\s\S]*?;\n/gm, "")
    .replaceAll(/^export (?=const|function|class)/gm, "");
}

/** Nothing in the data may close the element that contains it. */
function inScript(json: string): string {
  return json.replaceAll("<", String.raw`\u003c`);
}

/** The checkout, wherever inside it this file was compiled to: the page's parts are not compiled. */
function projectRoot(): string {
  let dir = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(dir, "package-lock.json"))) {
    if (dirname(dir) === dir) throw new Error("not inside the project");
    dir = dirname(dir);
  }
  return dir;
}
