import type { AcquireOptions, Lock, LockManager } from "../../index.js";
import { adviceOf } from "../advice.js";
import { defineCommand, type Call } from "../command.js";
import { withConnection } from "../connect.js";
import { EXIT, exitCodeOf, ExitError, type ExitCode } from "../exit-codes.js";
import { checkNodesSeen, checkSameNodes } from "../nodes-changed.js";
import { printable } from "../output.js";
import { acquireFresh } from "./acquire-fresh.js";
import { checkTogether, EXEC_OPTIONS } from "./lock-options.js";
import { tellOfOutage } from "./outage.js";
import { planOf, type Plan } from "./plan.js";
import { runUnder, type HeldLock, type Outcome, type RunSurroundings } from "./run.js";
import { SignalWatch } from "./signals.js";
import { StatusFeed } from "./status-feed.js";
import { ownerIdOf } from "../../manager/lock.js";
import { fingerprintOf } from "../../operator/fingerprint.js";
import { FLUSH_MS } from "../patient-writer.js";

export const exec = defineCommand({
  name: "exec",
  summary: "Run a command under a lock, and stop it if the lock is lost",
  synopsis: "NAME... [OPTIONS] -- COMMAND [ARG...]",
  words: { min: 1, max: 100, title: "a NAME, or several" },
  takesCommand: true,
  options: EXEC_OPTIONS,
  notes: `
Waits for the lock, runs the command, forwards signals to it, releases the lock, and exits with the
command's exit code. With several names, all or none are locked.

If the lock cannot be renewed, the command and all processes of its group get SIGTERM --grace before the
end of the lock, and SIGKILL just before that end. A guard process does this if quorate itself is killed or
suspended. Processes that the command leaves running in its group are killed before the lock is released.

A command that does not end after a signal that was passed on to it is killed after --stop-timeout, or at
once by a second signal.

The command's environment has QUORATE_NAME, QUORATE_NAMES (JSON), QUORATE_FENCING_TOKEN,
QUORATE_FINGERPRINT, QUORATE_MODE, QUORATE_PERMIT, QUORATE_LABEL, QUORATE_VALID_MS and
QUORATE_VALID_UNTIL (ms since 1970). User names and passwords of the nodes are left out; \`quorate held\`
in the command asks this process instead.

Exit codes: the command's own, or its signal; 75 (or -E) not acquired; 69 no quorum within --wait;
76 the lock was lost and the command stopped; 78 misconfigured; 64 usage; 126 the command cannot be run;
127 it was not found.`,
  examples: [
    "quorate exec migrate -- ./migrate.sh",
    "quorate exec -n migrate -- ./migrate.sh        # exits 75 if it is already running",
    "quorate exec -q -w 5s --min-hold 20s -E 0 nightly -- ./report.sh # in the crontab of several machines",
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
      try {
        return await withConnection(plan.settings, call, async (locks) => {
          const held = await acquired(locks, call, wanted, plan, around);
          return held === undefined ? undefined : codeOfOutcome(await runUnder(held, plan, around));
        });
      } finally {
        await around.feed.flush(FLUSH_MS);
        around.watch[Symbol.dispose]();
      }
    });
    return code ?? around.watch.endedBy ?? "SIGTERM";
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
  const isChanged = values["nodes-changed"];
  await checkNodesSeen(locks, isChanged, settings.lease.nodeTimeoutMs, watch.aborted);
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
  try {
    checkSameNodes(locks, isChanged);
  } catch (error) {
    await lock.release();
    throw error;
  }
  const held = heldOf(locks, lock, settings.lease.label);
  feed.tell({ event: "acquired", fencingToken: held.fencingToken, validMs: lock.remainingMs });
  output.detail(`acquired ${printable(lock.name)}, fencing token ${held.fencingToken}`);
  return held;
}

/** If others hold the lock, exits with the code that the caller has chosen. */
async function withConflictCode<T>(code: number | undefined, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (code === undefined || exitCodeOf(error) !== EXIT.contended) throw error;
    throw new ExitError(adviceOf(error as Error), code);
  }
}

/** What the options ask of the library. */
export function acquireOptions({
  values,
}: Pick<Call<typeof EXEC_OPTIONS>, "values">): AcquireOptions {
  const waitMs = values["no-wait"] === true ? 0 : values.wait;
  return {
    // If undefined, the config file decides; without it, the wait is unlimited, like flock's.
    ...(waitMs !== undefined && { waitMs }),
    mode: values.shared === true ? "shared" : "exclusive",
    ...(values.owner !== undefined && { owner: values.owner }),
    ...(values.fair === true && { fair: true }),
    minHoldMs: values["min-hold"],
  };
}

/** The lock as the command sees it. */
function heldOf(locks: LockManager, lock: Lock, label: string): HeldLock {
  const { names, mode, permit, fencingToken } = lock;
  return {
    ...{ locks, lease: lock, names, mode, permit, label, fencingToken },
    fingerprint: fingerprintOf(ownerIdOf(lock)),
    release: () => lock.release(),
  };
}

/** The exit code of quorate, or the signal that ends it. */
export function codeOfOutcome({ ending, isLost }: Outcome): ExitCode {
  if (isLost) return EXIT.lost;
  return ending.kind === "exit" ? ending.code : ending.signal;
}
