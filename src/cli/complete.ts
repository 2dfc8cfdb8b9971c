import { GLOBAL_OPTIONS, type Command, type Option, type Options } from "./command.js";

/** The word that the scripts of `quorate completion` put before the words of a command line. */
export const COMPLETE = "__complete";

/** What the shell completes itself: a file, or the command whose first word is that one. */
const FILE = ":file";
const commandFrom = (at: number): string => `:command ${at}`;

/**
 * What can stand in the place of the last word of a command line.
 *
 * @param words after `quorate`; the last one is being typed, and may be empty
 * @returns lines: a word, a tab and what it means; or what the shell completes itself
 */
export function complete(words: readonly string[], commands: readonly Command[]): string[] {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const given = new Set<string>();
  const free: string[] = [];
  let known: Options = GLOBAL_OPTIONS;
  let command: Command | undefined;
  /** The option whose value comes next. */
  let open: Option<unknown> | undefined;
  for (const [at, word] of before.entries()) {
    // A word of its own in bash: `--tty = auto`.
    if (word === "=") continue;
    if (open !== undefined) {
      open = undefined;
    } else if (word === "--") {
      return command?.takesCommand === true ? [commandFrom(at + 1)] : [];
    } else if (word.startsWith("-")) {
      const name = nameOf(word, known);
      if (name === undefined) continue;
      given.add(name);
      if (!word.includes("=") && known[name]?.value !== undefined) open = known[name];
    } else {
      free.push(word);
      command ??= commands.find((each) => each.name === word);
      known = { ...GLOBAL_OPTIONS, ...command?.options };
    }
  }
  if (open !== undefined) return valuesOf(open);
  if (current.startsWith("--") && current.includes("=")) {
    const name = nameOf(current, known);
    const values = name === undefined ? [] : valuesOf(known[name]);
    return values.filter((value) => value !== FILE).map((value) => `--${name}=${value}`);
  }
  if (current.startsWith("-")) {
    return Object.entries(known)
      .filter(([name, { isRepeatable }]) => isRepeatable === true || !given.has(name))
      .map(([name, { help }]) => `--${name}\t${help}`);
  }
  if (free.length === 0) return commands.map(({ name, summary }) => `${name}\t${summary}`);
  return free.length === 1 ? [...(command?.words.choices ?? [])] : [];
}

function nameOf(word: string, known: Options): string | undefined {
  const spelling = word.split("=", 1)[0];
  return Object.keys(known).find(
    (name) => spelling === `--${name}` || spelling === `-${known[name]?.short}`,
  );
}

function valuesOf(option: Option<unknown> | undefined): string[] {
  if (option?.completes === "file") return [FILE];
  return [...(option?.completes ?? option?.choices ?? [])];
}
