import type { Option } from "../command.js";

/** A command as a shell completes it. */
export interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly takesCommand: boolean;
  /** What its first word can be, where that is known. */
  readonly words: readonly string[];
  readonly options: readonly CompletedOption[];
}

export interface CompletedOption {
  readonly name: string;
  readonly short: string | undefined;
  /** Placeholder for its value; undefined for a flag. */
  readonly value: string | undefined;
  readonly help: string;
  readonly choices: readonly string[];
  readonly completes: Option<unknown>["completes"];
  readonly isRepeatable: boolean;
}

/** The ways to write an option. */
export function spellings({ name, short }: CompletedOption): readonly string[] {
  return [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
}

/** All spellings of options that take a value, of any command. */
export function withValue(
  commands: readonly Completed[],
  globals: readonly CompletedOption[],
): readonly string[] {
  const all = [...globals, ...commands.flatMap(({ options }) => options)];
  return [...new Set(all.filter(({ value }) => value !== undefined).flatMap(spellings))];
}
