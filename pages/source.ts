import { readFileSync } from "node:fs";

/** What the comment of a declaration says. */
export interface Comment {
  readonly name: string;
  /** Its first paragraph in one line, as Markdown. */
  readonly meaning: string;
  /** What follows `@defaultValue`; empty if there is none. */
  readonly byDefault: string;
}

/** A comment, and the name of what it is about: a property, a member of a union of texts, or an export. */
const COMMENTED =
  /\/\*\*((?:(?!\*\/)[^])*)\*\/\s+(?:\/\/ .*\s+)?(?:\| "(?<text>\w+)"|(?:(?:export|default|abstract|async|declare|override|readonly|get|class|function|const|interface|type) )*(?<name>\w+))/g;

/** All comments of a source file, in its order. */
export function commentsIn(source: string): Comment[] {
  return [...source.matchAll(COMMENTED)].map(({ 1: comment = "", groups = {} }) => {
    const text = comment.replaceAll(/^ *\* ?/gm, "").trim();
    const [words = "", byDefault = ""] = text.split(/\s*@defaultValue /);
    const [first = ""] = words.split(/\n *\n|^ *@/m);
    return {
      name: groups["name"] ?? groups["text"] ?? "",
      meaning: inOneLine(first),
      byDefault: inOneLine(byDefault),
    };
  });
}

/** Source of a class or an interface, with the comment before it; undefined if the file has none of that name. */
export function declarationIn(source: string, name: string): string | undefined {
  const head = new RegExp(
    `(?:/\\*\\*(?:(?!\\*/)[^])*\\*/\\s+)?export (?:abstract )?(?:class|interface|type) ${name}\\b`,
  );
  const { index, 0: found = "" } = head.exec(source) ?? {};
  if (index === undefined) return undefined;
  const end = source.slice(index + found.length).search(/^\}|;$\n\n/m);
  return source.slice(index, index + found.length + end);
}

/** A file of the repository, from whose root this runs. */
export function read(file: string): string {
  return readFileSync(file, "utf8");
}

/** A table of Markdown. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** As code, also in a table, and of text that has code in it. */
export function code(text: string): string {
  const [fence, space] = text.includes("`") ? ["``", " "] : ["`", ""];
  return `${fence}${space}${text.replaceAll("|", String.raw`\|`)}${space}${fence}`;
}

/** A cell of a table: with names for links, and a list as a sentence. */
function inOneLine(text: string): string {
  return text
    .replace(/^- /, "")
    .replaceAll(/\n- /g, "; ")
    .replaceAll(/\{@link ([^}]+)\}/g, "`$1`")
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", String.raw`\|`)
    .trim();
}
