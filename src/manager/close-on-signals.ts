import { EventEmitter } from "node:events";
import { constants } from "node:os";
import { SERVICE_DRAIN_MS } from "./drain.js";
import type { Locks } from "../api/locks.js";
import { within } from "../runtime/within.js";
import { checkKnown, checkLocks, MAX_TIMER_MS, number, show, string } from "../runtime/validate.js";

/** Signals that a process can listen for. */
const SIGNALS = (Object.keys(constants.signals) as NodeJS.Signals[]).filter(
  (signal) => signal !== "SIGKILL" && signal !== "SIGSTOP",
);

/**
 * Signals that follow the first this soon belong to the same request, ms: for one Ctrl-C the terminal signals the
 * process, and so does npm, which the terminal has signalled too.
 */
export const SAME_REQUEST_MS = 100;

/** All calls share a listener of the process: from eleven on Node.js warns of a leak. */
const calls = new EventEmitter().setMaxListeners(0);
const onAny = (signal: NodeJS.Signals): void => void calls.emit(signal, signal);

/** Options of {@link closeOnSignals}. */
export interface CloseOnSignalsOptions {
  /**
   * What ends the process.
   * @defaultValue SIGTERM and SIGINT
   */
  readonly signals?: readonly NodeJS.Signals[] | undefined;
  /**
   * From the signal until locks that are still held are released for their holders, ms. `before` and the
   * callbacks of `request` have this time together.
   * @defaultValue 20,000
   */
  readonly drainMs?: number | undefined;
  /**
   * Called first, while locks can still be acquired: stop accepting new work here, and wait for work that may
   * need a lock. If it throws or takes longer than `drainMs`, the locks are closed anyway; an error becomes a
   * warning of the process.
   */
  readonly before?: ((signal: NodeJS.Signals) => unknown) | undefined;
}

/** What can be closed: a lock manager, or a double of one. */
type Closable = Pick<Locks, "close">;

/**
 * Closes lock managers when the process is told to end: `before`, then `close({ drainMs })` with what is left of
 * the time, and then the signal again, so that the process ends by it as it would have without. A second
 * signal ends it at once, without waiting; what comes within 100 ms of the first is no second one, but the same passed on.
 *
 * If others listen for the signal, too, ending the process is left to them; the last of several calls of this function does it.
 *
 * @returns what takes the listeners away again
 * @throws TypeError or RangeError for bad arguments.
 *
 * @example
 * ```ts
 * closeOnSignals(locks, { drainMs: 20_000, before: () => app.close() });
 * ```
 */
export function closeOnSignals(
  locks: Closable | readonly Closable[],
  options: CloseOnSignalsOptions = {},
): () => void {
  const managers = Array.isArray(locks) ? (locks as readonly Closable[]) : [locks as Closable];
  for (const manager of managers) checkLocks(manager, "close", "a LockManager or an array of them");
  const { signals, drainMs, before } = checked(options);
  let firstMs: number | undefined;

  const undo = (): void => {
    for (const signal of signals) {
      calls.off(signal, onSignal);
      if (calls.listenerCount(signal) === 0) process.off(signal, onAny);
    }
  };
  const end = (signal: NodeJS.Signals): void => {
    undo();
    if (process.listenerCount(signal) > 0) return;
    process.kill(process.pid, signal);
    // Still running: the first process of a container, which a signal's default action does not end.
    process.exit(128 + constants.signals[signal]);
  };
  const close = async (signal: NodeJS.Signals): Promise<void> => {
    const startedMs = performance.now();
    let isTimeLeft = true;
    if (before !== undefined) {
      const asking = attempt(() => before(signal));
      // A timer may fire a fraction of a millisecond early by this clock: what is up is up.
      await within(asking, drainMs).catch(() => (isTimeLeft = false));
    }
    const leftMs = isTimeLeft ? Math.max(0, drainMs - (performance.now() - startedMs)) : 0;
    const closing = managers.map((manager) => attempt(() => manager.close({ drainMs: leftMs })));
    await Promise.all(closing);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    const nowMs = performance.now();
    if (firstMs !== undefined) {
      if (nowMs - firstMs >= SAME_REQUEST_MS) end(signal);
      return;
    }
    firstMs = nowMs;
    void close(signal).then(() => end(signal));
  };
  for (const signal of signals) {
    calls.on(signal, onSignal);
    if (!process.listeners(signal).includes(onAny)) process.on(signal, onAny);
  }
  return undo;
}

function checked(options: CloseOnSignalsOptions) {
  checkKnown(options, ["signals", "drainMs", "before"]);
  const { signals = ["SIGTERM", "SIGINT"], drainMs = SERVICE_DRAIN_MS, before } = options;
  if (!Array.isArray(signals) || signals.length === 0) {
    throw new TypeError(`\`signals\` must be an array of names of signals, got ${show(signals)}`);
  }
  if (before !== undefined && typeof before !== "function") {
    throw new TypeError(`\`before\` must be a function, got ${show(before)}`);
  }
  const known = signals.map((signal, index) => knownSignal(`signals[${index}]`, signal));
  return {
    // A second listener would take the first signal for a second one.
    signals: [...new Map(known.map((signal) => [constants.signals[signal], signal])).values()],
    drainMs: number("drainMs", drainMs, 0, MAX_TIMER_MS),
    before,
  };
}

function knownSignal(option: string, signal: unknown): NodeJS.Signals {
  const given = string(option, signal);
  const found = SIGNALS.find((each) => each === given);
  if (found !== undefined) return found;
  throw new RangeError(
    `\`${option}\` must be a signal that can be listened for, such as "SIGTERM", got ${show(given)}`,
  );
}

/** An error must not keep the process from ending. */
async function attempt(run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : show(error));
  }
}
