import type { AcquireOptions, Lock, LockManager } from "../../index.js";
import { defineCommand, type Call, type Values } from "../command.js";
import { checkSettings, connect } from "../connect.js";
import { EXIT, exitCodeOf, ExitError, UsageError } from "../exit-codes.js";
import { printable } from "../output.js";
import { checkCommand } from "./command-path.js";
import { problemOf, stopTimes } from "./deadlines.js";
import { inheritedStdio, problemOfDescriptor } from "./descriptors.js";
import { acquireFresh } from "./acquire-fresh.js";
import {
  checkTogether,
  commandOf,
  EXEC_OPTIONS,
  signalOf,
  type RUN_OPTIONS,
} from "./lock-options.js";
import {
  runUnder,
  tellOfOutage,
  type HeldLock,
  type Outcome,
  type Plan,
  type RunSurroundings,
} from "./run.js";
import { endBySignal, SignalWatch } from "./signals.js";
import { StatusFeed } from "./status-feed.js";
import { staysInTerminal } from "./tty.js";

/** Long enough for a node that answers slowly, short enough for a deploy that hangs. */
const DEFAULT_TTL_MS = 30_000;

/** How long the last lines of the status feed may take, ms. */
const FLUSH_MS = 1_000;

export const exec = defineCommand({
  name: "exec",
  summary: "Run a command under a lock, and stop it if the lock is lost",
  synopsis: "NAME... [OPTIONS] -- COMMAND [ARG...]",
  words: { min: 1, max: 100, title: "a NAME, or several" },
  takesCommand: true,
  options: EXEC_OPTIONS,
  notes: `
Waits for the lock, runs the command, forwards signals to it, releases the lock, and exits as the command
did. Several names are one lock: all of them or none.

If the lock cannot be renewed, the command and all processes of its group get SIGTERM --grace before the
end of the lock, and SIGKILL just before that end. A guard process does so if quorate itself is killed or
suspended. What the command left running in the background is killed before the lock is released.

The command finds in its environment: QUORATE_NAME, QUORATE_NAMES (JSON), QUORATE_FENCING_TOKEN,
QUORATE_FINGERPRINT, QUORATE_MODE, QUORATE_PERMIT, QUORATE_LABEL, QUORATE_VALID_MS and
QUORATE_VALID_UNTIL (ms since 1970).

Exit codes: the command's own, or by its signal; 75 (or -E) held by others; 69 no quorum within --wait;
76 the lock was lost and the command stopped; 78 misconfigured; 64 usage; 126 the command cannot be run;
127 it was not found.`,
  examples: [
    "quorate exec nightly -- ./report.sh",
    "quorate exec -n nightly -- ./report.sh         # exits 75 if another one runs",
    "quorate exec deploy:web deploy:db -w 5m -c 'make deploy'",
    "quorate exec thumbnails --permits 4 -- ./worker",
  ],
  async run(call) {
    const { words, values, output, env } = call;
    checkTogether(values, words.length);
    const wanted = acquireOptions(call);
    const { permits } = values;
    const plan = await planOf(call, { names: words, options: wanted, permits });
    const around = { env, output, feed: new StatusFeed(plan.statusFd), watch: new SignalWatch() };
    const code = await withConflictCode(values["conflict-exit-code"], async () => {
      const locks = await connect(plan.settings, call);
      try {
        const held = await acquired(locks, call, wanted, plan, around);
        return held === undefined ? undefined : codeOfOutcome(await runUnder(held, plan, around));
      } finally {
        await locks.close();
        await around.feed.flush(FLUSH_MS);
        around.watch[Symbol.dispose]();
      }
    });
    if (typeof code === "number") return code;
    return await endBySignal(code ?? around.watch.endedBy ?? "SIGTERM");
  },
});

/** Waits for the lock. @returns undefined if a signal ended the wait */
async function acquired(
  locks: LockManager,
  { words, values }: Call<typeof EXEC_OPTIONS>,
  wanted: AcquireOptions,
  { settings }: Plan,
  { feed, watch, output }: RunSurroundings,
): Promise<HeldLock | undefined> {
  const { permits } = values;
  using _ = tellOfOutage(locks, output);
  feed.tell({ event: "waiting" });
  const acquire = (waitMs: number | undefined): Promise<Lock> => {
    const options = {
      ...wanted,
      ...(waitMs !== undefined && { waitMs }),
      signal: watch.aborted,
    };
    if (permits === undefined) return locks.acquire(words, options);
    const { mode: _mode, owner: _owner, ...ofPermit } = options;
    return locks.semaphore(words[0] ?? "", { permits }).acquire(ofPermit);
  };
  let lock: Lock;
  try {
    const { waitMs = settings.lease.waitMs } = wanted;
    lock = await acquireFresh(locks, words, waitMs, watch.aborted, acquire);
  } catch (error) {
    if (watch.endedBy !== undefined) return undefined;
    throw error;
  }
  if (watch.endedBy !== undefined) {
    await lock.release();
    return undefined;
  }
  const held = await heldOf(lock, settings.lease.label);
  feed.tell({ event: "acquired", fencingToken: held.fencingToken, validMs: held.remainingMs });
  output.detail(`acquired ${printable(lock.name)}, fencing token ${held.fencingToken}`);
  return held;
}

/** Says by the exit code of the caller's choice that others hold the lock. */
async function withConflictCode<T>(code: number | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (code === undefined || exitCodeOf(error) !== EXIT.contended) throw error;
    throw new ExitError((error as Error).message, code);
  }
}

function acquireOptions({ values }: Call<typeof EXEC_OPTIONS>): AcquireOptions {
  const waitMs = values["no-wait"] === true ? 0 : values.wait;
  return {
    // Of the config file, if it says so; else as long as it takes, like flock.
    ...(waitMs !== undefined && { waitMs }),
    mode: values.shared === true ? "shared" : "exclusive",
    ...(values.owner !== undefined && { owner: values.owner }),
    ...(values.fair === true && { fair: true }),
    minHoldMs: values["min-hold"],
  };
}

type RunCall = Call<typeof RUN_OPTIONS>;

/**
 * All that can be known before anything is connected.
 *
 * @throws UsageError, ConfigError, or ExitError for a command that is not there
 */
export async function planOf(
  call: RunCall,
  wanted: Parameters<typeof checkSettings>[2],
): Promise<Plan> {
  if (process.platform === "win32") {
    throw new ExitError("needs process groups, which Windows does not have", EXIT.system);
  }
  const { values, env } = call;
  const command = commandOf(values, call.command);
  const statusFd = checkedStatusFd(values);
  const signal = signalOf(values.signal);
  const settings = await checkSettings(call, overridesOf(values), wanted);
  const { ttlMs, nodeTimeoutMs } = settings.lease;
  const times = stopTimes(ttlMs, values.grace);
  const problem = problemOf(ttlMs, nodeTimeoutMs, times);
  if (problem !== undefined) throw new UsageError(problem);
  const isInTerminal = staysInTerminal(values.tty ?? "auto");
  checkCommand(command[0] ?? "", env["PATH"]);
  return {
    ...{ command, times, signal, isInTerminal, statusFd, settings },
    // Before there are connections, which are not the command's.
    stdio: inheritedStdio(statusFd),
    onLoss: values["on-loss"] ?? "kill",
    hasGuard: values["no-guard"] !== true,
    leavesGroup: values["leave-group"] === true,
  };
}

function overridesOf(values: Values<typeof RUN_OPTIONS>): Parameters<typeof checkSettings>[1] {
  return {
    defaults: { ttlMs: DEFAULT_TTL_MS, waitMs: Number.POSITIVE_INFINITY },
    options: {
      ttlMs: values.ttl,
      lockDelayMs: values["lock-delay"],
      maxHoldMs: values["max-hold"],
      label: values.label,
    },
  };
}

function checkedStatusFd(values: Values<typeof RUN_OPTIONS>): number | undefined {
  const fd = values["status-fd"];
  const problem = fd === undefined ? undefined : problemOfDescriptor(fd);
  if (problem === undefined) return fd;
  throw new UsageError(`--status-fd ${fd} ${problem}`);
}

/** What a command is told of a lock. */
async function heldOf(lock: Lock, label: string): Promise<HeldLock> {
  const { fingerprintOf } = await import("../../inspect/fingerprint.js");
  const { names, mode, permit, signal } = lock;
  return {
    ...{ names, mode, permit, label, signal },
    fencingToken: lock.fencingToken,
    fingerprint: fingerprintOf(lock.ownerId),
    get remainingMs() {
      return lock.remainingMs;
    },
    get validUntil() {
      return lock.validUntil;
    },
    release: () => lock.release(),
  };
}

/** What quorate exits with, or the signal by which it ends. */
export function codeOfOutcome({ ending, isLost }: Outcome): number | NodeJS.Signals {
  if (isLost) return EXIT.lost;
  return ending.kind === "exit" ? ending.code : ending.signal;
}
