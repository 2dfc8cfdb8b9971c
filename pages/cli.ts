import { GLOBAL_OPTIONS, type Command, type Option, type Options } from "../src/cli/command.js";
import { COMMANDS } from "../src/cli/commands.js";
import { elect } from "../src/cli/elect.js";
import { exec } from "../src/cli/exec/exec.js";
import { EXIT } from "../src/cli/exit-codes.js";
import { code, commentsIn, read, tableOf } from "./source.js";

/** Pages and sections that say more about an option. */
const PAGES: Readonly<Record<string, string>> = {
  shared: "[shared locks](../how-to/shared-locks.md)",
  permits: "[semaphores](../how-to/semaphores.md)",
  owner: "[owners](../how-to/owners.md)",
  "max-ttl": "[maxTtlMs](../operate/restarts.md#changing-maxttlms)",
  "stop-timeout": "[being told to end](#when-quorate-is-told-to-end)",
  "min-hold": "[schedules](../how-to/lock-delay.md)",
  "nodes-changed": "[other nodes](#other-nodes)",
  "pass-nodes": "[the environment](#the-commands-environment)",
};

const HEAD = ["option", "default", "meaning"];

/** They have tables of their own. */
const LOCKING: readonly string[] = [exec.name, elect.name];

/** The tables of the command line, from the tables that it parses by. */
export function cliTables(): Record<string, string> {
  const commands = COMMANDS.map((command) => [
    `[\`${command.name}\`](#${command.name})`,
    command.summary,
    LOCKING.includes(command.name) ? `[below](#${command.name})` : optionsInCell(command),
    code(command.examples[0] ?? ""),
  ]);
  return {
    cli: tableOf(["command", "what it does", "options", "example"], commands),
    "cli:all": optionTable(without(GLOBAL_OPTIONS, "help", "version")),
    "cli:exit": tableOf(["code", "when"], exitRows()),
    "cli:exec": optionTable(exec.options),
    "cli:elect": ownOptionsOf(elect),
  };
}

/** In a cell. */
function optionsInCell({ options }: Command): string {
  return rowsOf(options)
    .map(
      ([form, byDefault, meaning]) =>
        `${form}${byDefault === "" ? "" : ` (${byDefault})`}: ${meaning}`,
    )
    .join("<br>");
}

/** What it shares with `exec` is said there. */
function ownOptionsOf({ options }: Command): string {
  const isOfExec = ([option]: readonly [string, unknown]): boolean => option in exec.options;
  const all = Object.entries(options);
  const shared = all.filter(isOfExec).map(([option]) => `\`--${option}\``);
  const own = Object.fromEntries(all.filter((entry) => !isOfExec(entry)));
  return `${optionTable(own)}\n\nAnd of [\`exec\`](#exec): ${shared.join(", ")}.`;
}

/** Those that every program has need no row. */
function without(options: Options, ...names: readonly string[]): Options {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
}

function optionTable(options: Options): string {
  return tableOf(HEAD, rowsOf(options));
}

function rowsOf(options: Options): string[][] {
  return Object.entries(options).map(([name, option]) => {
    const [, meaning = "", byDefault = ""] = /^(.*?)(?: \[(.+)\])?$/s.exec(option.help) ?? [];
    const page = PAGES[name];
    return [
      formOf(name, option),
      byDefault.replaceAll(/\bQUORATE_\w+|\.\/[\w.]+|--[\w-]+/g, (text) => code(text)),
      page === undefined ? meaning : `${meaning}. See ${page}`,
    ];
  });
}

function formOf(name: string, { short, value }: Option<unknown>): string {
  const long = code(value === undefined ? `--${name}` : `--${name} ${value}`);
  return short === undefined ? long : `\`-${short}\`, ${long}`;
}

function exitRows(): string[][] {
  const comments = commentsIn(read("src/cli/exit-codes.ts"));
  return Object.entries(EXIT).map(([name, value]) => {
    const comment = comments.find((each) => each.name === name);
    if (comment === undefined) throw new Error(`the exit code ${name} has no comment`);
    return [String(value), comment.meaning.replace(/\.$/, "")];
  });
}
