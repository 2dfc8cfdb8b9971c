// Writes the site from the staged Markdown: a page and its Markdown twin for each, search, llms.txt.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { apiMenu } from "./api-menu.mjs";
import { layout, ofSite } from "./layout.mjs";
import { rendered } from "./markdown.mjs";
import { MENU } from "./menu.mjs";
import { sitePathOf } from "./pages.mjs";

const here = import.meta.dirname;

/**
 * @param root of the repository
 * @param staged folder of the Markdown, see stage.mjs; with API pages in `api`, or without
 * @param playground the page, as text
 * @returns how many pages there are
 */
export function buildSite(root, staged, playground, out) {
  const { description } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const icon = readFileSync(join(here, "icon.svg"), "utf8").trim();
  rmSync(out, { recursive: true, force: true });
  cpSync(staged, out, { recursive: true });
  cpSync(join(here, "browser"), out, { recursive: true });
  writeFileSync(join(out, "playground.html"), ofSite(playground, icon));
  const report = join(root, "chaos", "results", "latest.html");
  if (existsSync(report)) {
    writeFileSync(join(out, "campaign.html"), ofSite(readFileSync(report, "utf8"), icon));
  }
  const hasApi = existsSync(join(staged, "api"));
  const guides = menu(hasApi);
  const api = hasApi ? apiMenu(join(staged, "api")) : [];
  const index = [];
  const files = readdirSync(staged, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  for (const file of files.map((name) => name.replaceAll("\\", "/"))) {
    const { title, sections, html } = rendered(readFileSync(join(staged, file), "utf8"));
    const page = file.replace(/\.md$/, ".html");
    const groups = page.startsWith("api/") ? api : guides;
    const text = layout({ page, title, html, sections, groups, description, icon });
    mkdirSync(dirname(join(out, page)), { recursive: true });
    writeFileSync(join(out, page), text);
    // Source files and the API are found by their names.
    const isGuide = guides.some(({ items }) => isIn(items, page));
    index.push(...sections.map((section) => entryOf(page, title, section, isGuide)));
  }
  writeFileSync(join(out, "search-index.js"), `window.INDEX=${JSON.stringify(index)};\n`);
  writeFileSync(join(out, "llms.txt"), llmsText(guides, staged, description));
  return files.length;
}

/** `[page, title, anchor, heading, text]` */
function entryOf(page, title, { id, heading, text }, isGuide) {
  return [page, title, id, heading, isGuide ? text.replaceAll(/\s+/g, " ").trim() : ""];
}

function isIn(items, page) {
  return items.some(({ path, items: below }) => path === page || isIn(below ?? [], page));
}

/** The menu with paths on the site, without what was not built. */
function menu(hasApi) {
  const item = ({ text, link, items }) => {
    const path = link.startsWith("/")
      ? link.slice(1).replace(/^api\/$/, "api/quorate/index.html")
      : sitePathOf(link).replace(/\.md$/, ".html");
    return { text, path, ...(items === undefined ? {} : { items: items.map(item) }) };
  };
  return MENU.map(({ text, items }) => ({
    text,
    items: items.filter(({ link }) => hasApi || link !== "/api/").map(item),
  }));
}

/** https://llmstxt.org: what there is, with a link to the Markdown of each page. */
function llmsText(guides, staged, description) {
  const line = ({ text, path }) => {
    const file = path.replace(/\.html$/, ".md");
    if (!existsSync(join(staged, file))) return `- [${text}](${path})`;
    const { sections } = rendered(readFileSync(join(staged, file), "utf8"));
    const [first = ""] = (sections[0]?.text.trim() ?? "").split(/(?<=[.:]) /);
    return `- [${text}](${file}): ${first}`.replace(/: $/, "");
  };
  const flat = (items) => items.flatMap((item) => [item, ...flat(item.items ?? [])]);
  const parts = guides.map(
    ({ text, items }) => `## ${text}\n\n${flat(items).map(line).join("\n")}`,
  );
  return `# Quorate\n\n> ${description}\n\n${parts.join("\n\n")}\n`;
}
