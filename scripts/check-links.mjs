import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";

/**
 * Dead links between the pages of a built site: the file, or the element with that id, does not exist.
 *
 * @param dir the site; its links are relative
 * @returns each as `page: link`
 */
export function deadLinksIn(dir) {
  const names = readdirSync(dir, { recursive: true }).map((name) => name.replaceAll("\\", "/"));
  const pages = new Map(
    names
      .filter((name) => name.endsWith(".html"))
      .map((name) => [name, readFileSync(join(dir, name), "utf8")]),
  );
  return [...pages].flatMap(([page, html]) => {
    // Pages that create links by script have none here.
    const links = [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, link]) => link);
    const dead = links.filter((link) => !isGood(link.replaceAll("&amp;", "&"), page));
    return [...new Set(dead)].map((link) => `${page}: ${link}`);
  });

  function isGood(link, page) {
    if (/^(?:[a-z]+:|\/\/)/.test(link)) return true;
    const [path, anchor] = link.split("#");
    const file = path === "" ? page : fileOf(decodeURI(path.split("?")[0]), page);
    if (file === undefined) return false;
    return !anchor || idsOf(file).has(decodeURIComponent(anchor));
  }

  /** Undefined if there is no such file. */
  function fileOf(path, page) {
    if (path.startsWith("/")) return undefined;
    const file = posix.join(posix.dirname(page), path);
    const isFile = existsSync(join(dir, file)) && statSync(join(dir, file)).isFile();
    return isFile ? file : undefined;
  }

  function idsOf(file) {
    const html = pages.get(file) ?? "";
    return new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
  }
}
