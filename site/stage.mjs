// Prepares the input of VitePress, in site/.pages.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { pagesOf, relinked, sitePathOf } from "./pages.mjs";

/** Copies the pages, the source files that they link to, and the plots. */
export function stage(root, out) {
  rmSync(out, { recursive: true, force: true });
  const linked = new Set();
  for (const page of pagesOf(root)) {
    const { text, files } = relinked(root, page, readFileSync(join(root, page), "utf8"));
    for (const file of files) linked.add(file);
    write(join(out, sitePathOf(page)), text);
  }
  for (const file of linked) {
    const to = join(out, sitePathOf(file));
    if (!to.endsWith(".md")) {
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(join(root, file), to);
    } else write(to, sourcePage(file, readFileSync(join(root, file), "utf8")));
  }
}

function sourcePage(file, source) {
  const code = source.replaceAll(/"(?:\.\.\/)+src\/(?:(.+)\/)?index\.js"/g, (_, entry) => {
    return entry === undefined ? '"quorate"' : `"quorate/${entry}"`;
  });
  const language = extname(file).slice(1) || "text";
  return `# ${basename(file)}\n\n\`${file}\`\n\n\`\`\`\`${language}\n${code.trimEnd()}\n\`\`\`\`\n`;
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
