import { posix } from "node:path";

/**
 * A page of the site. All links are relative, and the scripts are no modules: the site works below any path, and from
 * a disk.
 *
 * @param page path of the page on the site, such as `docs/start/getting-started.html`
 * @param groups of the menu: titles, and items with text and the path of a page
 */
export function layout({ page, title, html, sections, groups, description, icon }) {
  const to = (path) => posix.relative(posix.dirname(page), path) || posix.basename(path);
  const isHome = page === "index.html";
  const outline = sections.filter(({ level }) => level === 2 || level === 3);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${isHome ? "Quorate: a distributed lock for Node.js" : `${escaped(title)} | Quorate`}</title>
<meta name="description" content="${escaped(description)}">
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<link rel="alternate" type="text/markdown" href="${to(page.replace(/\.html$/, ".md"))}">
<link rel="stylesheet" href="${to("site.css")}">
<script src="${to("theme.js")}"></script>
</head>
<body${isHome ? ' class="home"' : ""} data-root="${to("index.html").replace(/index\.html$/, "")}">
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="${to("index.html")}">Quorate</a>
<nav aria-label="Site">
<a href="${to("docs/start/twenty-minutes.html")}">Start</a>
<a href="${to("docs/README.html")}">Manual</a>
<a href="${to("playground.html")}">Playground</a>
<a href="${to("api/quorate/index.html")}">API</a>
</nav>
<form role="search" class="search">
<input type="search" aria-label="Search" placeholder="Search ( / )" autocomplete="off" aria-controls="found">
<ul id="found" aria-label="Found" hidden></ul>
</form>
<button class="theme" type="button" aria-label="Dark or light"></button>
</header>
<div class="columns">
${isHome ? "" : `<details class="menu"><summary>Menu</summary>\n${menuOf(groups, page, to)}</details>`}
<main id="content">
${html}
<footer><p>${isHome ? "" : `<a href="${to(page.replace(/\.html$/, ".md"))}">This page as Markdown</a> · `}<a href="${to("llms.txt")}">llms.txt</a></p></footer>
</main>
${isHome || outline.length < 3 ? "" : outlineOf(outline)}
</div>
<script src="${to("search.js")}"></script>
</body>
</html>
`;
}

/** A page that is made elsewhere as one file, with an icon and a way to the site. */
export function ofSite(html, icon) {
  const link = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">`;
  const way = `<nav aria-label="Site"><a href="index.html" style="color: inherit">Quorate</a></nav>`;
  return html
    .replace("</title>", `</title>\n${html.includes('rel="icon"') ? "" : link}`)
    .replace("<body>", `<body>\n${way}`);
}

function menuOf(groups, page, to) {
  const items = (list) => `<ul>\n${list.map(item).join("\n")}\n</ul>`;
  const item = ({ text, path, items: below }) => {
    const here = path === page ? ' aria-current="page"' : "";
    const link = `<a href="${to(path)}"${here}>${escaped(text)}</a>`;
    return `<li>${link}${below === undefined ? "" : items(below)}</li>`;
  };
  const all = groups.map(({ text, items: list }) => `<h2>${escaped(text)}</h2>\n${items(list)}`);
  return `<nav aria-label="Pages">\n${all.join("\n")}\n</nav>\n`;
}

function outlineOf(sections) {
  const links = sections.map(
    ({ id, heading, level }) =>
      `<li class="level-${level}"><a href="#${id}">${escaped(heading)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2>\n<ul>\n${links.join("\n")}\n</ul></nav>`;
}

export function escaped(text) {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
