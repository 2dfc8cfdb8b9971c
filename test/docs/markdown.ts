import { readFileSync } from "node:fs";

/** A fenced block of code in a Markdown file. */
export interface Fence {
  readonly language: string;
  readonly code: string;
  /** Line of the file, from 1, on which the code begins. */
  readonly line: number;
  /** The example of which this is a part, as the line before says: `From [FILE](../../examples/FILE):`. */
  readonly from?: string | undefined;
}

const FROM = /^From \[[^\]]+\]\((?:\.\.\/)+(examples\/[^)]+)\).*:$/;

/** All fenced blocks, those in list items too, without the indentation of their fence. */
export function fencesOf(file: string): Fence[] {
  const fences: Fence[] = [];
  let open: (Omit<Fence, "code"> & { indent: number; lines: string[] }) | undefined;
  let from: string | undefined;
  readFileSync(file, "utf8")
    .split("\n")
    .forEach((text, index) => {
      const mark = /^( *)```(\w*)/.exec(text);
      if (open !== undefined && mark !== null) {
        const { lines, indent: _, ...fence } = open;
        fences.push({ ...fence, code: lines.join("\n") });
        open = from = undefined;
      } else if (open !== undefined) {
        open.lines.push(text.slice(open.indent));
      } else if (mark !== null) {
        const [, indent = "", language = ""] = mark;
        open = { language, indent: indent.length, line: index + 2, from, lines: [] };
      } else if (text !== "") from = FROM.exec(text)?.[1];
    });
  if (open !== undefined) throw new Error(`${file}:${open.line}: a fence without an end`);
  return fences;
}

/** Targets of all links outside of fences and code spans. */
export function linksOf(file: string): string[] {
  const prose = proseOf(file).replaceAll(/`[^`]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

/** Anchors that a heading of the file can be linked by. */
export function anchorsOf(file: string): string[] {
  const prose = proseOf(file);
  const named = [...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id);
  const headings = [...prose.matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return [...named, ...headings];
}

/** First cells of all tables below a heading, up to the next heading, without their backticks. */
export function tableKeysOf(file: string, heading: string): string[] {
  const section = proseOf(file)
    .split(/^#+ +/m)
    .find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${file} has no heading "${heading}"`);
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, key = ""]) => key);
}

function proseOf(file: string): string {
  return readFileSync(file, "utf8").replaceAll(/^( *)```[\s\S]*?^ *```/gm, "");
}
