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
/** Nothing on the site links there before package.json has it. */
const address = (repository?.url ?? repository)?.replace(/^git\+|\.git$/g, "");

/** A page of the menu, as VitePress wants it. What is no page must not be taken for one by its router. */
function item({ text, link, items }) {
  const below = items === undefined ? {} : { items: items.map(item) };
  if (link.endsWith(".html")) return { text, link, ...below, target: "_self" };
  if (link.startsWith("/")) return { text, link, ...below };
  return { text, link: `/${sitePathOf(link).replace(/(?:index)?\.md$/, "")}`, ...below };
}

const report = existsSync(join(site, ".pages", "public", "campaign.html"))
  ? [{ text: "Report of a campaign", link: "/campaign.html" }]
  : [];

export default defineConfig({
  title: "Quorate",
  description,
  lang: "en",
  srcDir: ".pages",
  outDir: "dist",
  cacheDir: ".cache",
  base: process.env.QUORATE_SITE_BASE ?? "/",
  markdown: {
    anchor: { slugify: anchorOf },
    // Braces after a code span are code to GitHub.
    attrs: { disable: true },
  },
  // The index of the search is larger, and loaded when somebody searches.
  vite: { build: { chunkSizeWarningLimit: 3_000 } },
  themeConfig: {
    nav: [
      { text: "Get started", link: "/docs/getting-started" },
      { text: "Is Redlock safe?", link: "/docs/redlock-debate" },
      item({ text: "Playground", link: "/playground.html" }),
      { text: "API", link: "/api/" },
    ],
    sidebar: {
      "/api/": apiMenu(join(site, ".pages", "api")),
      "/": MENU.map(({ text, items }) => ({
        text,
        collapsed: false,
        items: [...items, ...(text === "Proof" ? report : [])].map(item),
      })),
    },
    outline: [2, 3],
    search: { provider: "local" },
    ...(address !== undefined && { socialLinks: [{ icon: "github", link: address }] }),
  },
});
