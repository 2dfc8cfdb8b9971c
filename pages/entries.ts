import { posix } from "node:path";
import { isListedError } from "./errors.js";
import { code, commentsIn, read, tableOf } from "./source.js";

interface Exported {
  readonly name: string;
  /** First paragraph of its comment. */
  readonly meaning: string;
}

/** Where each entry is explained. */
const PAGES: Readonly<Record<string, string>> = {
  quorate: "[getting started](../start/getting-started.md)",
  "quorate/fencing": "[fencing](../explain/fencing.md)",
  "quorate/testing": "[real servers](../how-to/testing.md#real-servers)",
  "quorate/memory": "[nodes in memory](../how-to/testing.md#nodes-in-memory)",
  "quorate/redlock": "[coming from redlock](../how-to/migrating-from-redlock.md)",
  "quorate/cron": "[scheduled jobs](../how-to/services.md#scheduled-jobs)",
  "quorate/nestjs": "[NestJS](../how-to/services.md#nestjs)",
  "quorate/fastify": "[Fastify](../how-to/services.md#fastify)",
  "quorate/opentelemetry": "[OpenTelemetry](../operate/telemetry.md#opentelemetry)",
};

/** What the package exports, entry by entry. */
export function entryTables(): Record<string, string> {
  const { exports } = JSON.parse(read("package.json")) as {
    readonly exports: Readonly<Record<string, { readonly types?: string }>>;
  };
  const rows = Object.entries(exports).flatMap(([entry, { types: declarations }]) => {
    if (declarations === undefined) return [];
    const name = entry.replace(/^\./, "quorate");
    const file = declarations.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts");
    const all = exportsOf(file);
    const named = (some: readonly Exported[]): string =>
      some.map((each) => code(each.name)).join(", ");
    const errors = all.filter((each) => isListedError(each.name));
    const values = all.filter((each) => !errors.includes(each));
    const shown = [
      ...values.map((each) => [code(each.name), each.meaning.replace(/\.$/, "")]),
      ...(errors.length === 0 ? [] : [["errors", `${named(errors)}. See [errors](errors.md)`]]),
    ];
    return shown.map((row, at) => [at === 0 ? `${code(name)}: ${PAGES[name] ?? ""}` : "", ...row]);
  });
  return { entries: tableOf(["entry", "export", "what it is"], rows) };
}

/** Of a module: what it exports of others, then what it declares. Without types, which editors show. */
function exportsOf(file: string): Exported[] {
  const source = read(file);
  const lists = [...source.matchAll(/^export \{([^}]*)\} from "([^"]+)";/gm)];
  const listed = lists.flatMap(([, names = "", from = ""]) => {
    const module = posix.join(posix.dirname(file), from.replace(/\.js$/, ".ts"));
    return [...names.matchAll(/(type )?\b(\w+)(?: as (\w+))?/g)].flatMap(
      ([, isType, name = "", alias = name]) =>
        isType === undefined ? [{ name: alias, meaning: meaningIn(module, name) }] : [],
    );
  });
  const declared = [...source.matchAll(/^export (?:async )?(?:class|function|const) (\w+)/gm)];
  return [
    ...listed,
    ...declared.map(([, name = ""]) => ({ name, meaning: meaningIn(file, name) })),
  ];
}

function meaningIn(file: string, name: string): string {
  const found = commentsIn(read(file)).find((comment) => comment.name === name);
  if (found === undefined) throw new Error(`${name} in ${file} has no comment`);
  return found.meaning;
}
