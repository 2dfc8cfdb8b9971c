import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders of the generated pages and their titles, in the order of the menu. */
const KINDS = {
  classes: "Classes",
  functions: "Functions",
  interfaces: "Interfaces",
  "type-aliases": "Types",
  variables: "Constants",
};

/** The sidebar of the API reference: a group per entry point, which lists its exports by kind. */
export function apiMenu(dir) {
  return [{ text: "Back to the guides", link: "/" }, ...entriesIn(dir)];
}

function entriesIn(dir) {
  const root = join(dir, "quorate");
  const entries = foldersOf(root).filter((name) => !(name in KINDS));
  return [
    group("quorate", root, "/api/quorate/", false),
    ...entries.map((entry) => {
      return group(`quorate/${entry}`, join(root, entry), `/api/quorate/${entry}/`, true);
    }),
  ];
}

function group(text, dir, link, collapsed) {
  const kinds = Object.keys(KINDS).filter((kind) => existsSync(join(dir, kind)));
  const items = kinds.map((kind) => ({
    text: KINDS[kind],
    collapsed: false,
    items: readdirSync(join(dir, kind))
      .map((file) => file.replace(/\.md$/, ""))
      .map((name) => ({ text: name, link: `${link}${kind}/${name}` })),
  }));
  return { text, link, collapsed, items };
}

function foldersOf(dir) {
  const entries = readdirSync(dir, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
