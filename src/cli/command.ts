import { OPTIONS } from "../options/table.js";
import type { Output } from "./output.js";
import type { ExitCode } from "./exit-codes.js";
import { DURATION_FORMS, parseDuration } from "./duration.js";

/** One option of a command: how it is written, what it takes, and what `--help` says about it. */
export interface Option<T> {
  /** The letter of its short form. */
  readonly short?: string;
  /** Placeholder for its value in help. If undefined, the option is a flag, without a value. */
  readonly value?: string;
  /** For help: a few words, with the default in brackets. */
  readonly help: string;
  /** The only values, for help and completion. */
  readonly choices?: readonly string[];
  /** What completion offers for its value: files, or these. If undefined, the choices. */
  readonly completes?: "file" | readonly string[];
  /** Whether it may be repeated, and all of its values count. If undefined, only the last one counts. */
  readonly isRepeatable?: boolean;
  /** Parses the last value given, or all values of a repeatable option. @throws Error that says what it must be */
  read(given: readonly string[]): T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

/** The options that were given, by their long names. */
export type Values<O extends Options> = {
  readonly [K in keyof O]?: (O[K] extends Option<infer T> ? T : never) | undefined;
};

/** A command of `quorate`: parsing, `--help` and completion are derived from it. */
export interface Command<O extends Options = Options> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What follows its name on the command line, for help. */
  readonly synopsis: string;
  /** How many words it takes that are not options, and what they are called in messages. */
  readonly words: {
    readonly min: number;
    readonly max: number;
    readonly title: string;
    /** The only values, for messages and completion. */
    readonly choices?: readonly string[];
  };
  /** Whether words after `--` are a command to run. */
  readonly takesCommand?: boolean;
  readonly options: O;
  /** Paragraphs for the end of its help. */
  readonly notes?: string;
  readonly examples: readonly string[];
  /** @returns how quorate is to end; an error is reported, and its kind determines the exit code */
  run(call: Call<O>): Promise<ExitCode>;
}

/** One invocation of a command. */
export interface Call<O extends Options = Options> {
  readonly words: readonly string[];
  /** The words after `--`; undefined if there is no `--`. */
  readonly command: readonly string[] | undefined;
  readonly values: Values<O>;
  readonly globals: Values<typeof GLOBAL_OPTIONS>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly output: Output;
}

/** So that `run` knows the types of its own options. */
export function defineCommand<const O extends Options>(command: Command<O>): Command<O> {
  return command;
}

type About<T> = Omit<Option<T>, "read" | "choices" | "isRepeatable">;

export function flag(about: Omit<About<boolean>, "value" | "completes">): Option<boolean> {
  return { ...about, read: () => true };
}

export function text(about: About<string>): Option<string> {
  return { value: "TEXT", ...about, read: last };
}

/** Several values: the option may be repeated, and each may be a list with commas. */
export function list(about: About<readonly string[]>): Option<readonly string[]> {
  return { ...about, isRepeatable: true, read: (given) => given.flatMap(splitList) };
}

export function choice<const T extends string>(choices: readonly T[], about: About<T>): Option<T> {
  const read = (given: readonly string[]): T => {
    const found = choices.find((each) => each === last(given));
    if (found !== undefined) return found;
    throw new Error(`must be ${choices.join(", ").replace(/, (?=[^,]*$)/, " or ")}`);
  };
  return { value: choices.join("|"), ...about, choices, read };
}

/** Which holder is meant. */
export function fingerprint(help: string): Option<string> {
  const read = (given: readonly string[]): string => {
    if (/^[0-9a-f]{8}$/.test(last(given))) return last(given);
    throw new Error("must be 8 hex digits, as inspect shows them");
  };
  return { value: "F", help, read };
}

/** An integer from `min` to `max`. */
export function whole(min: number, max: number, about: About<number>): Option<number> {
  const read = (given: readonly string[]): number => {
    const value = /^\d+$/.test(last(given)) ? Number(last(given)) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new Error(`must be an integer from ${min} to ${max}`);
  };
  return { value: "N", ...about, read };
}

/** A duration in ms, at least `minMs`. */
export function duration(minMs: number, about: About<number>): Option<number> {
  const read = (given: readonly string[]): number => {
    const ms = parseDuration(last(given));
    if (ms === undefined) throw new Error(`must be a duration such as ${DURATION_FORMS}`);
    if (ms < minMs) throw new Error(`must be at least ${minMs} ms`);
    return ms;
  };
  return { value: "D", ...about, read };
}

export function splitList(given: string): readonly string[] {
  return given.split(/[\s,]+/).filter((each) => each !== "");
}

function last(given: readonly string[]): string {
  return given.at(-1) ?? "";
}

/** Options of every command, which may also come before its name. */
export const GLOBAL_OPTIONS = {
  nodes: list({
    short: "N",
    value: "URL,...",
    help: "all nodes; may be repeated [QUORATE_NODES, or the config file]",
  }),
  config: text({
    value: "FILE",
    completes: "file",
    help: "config file, JSON or an ES module [QUORATE_CONFIG, ./quorate.config.json, ./quorate.config.mjs]",
  }),
  "key-prefix": text({
    value: "P",
    help: `prefix of lock keys [QUORATE_KEY_PREFIX, "${OPTIONS.keyPrefix.byDefault}"]`,
  }),
  "node-timeout": duration(1, {
    help: "timeout of one operation on one node [a twentieth of the ttl]",
  }),
  json: flag({ help: "results and errors as JSON" }),
  quiet: flag({
    short: "q",
    help: "no notes, progress or warnings on stderr, except of misconfigured nodes",
  }),
  verbose: flag({ short: "v", help: "node events on stderr" }),
  help: flag({ short: "h", help: "this help" }),
  version: flag({ short: "V", help: "the version of quorate" }),
} as const satisfies Options;
