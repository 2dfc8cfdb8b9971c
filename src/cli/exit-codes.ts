import type { QuorateErrorCode } from "../api/errors.js";

/** The exit codes of `quorate` itself; from `sysexits.h` where it has one. */
export const EXIT = {
  /** Success. */
  ok: 0,
  /** The answer is no: `held`, and `doctor --strict` where there are warnings and no errors. */
  no: 1,
  /** The command line is wrong: the message names the option and the value. Nothing was connected. */
  usage: 64,
  /** No quorum of nodes; of `exec`, within `--wait`. */
  unavailable: 69,
  /** A bug in quorate. */
  bug: 70,
  /** The system could not start a process. */
  system: 71,
  /** The output could not be written, because the disk is full, say. */
  output: 74,
  /** Not acquired within `--wait`, or at the single attempt of `--no-wait`. `-E` sets another code; flock's is 1. */
  contended: 75,
  /** The lock was lost, or about to be, and the command was stopped; or the command ended after the loss. */
  lost: 76,
  /** A node is misconfigured, a key is not a lock, or the config file is invalid. */
  config: 78,
  /** The command cannot be executed. Mostly found out before anything is locked. */
  notExecutable: 126,
  /** The command was not found. Mostly found out before anything is locked. */
  notFound: 127,
} as const;

/** How a process ends: with a code, or by a signal, which a shell can tell from one. */
export type ExitCode = number | NodeJS.Signals;

/** The command line is wrong. Nothing was connected. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A config file or a password file is wrong or missing. Nothing was connected. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Anything else that has an exit code of its own. */
export class ExitError extends Error {
  override readonly name = "ExitError";
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** By error code, so that the library need not be loaded. */
const BY_CODE: Readonly<Record<QuorateErrorCode, number>> = {
  QUORATE_CONTENDED: EXIT.contended,
  QUORATE_WAIT_TIMEOUT: EXIT.contended,
  QUORATE_QUEUE_FULL: EXIT.contended,
  QUORATE_UNREACHABLE: EXIT.unavailable,
  QUORATE_SPLIT: EXIT.unavailable,
  QUORATE_OVERLOADED: EXIT.unavailable,
  QUORATE_VALIDITY_EXHAUSTED: EXIT.unavailable,
  QUORATE_NOT_READY: EXIT.unavailable,
  QUORATE_LOST: EXIT.lost,
  QUORATE_MISCONFIGURED: EXIT.config,
  QUORATE_FOREIGN_KEY: EXIT.config,
  QUORATE_MIXED_LAYOUT: EXIT.config,
  QUORATE_PERMITS_MISMATCH: EXIT.config,
  // Of what the command line does not do.
  QUORATE_NOT_ADOPTABLE: EXIT.bug,
  QUORATE_CLOSED: EXIT.bug,
  QUORATE_REENTRY: EXIT.bug,
  QUORATE_STALE_TOKEN: EXIT.bug,
  QUORATE_MALFORMED_TOKEN: EXIT.bug,
};

/** The exit code for an error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ConfigError) return EXIT.config;
  if (error instanceof ExitError) return error.exitCode;
  const codes: Readonly<Record<string, number | undefined>> = BY_CODE;
  return codes[codeOf(error) ?? ""] ?? EXIT.bug;
}

/** The stable code of an error of the library, or of the system. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
