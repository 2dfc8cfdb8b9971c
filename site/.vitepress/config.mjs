import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { apiMenu } from "../api-menu.mjs";
import { MENU } from "../menu.mjs";
import { anchorOf, sitePathOf } from "../pages.mjs";

const site = join(import.meta.dirname, "..");
const { description, repository } = JSON.parse(
  readFileSync(join(site, "..", "package.json"), "utf8"),
);
/** The site does not link to the repository until package.json has its address. */
const address = (repository?.url ?? repository)?.replace(/^git\+|\.git$/g, "");

/** A menu entry in the format of VitePress. Its router must not treat links to other files as pages. */
function item({ text, link, items }) {
  const below = items === undefined ? {} : { items: items.map(item) };
  if (link.endsWith(".html")) return { text, link, ...below, target: "_self" };
  if (link.startsWith("/")) return { text, link, ...below };
  return { text, link: `/${sitePathOf(link).replace(/(?:index)?\.md$/, "")}`, ...below };
}

const report = existsSync(join(site, ".pages", "public", "campaign.html"))
  ? [{ text: "Report of a campaign", link: "/campaign.html" }]
  : [];

/** Three nodes, two of which have voted. */
const ICON = readFileSync(join(site, "icon.svg"), "utf8").trim();

export default defineConfig({
  title: "Quorate",
  description,
  lang: "en",
  head: [["link", { rel: "icon", href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  srcDir: ".pages",
  outDir: "dist",
  cacheDir: ".cache",
  base: process.env.QUORATE_SITE_BASE ?? "/",
  markdown: {
    anchor: { slugify: anchorOf },
    // GitHub treats braces after a code span as text.
    attrs: { disable: true },
  },
  // The search index is larger than that; it is loaded on the first search.
  vite: { build: { chunkSizeWarningLimit: 3_000 } },
  themeConfig: {
    nav: [
      { text: "Get started", link: "/docs/start/getting-started" },
      { text: "Is Redlock safe?", link: "/docs/explain/redlock-debate" },
      item({ text: "Playground", link: "/playground.html" }),
      { text: "API", link: "/api/" },
    ],
    sidebar: {
      "/api/": apiMenu(join(site, ".pages", "api")),
      "/": MENU.map(({ text, items }) => ({
        text,
        collapsed: false,
        items: [...items, ...(text === "Explain" ? report : [])].map(item),
      })),
    },
    outline: [2, 3],
    search: { provider: "local" },
    ...(address !== undefined && { socialLinks: [{ icon: "github", link: address }] }),
  },
});
