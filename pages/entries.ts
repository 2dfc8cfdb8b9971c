import { isListedError } from "./errors.js";
import { code, read, tableOf } from "./source.js";

/** Where each entry is explained. */
const PAGES: Readonly<Record<string, string>> = {
  quorate: "[getting started](../start/getting-started.md)",
  "quorate/fencing": "[fencing](../explain/fencing.md)",
  "quorate/testing": "[real servers](../how-to/testing.md#real-servers)",
  "quorate/memory": "[nodes in memory](../how-to/testing.md#nodes-in-memory)",
  "quorate/redlock": "[coming from redlock](../how-to/migrating-from-redlock.md)",
  "quorate/cron": "[scheduled jobs](../how-to/cron.md)",
  "quorate/nestjs": "[NestJS](../how-to/nestjs.md)",
  "quorate/fastify": "[Fastify](../how-to/fastify.md)",
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
    const errors = all.filter(isListedError);
    const values = all.filter((each) => !errors.includes(each)).map(code);
    const thrown =
      errors.length === 0 ? "" : `. [Errors](errors.md): ${errors.map(code).join(", ")}`;
    return [[`${code(name)}: ${PAGES[name] ?? ""}`, `${values.join(", ")}${thrown}`]];
  });
  return { entries: tableOf(["entry", "exports"], rows) };
}

/** Of a module: what it exports of others, then what it declares. Without types, which editors show. */
function exportsOf(file: string): string[] {
  const source = read(file);
  const lists = [...source.matchAll(/^export \{([^}]*)\} from "[^"]+";/gm)];
  const listed = lists.flatMap(([, names = ""]) =>
    [...names.matchAll(/(type )?\b(\w+)(?: as (\w+))?/g)].flatMap(
      ([, isType, name = "", alias = name]) => (isType === undefined ? [alias] : []),
    ),
  );
  const declared = [...source.matchAll(/^export (?:async )?(?:class|function|const) (\w+)/gm)];
  return [...listed, ...declared.map(([, name = ""]) => name)];
}
