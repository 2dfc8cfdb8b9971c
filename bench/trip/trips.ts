import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { calledIn, type Called } from "./called.js";

const NODE_COUNT = 3;
/** After this the nodes beyond the quorum have answered, too. */
const ANSWERED_MS = 50;
/** After this the waiter has its place on the nodes and waits for its message. */
const SETTLE_MS = 300;

/** What one request passes in the sources, by title. */
export interface Trip {
  readonly title: string;
  readonly called: Called;
}

/**
 * An uncontended acquire and release, and a hand-over from a holder to a waiter of another manager, both counted once
 * each has been done before: what is set up at the first request of a process is not counted.
 *
 * @param folder the compiled sources
 */
export async function trips(folder: string): Promise<readonly Trip[]> {
  const fleet = await RedisFleet.start({ nodes: NODE_COUNT });
  const managers = [0, 1].map(() => new LockManager(fleet.nodes.map(({ url }) => url)));
  try {
    const [holder, waiter] = managers as [LockManager, LockManager];
    await Promise.all(managers.map((manager) => manager.ready({ all: true })));
    await alone(holder);
    const uncontended = await calledIn(folder, () => alone(holder));
    await passOn(holder, waiter);
    const contended = await calledIn(folder, () => passOn(holder, waiter));
    return [
      { title: "uncontended acquire and release", called: uncontended },
      { title: "contended hand-over, both sides", called: contended },
    ];
  } finally {
    await Promise.all(managers.map((manager) => manager.close()));
    await fleet.stop();
  }
}

async function alone(manager: LockManager): Promise<void> {
  const lock = await manager.acquire("trip");
  await sleep(ANSWERED_MS);
  await lock.release();
  await sleep(ANSWERED_MS);
}

async function passOn(holder: LockManager, waiter: LockManager): Promise<void> {
  const held = await holder.acquire("trip");
  const waiting = waiter.acquire("trip", { waitMs: 10_000 });
  await sleep(SETTLE_MS);
  await held.release();
  const got = await waiting;
  await got.release();
}
