import { parseArgs } from "node:util";
import { GLOBAL_OPTIONS, type Command, type Options, type Values } from "./command.js";
import { UsageError } from "./exit-codes.js";
import { similar } from "../runtime/validate.js";

/** A parsed command line, checked against the table of its command. */
export interface Parsed {
  readonly words: readonly string[];
  /** The words after `--`. */
  readonly rest: readonly string[] | undefined;
  readonly values: Values<Options>;
  readonly globals: Values<typeof GLOBAL_OPTIONS>;
}

/** The values of each option, in the order given. */
type Given = Map<string, string[]>;

/**
 * The command: the first word that is not an option and not the value of a global one.
 *
 * @throws UsageError naming the known command that was probably meant
 */
export function findCommand(
  args: readonly string[],
  commands: readonly Command[],
): Command | undefined {
  const name = firstWord(args);
  const command = commands.find((each) => each.name === name);
  if (name === undefined || command !== undefined) return command;
  const names = commands.map((each) => each.name);
  throw new UsageError(`unknown command ${JSON.stringify(name)}${hint(name, names)}`);
}

/** @throws UsageError naming the option and the value, or the known option that was probably meant */
export function parseCommandLine(args: readonly string[], command: Command | undefined): Parsed {
  const known: Options = { ...command?.options, ...GLOBAL_OPTIONS };
  const { given, words, rest } = taken(args, known);
  // Of a command that runs none, names: they may begin with a hyphen.
  const isOfWords = command?.takesCommand !== true && (command?.words.max ?? 0) > 0;
  return {
    words: [...words.slice(1), ...((isOfWords && rest) || [])],
    rest: isOfWords ? undefined : rest,
    values: read(given, command?.options ?? {}),
    globals: read(given, GLOBAL_OPTIONS),
  };
}

/** May have a password, which no message shows. */
const NODE_URL = /^(?:redis|valkey)s?:\/\//;

/** @throws UsageError if there are more or fewer words than the command takes */
export function checkWords(command: Command, { words, rest }: Parsed): void {
  const { min, max, title, choices } = command.words;
  if (words.length < min) throw new UsageError(`${command.name} needs ${title}`);
  if (words.length > max) {
    const takes = max === 0 ? "takes only options" : `takes only ${title}`;
    const also = words.some((word) => NODE_URL.test(word))
      ? ": nodes are given by --nodes"
      : `, also got ${JSON.stringify(words[max])}`;
    throw new UsageError(`${command.name} ${takes}${also}`);
  }
  const stray = choices && words.find((word) => !choices.includes(word));
  if (choices !== undefined && stray !== undefined) {
    const got = `got ${JSON.stringify(stray)}${hint(stray, choices)}`;
    throw new UsageError(`${command.name} needs ${title}, ${got}`);
  }
  if (rest !== undefined && command.takesCommand !== true) {
    const remove = "remove -- and everything after it";
    throw new UsageError(`${command.name} does not run a command: ${remove}`);
  }
}

function firstWord(args: readonly string[]): string | undefined {
  const { tokens } = tokensOf(args, GLOBAL_OPTIONS);
  for (const token of tokens) {
    if (token.kind === "positional") return token.value;
    if (token.kind === "option-terminator") return undefined;
  }
  return undefined;
}

function tokensOf(args: readonly string[], options: Options) {
  const config = Object.entries(options).map(([name, { short, value }]) => {
    const type = value === undefined ? ("boolean" as const) : ("string" as const);
    return [name, { type, multiple: true, ...(short !== undefined && { short }) }] as const;
  });
  return parseArgs({
    args: [...args],
    options: Object.fromEntries(config),
    strict: false,
    tokens: true,
    allowPositionals: true,
  });
}

function taken(args: readonly string[], known: Options) {
  const given: Given = new Map();
  const words: string[] = [];
  let rest: readonly string[] | undefined;
  for (const token of tokensOf(args, known).tokens) {
    if (token.kind === "option-terminator") {
      rest = args.slice(token.index + 1);
      break;
    }
    if (token.kind === "positional") {
      words.push(token.value);
      continue;
    }
    const { name, rawName, value } = token;
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) throw unknownOption(rawName, known);
    if (option.value === undefined && value !== undefined) {
      throw new UsageError(`${rawName} takes no value, got ${JSON.stringify(value)}`);
    }
    if (option.value !== undefined && value === undefined) {
      throw new UsageError(`${rawName} needs a value (${option.value})`);
    }
    given.set(name, [...(given.get(name) ?? []), value ?? ""]);
  }
  return { given, words, rest };
}

function read<O extends Options>(given: Given, options: O): Values<O> {
  const values: Record<string, unknown> = {};
  for (const [name, texts] of given) {
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) continue;
    try {
      values[name] = option.read(texts);
    } catch (error) {
      throw new UsageError(
        `--${name} ${(error as Error).message}, got ${JSON.stringify(texts.at(-1))}`,
      );
    }
  }
  return values as Values<O>;
}

/** What flock calls some options. */
const OF_FLOCK: ReadonlyMap<string, string> = new Map([
  ["timeout", "wait"],
  ["nonblock", "no-wait"],
  ["nb", "no-wait"],
]);

function unknownOption(rawName: string, known: Options): UsageError {
  const given = rawName.replace(/^-+/, "");
  const ours = OF_FLOCK.get(given) ?? given;
  const name = Object.hasOwn(known, ours) ? ours : given;
  const isLong = rawName.startsWith("--");
  const meant = isLong ? hint(name, Object.keys(known), "--") : "";
  return new UsageError(`unknown option ${rawName}${meant}`);
}

function hint(name: string, known: readonly string[], prefix = ""): string {
  const meant = similar(name, known);
  return meant === undefined ? "" : `: did you mean ${prefix}${meant}?`;
}
