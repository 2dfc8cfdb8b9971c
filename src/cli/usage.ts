import { GLOBAL_OPTIONS, type Command, type Options } from "./command.js";

/** Width of the column of options in help. */
const OPTION_WIDTH = 28;
const LINE_WIDTH = 100;

/** What `quorate --help` prints. */
export function usageOfAll(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const list = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    "Usage: quorate [OPTIONS] COMMAND ...",
    "",
    "Locks on a quorum of independent Redis masters.",
    "",
    "Commands:",
    ...list,
    "",
    "Options of every command:",
    ...optionLines(GLOBAL_OPTIONS),
    "",
    "`quorate COMMAND --help` explains one. Durations: 250ms, 10s, 2m, 1h; a bare number is seconds.",
    "",
    "  export QUORATE_NODES=redis://a:6379,redis://b:6379,redis://c:6379",
    "  quorate exec migrate -- ./migrate.sh",
  ].join("\n");
}

/** What `quorate COMMAND --help` prints. */
export function usageOf({ name, summary, synopsis, options, notes, examples }: Command): string {
  const own = optionLines(options);
  return [
    `Usage: quorate ${name} ${synopsis}`.trimEnd(),
    "",
    `${summary}.`,
    ...(own.length > 0 ? ["", "Options:", ...own] : []),
    "",
    "Options of every command:",
    ...optionLines(GLOBAL_OPTIONS),
    ...(notes === undefined ? [] : ["", ...notes.trim().split("\n")]),
    "",
    examples.length === 1 ? "Example:" : "Examples:",
    ...examples.map((example) => `  ${example}`),
  ].join("\n");
}

function optionLines(options: Options): readonly string[] {
  return Object.entries(options).flatMap(([name, { short, value, help }]) => {
    const head = `  ${short === undefined ? "    " : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
    const lines = wrapped(help, LINE_WIDTH - OPTION_WIDTH - 2);
    const pad = " ".repeat(OPTION_WIDTH + 2);
    if (head.length <= OPTION_WIDTH) {
      const [first = "", ...more] = lines;
      return [`${head.padEnd(OPTION_WIDTH)}  ${first}`, ...more.map((line) => pad + line)];
    }
    return [head, ...lines.map((line) => pad + line)];
  });
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
