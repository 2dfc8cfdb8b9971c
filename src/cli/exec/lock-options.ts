import { OPTIONS } from "../../options/table.js";
import { MAX_PERMITS } from "../../protocol/semaphore-size.js";
import { choice, duration, flag, text, whole, type Options, type Values } from "../command.js";
import { EXIT, UsageError } from "../exit-codes.js";
import { NODES_CHANGED } from "../nodes-changed.js";
import { DEFAULT_STOP_TIMEOUT_MS } from "./stop-timeout.js";
import { TTY_CHOICES } from "./tty.js";

/** Those that a command can take for a request to end, or that end it. One that stops it would only cost it time. */
const SIGNALS = [
  ...["TERM", "INT", "HUP", "QUIT", "USR1", "USR2"],
  ...["WINCH", "ABRT", "ALRM", "CONT", "KILL"],
] as const;

const seconds = (ms: number): string => `${ms / 1_000}s`;

/** Options of every command that runs another under a lock. */
export const RUN_OPTIONS = {
  ttl: duration(1, {
    help: `life of the lock without renewal, at most the longest ttl that the nodes have on record (${seconds(OPTIONS.maxTtlMs.byDefault)} on new ones) [30s]`,
  }),
  "max-ttl": duration(1, {
    help: "raises the longest ttl on record, for all clients; it is also how long a node that restarted empty does not vote [as on record]",
  }),
  grace: duration(0, {
    help: "time between the signal and SIGKILL when the lock is lost [a third of --ttl]",
  }),
  "stop-timeout": duration(0, {
    help: `time between a signal that is passed on to the command and SIGKILL; a second signal kills at once. 0 is never [${DEFAULT_STOP_TIMEOUT_MS / 1_000}s]`,
  }),
  "lock-delay": duration(0, {
    help: `how long the name stays locked after the lock was lost [${OPTIONS.lockDelayMs.byDefault}]`,
  }),
  "max-hold": duration(1, {
    help: "maximum time, longer than --grace: the command is stopped as if the lock ended then [none]",
  }),
  label: text({ help: "the holder, as shown to others, up to 200 characters [HOST:PID]" }),
  signal: text({
    value: "NAME",
    completes: ["", "SIG"].flatMap((prefix) => SIGNALS.map((name) => prefix + name)),
    help: "signal sent to the command at the start of the grace period [TERM]",
  }),
  command: text({ short: "c", help: "sh -c TEXT, instead of -- COMMAND" }),
  tty: choice(TTY_CHOICES, {
    help: "whether the command stays in the terminal's group, for job control [auto: if quorate is a job of a shell]",
  }),
  "on-loss": choice(["kill", "signal", "ignore"], {
    help: "what happens to the command when the lock is lost: signal and kill, only signal, nothing [kill]",
  }),
  "no-guard": flag({
    help: "run without the process that stops the command if quorate is killed or suspended",
  }),
  "leave-group": flag({
    help: "do not kill processes that the command leaves running in its group",
  }),
  "nodes-changed": NODES_CHANGED,
  "pass-nodes": flag({
    help: "pass user names and passwords of the nodes on to the command, too",
  }),
  "status-fd": whole(1, 65_535, { help: "one JSON line per event on this file descriptor" }),
} as const satisfies Options;

export const EXEC_OPTIONS = {
  wait: duration(0, {
    short: "w",
    help: "how long to wait for the lock, connecting included [unlimited]",
  }),
  "no-wait": flag({
    short: "n",
    help: `one attempt; after a holder crashed, the name stays locked for up to --ttl + ${seconds(OPTIONS.clockStepMs.byDefault)}`,
  }),
  "conflict-exit-code": whole(0, 255, {
    short: "E",
    help: `exit code if the lock was not acquired [${EXIT.contended}]`,
  }),
  shared: flag({ short: "s", help: "shared lock: held together with other shared locks" }),
  permits: whole(1, MAX_PERMITS, { help: "a semaphore: up to N holders at once" }),
  owner: text({
    value: "ID",
    help: "the owner, which can acquire the lock again while it holds it",
  }),
  "min-hold": duration(0, {
    help: `how long the name stays locked from the start, even if the command ends sooner [${OPTIONS.minHoldMs.byDefault}]`,
  }),
  fair: flag({ help: "first come, first served" }),
  ...RUN_OPTIONS,
} as const satisfies Options;

/**
 * The command to run.
 *
 * @throws UsageError if there is none, or two
 */
export function commandOf(
  values: Values<typeof RUN_OPTIONS>,
  given: readonly string[] | undefined,
): readonly string[] {
  if (values.command !== undefined) {
    if (given === undefined) return ["sh", "-c", values.command];
    throw new UsageError("--command and -- COMMAND: give one of them");
  }
  if (given === undefined)
    throw new UsageError("no command: it follows --, as in `NAME -- COMMAND`");
  if (given.length === 0 || given[0] === "") throw new UsageError("no command after --");
  return given;
}

/** @throws UsageError */
export function signalOf(given = "TERM"): NodeJS.Signals {
  const name = given.toUpperCase().replace(/^SIG/, "");
  const found = SIGNALS.find((each) => each === name);
  if (found !== undefined) return `SIG${found}`;
  const known = `${SIGNALS.join(", ")}, with or without SIG`;
  throw new UsageError(`--signal must be one of ${known}, got ${JSON.stringify(given)}`);
}

/** @throws UsageError */
export function checkTogether(values: Values<typeof EXEC_OPTIONS>, nameCount: number): void {
  const clashes: readonly (readonly [keyof typeof values, keyof typeof values])[] = [
    ["wait", "no-wait"],
    ["shared", "permits"],
    ["owner", "permits"],
    ["owner", "shared"],
  ];
  for (const [one, other] of clashes) {
    if (values[one] === undefined || values[other] === undefined) continue;
    throw new UsageError(`--${one} cannot be combined with --${other}`);
  }
  for (const option of ["shared", "permits", "owner"] as const) {
    if (nameCount === 1 || values[option] === undefined) continue;
    throw new UsageError(`--${option} is for one NAME, got ${nameCount}`);
  }
}
