import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Folders of the generated pages, in the order of the menu. */
const KINDS = ["classes", "functions", "interfaces", "type-aliases", "variables"];

/** The sidebar of the API reference: a group per entry point, which lists its exports by kind. */
export function apiMenu(dir) {
  return [
    { text: "Guides", items: [{ text: "The manual", path: "docs/README.html" }] },
    ...entriesIn(dir),
  ];
}

function entriesIn(dir) {
  const root = join(dir, "quorate");
  const entries = foldersOf(root).filter((name) => !KINDS.includes(name));
  return [
    group("quorate", root, "api/quorate/"),
    ...entries.map((entry) => {
      return group(`quorate/${entry}`, join(root, entry), `api/quorate/${entry}/`);
    }),
  ];
}

function group(text, dir, path) {
  const kinds = KINDS.filter((kind) => existsSync(join(dir, kind)));
  const items = kinds.flatMap((kind) =>
    readdirSync(join(dir, kind))
      .filter((file) => file.endsWith(".md"))
      .map((file) => file.replace(/\.md$/, ""))
      .map((name) => ({ text: name, path: `${path}${kind}/${name}.html` })),
  );
  return { text, items: [{ text: "All of it", path: `${path}index.html` }, ...items] };
}

function foldersOf(dir) {
  const entries = readdirSync(dir, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
