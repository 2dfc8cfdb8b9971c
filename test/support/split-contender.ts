import { LockManager, type Lock } from "../../src/index.js";

/**
 * A process of its own that asks once for each name that its parent sends, at the instant that it sends with it (ns, of
 * the clock that all processes of the machine share), and holds it until it is told that all have been answered.
 */

const { urls, nodeTimeoutMs } = JSON.parse(process.argv[2] ?? "") as {
  readonly urls: readonly string[];
  readonly nodeTimeoutMs: number;
};
const locks = new LockManager(urls, { nodeTimeoutMs });
await locks.ready({ all: true });

/** What the parent sends: a name and when to ask for it, or that all have been answered. */
export interface Told {
  readonly name?: string;
  readonly atNs?: string;
}

let held: Lock | null = null;

process.on("message", ({ name, atNs }: Told) => {
  if (name === undefined) {
    void (held?.release() ?? Promise.resolve()).then(() => process.send?.("released"));
    held = null;
    return;
  }
  setTimeout(
    () => {
      locks.tryAcquire(name).then(
        (lock) => {
          held = lock;
          process.send?.(lock === null ? "null" : "got it");
        },
        (error: unknown) => process.send?.((error as { code?: string }).code ?? String(error)),
      );
    },
    Number(BigInt(atNs ?? 0) - process.hrtime.bigint()) / 1e6,
  );
});
process.once("disconnect", () => void locks.close());
process.send?.("ready");
