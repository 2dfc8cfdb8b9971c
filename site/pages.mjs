// The pages of the site: the repository's Markdown. Pages keep their path in the repository, and so does everything
// that they link to: a source file becomes a page that shows it, a plot stays a file.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/** Code, which contains no links. */
const CODE = /(^ *```[\s\S]*?^ *```|`[^`]*`)/gm;
/** In Markdown, and of a picture with several sources. */
const LINK = /(\]\(|(?:src|srcset)=")([^)"\s]+)([)"])/g;

/** The first page of the site, which is not in its menu: the name of the site leads there. */
export const HOME = "site/home/index.md";

/** What tells of the playground. Pages that invite readers to it open the playground itself on the site. */
const PLAYGROUND = "docs/internals/playground.md";
const INVITING = [HOME, "README.md"];

const PAGES = [HOME, "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
const PLOT = /\.svg$/;

/** All Markdown pages, as paths in the repository. */
export function pagesOf(root) {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  return [
    ...PAGES,
    ...docs,
    "examples/README.md",
    "bench/results/compare.md",
    "bench/results/latest.md",
  ];
}

/** The path on the site of a file of the repository. */
export function sitePathOf(path) {
  if (path === HOME) return "index.md";
  return path.endsWith(".md") || PLOT.test(path) ? path : `${path}.md`;
}

/**
 * A page as shown on the site, and the files of the repository that it links to, except pages.
 *
 * @param page path in the repository
 * @throws Error naming the page and the link, if there is no such file
 */
export function relinked(root, page, text) {
  const files = new Set();
  const here = posix.dirname(sitePathOf(page));
  const mapped = (target) => {
    if (/^(?:[a-z]+:|#)/.test(target)) return target;
    const [path, anchor] = target.split("#");
    const file = posix.join(posix.dirname(page), decodeURI(path));
    const isFile = existsSync(join(root, file)) && statSync(join(root, file)).isFile();
    // Folders cannot be shown.
    if (!isFile || file.startsWith("..")) throw new Error(`${page} links to ${target}: no file`);
    if (file === PLAYGROUND && INVITING.includes(page)) return "./playground.html";
    if (!file.endsWith(".md")) files.add(file);
    const to = posix.relative(here, sitePathOf(file));
    return (to.startsWith(".") ? to : `./${to}`) + (anchor === undefined ? "" : `#${anchor}`);
  };
  const parts = text.split(CODE).map((part, at) => {
    if (at % 2 === 1) return part;
    return part.replaceAll(LINK, (_, open, target, close) => open + mapped(target) + close);
  });
  return {
    text: parts.join(""),
    files: [...files].filter((file) => !pagesOf(root).includes(file)),
  };
}

/** GitHub's anchor of a heading, so that a link to it works in both places. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
