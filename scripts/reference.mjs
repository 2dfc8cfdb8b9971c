// npm run reference: writes the tables of options in docs/reference/api.md from the sources: places and order from
// src/options/table.ts, what they mean and their defaults from the comments in src/api/options.ts.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePackages } from "./ensure-packages.mjs";
import { parseArguments } from "./parse-arguments.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGE = join(root, "docs", "reference", "api.md");
const COMMENTS = join(root, "src", "api", "options.ts");
const TABLE = join(root, "src", "options", "table.ts");

const USAGE = `npm run reference

Writes the tables of options in docs/reference/api.md from src/options.`;

/** Pages that say more about an option. */
const PAGES = {
  waitMs: "[waiting](guarantees.md#liveness)",
  mode: "[shared locks](../how-to/shared-locks.md)",
  fair: "[waiting](../internals/protocol.md#waiting)",
  owner: "[owners](../how-to/owners.md)",
  reentrant: "[reentrancy](../how-to/reentrancy.md)",
  steal: "[stealing](../how-to/web-locks.md#stealing)",
  lockDelayMs: "[lock-delay](../how-to/lock-delay.md), [example](../../examples/lock-delay.ts)",
  minHoldMs: "[lock-delay](../how-to/lock-delay.md)",
  permits: "[semaphores](../how-to/semaphores.md)",
  onError: "[election](../how-to/election.md)",
  quarantine: "[restarts and quarantine](../operate/restarts.md#quarantine)",
  layout:
    "[Redisson](../how-to/redisson.md), [SETNX and GETSET locks](../how-to/timestamp-locks.md)",
  clockStepMs: "[clocks](../operate/clocks.md)",
};

/** Where an option may be given, in the words of the page. */
const CALLS = {
  acquire: "`acquire`",
  request: "`request`",
  elect: "`elect`",
  semaphore: "`semaphore`",
  permit: "permits",
  adopt: "`adopt`",
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  parseArguments(USAGE);
  ensurePackages();
  const { OPTIONS } = await load(TABLE);
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(PAGE, withOptions(page, readFileSync(COMMENTS, "utf8"), OPTIONS));
}

/**
 * The page with its tables of options updated.
 *
 * @param comments the module with the types of the options
 * @param options the table of the options
 * @throws Error for an option without a comment, and for a page without the marks of a table
 */
export function withOptions(page, comments, options) {
  const known = commentsOf(comments);
  const rowsOf = (isIn) =>
    Object.entries(options)
      .filter(([, row]) => isIn(row))
      .map(([name, row]) => ({ name, ...row, ...documented(known, name) }));
  const isOfManager = ({ places }) => places.join() === "manager";
  const tables = {
    everyday: tableOf(
      rowsOf(({ isEveryday }) => isEveryday),
      true,
    ),
    more: tableOf(
      rowsOf((row) => !row.isEveryday && !isOfManager(row)),
      true,
    ),
    manager: tableOf(
      rowsOf((row) => !row.isEveryday && isOfManager(row)),
      false,
    ),
  };
  return Object.entries(tables).reduce(filled, page);
}

function filled(page, [mark, table]) {
  const [begin, end] = [`<!-- options:${mark} -->`, `<!-- /options:${mark} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`the page has no marks ${begin} and ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
}

function tableOf(rows, hasPlaces) {
  const cells = rows.map(({ name, places, byDefault, meaning }) => [
    `\`${name}\``,
    ...(hasPlaces ? [whereOf(places)] : []),
    byDefault,
    name in PAGES ? `${meaning} See ${PAGES[name]}` : meaning.replace(/\.$/, ""),
  ]);
  const head = ["option", ...(hasPlaces ? ["where"] : []), "default", "meaning"];
  return [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function whereOf(places) {
  const calls = places.filter((place) => place !== "manager");
  const all = Object.keys(CALLS);
  const named =
    all.length === calls.length ? "all calls" : calls.map((call) => CALLS[call]).join(", ");
  return [...(places.includes("manager") ? ["manager"] : []), named].filter(Boolean).join(", ");
}

function documented(known, name) {
  const comment = known.get(name);
  if (comment === undefined) throw new Error(`\`${name}\` has no comment in ${COMMENTS}`);
  return comment;
}

/** The comments of all properties by name: the first paragraph, and the default. The first one of a name counts. */
function commentsOf(source) {
  const all = new Map();
  for (const [, comment, name] of source.matchAll(
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s+readonly (\w+)\??:/g,
  )) {
    if (all.has(name)) continue;
    const text = comment.replaceAll(/^ *\* ?/gm, "").trim();
    const [words, byDefault = ""] = text.split(/\s*@defaultValue /);
    const [first] = words.split(/\n *\n/);
    all.set(name, { meaning: plain(first), byDefault: asCode(plain(byDefault)) });
  }
  return all;
}

/** In one line, and with names for links. */
function plain(text) {
  return text
    .replaceAll(/\{@link ([^}]+)\}/g, "`$1`")
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", String.raw`\|`)
    .trim();
}

/** A literal at the beginning is code. */
function asCode(text) {
  return text.replace(/^(?:[\d_.]+|"[^"]*"|true|false|Infinity)(?=$|[ ,;])/, "`$&`");
}

async function load(path) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    ...{ entryPoints: [path], bundle: true, platform: "node", format: "esm", write: false },
  });
  const [{ contents }] = outputFiles;
  return import(`data:text/javascript;base64,${Buffer.from(contents).toString("base64")}`);
}
