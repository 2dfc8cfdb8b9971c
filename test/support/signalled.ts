/**
 * Run as a process that is told to end while it holds locks. `URLS` is a JSON list; `MODE` says what it does.
 * Each thing that happens is a line of its output.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { closeOnSignals, LockManager } from "../../src/index.js";

const urls = JSON.parse(process.env["URLS"] ?? "[]") as string[];
const mode = process.env["MODE"] ?? "";
const OPTIONS = { ttlMs: 60_000, nodeTimeoutMs: 1_000 };
const say = (...words: unknown[]): void => console.log(words.join(" "));

const [locks, others] = [new LockManager(urls, OPTIONS), new LockManager(urls, OPTIONS)];
await Promise.all([locks.ready(), others.ready()]);

/** Holds the name for that long after the signal. */
const work = async (manager: LockManager, name: string, ms: number): Promise<void> => {
  try {
    await manager.request(name, async (lock) => {
      say("holds", name);
      await new Promise((resolve) => process.once("message", resolve));
      await sleep(ms, undefined, { signal: lock.signal });
      say("finished", name);
    });
  } catch (error) {
    say("lost", name, (error as { reason?: string }).reason);
  }
};

// Would keep it alive, as a server does.
setInterval(() => {}, 60_000);

const MODES: Readonly<Record<string, () => unknown>> = {
  several: () => {
    void work(locks, "one", 300);
    void work(others, "other", 500);
    return closeOnSignals([locks, others], {
      before: async (signal) => {
        say("before", signal);
        await locks.request("needed", () => say("has what it needs"));
      },
    });
  },
  "twice called": () => {
    void work(locks, "one", 600);
    void work(others, "other", 100);
    closeOnSignals(locks);
    return closeOnSignals(others);
  },
  "signal named twice": () => {
    void work(locks, "one", 100);
    return closeOnSignals(locks, { signals: ["SIGTERM", "SIGINT", "SIGTERM"] });
  },
  "too long": () => {
    void work(locks, "one", 60_000);
    return closeOnSignals(locks, { drainMs: 300, before: () => sleep(200) });
  },
  "before hangs": () => {
    void work(locks, "one", 60_000);
    return closeOnSignals(locks, { drainMs: 300, before: () => new Promise(() => {}) });
  },
  "before throws": () => {
    void work(locks, "one", 100);
    return closeOnSignals(locks, {
      before: () => {
        throw new Error("of the application");
      },
    });
  },
  "another listens": () => {
    void work(locks, "one", 100);
    closeOnSignals(locks);
    process.on("SIGTERM", () => {
      // Closed by then, or it would have to be.
      void locks.close({ drainMs: 60_000 }).then(() => {
        say("ends by itself");
        setImmediate(() => process.exit(7));
      });
    });
  },
  undone: () => {
    void work(locks, "one", 100);
    closeOnSignals(locks)();
  },
};

MODES[mode]?.();
process.send?.("is set up");
