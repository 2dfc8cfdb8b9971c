import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { memoryNodes } from "../../src/memory/index.js";
import { CHANNELS } from "../../src/telemetry/channels.js";
import type { RequestMessage } from "../../src/index.js";
import { allChannels } from "../support/recorded-messages.js";
import { PATIENT } from "../support/patient.js";
import { eventually, rejectionOf } from "../support/settle.js";
import { uncaughtDuring } from "../support/uncaught.js";

/** Subscribes the listener to all channels while the routine runs. */
async function heardBy(
  listener: (message: unknown, channel: string) => void,
  run: () => Promise<void>,
): Promise<void> {
  const undo = allChannels().map(([name, channel]) => {
    const own = (message: unknown): void => listener(message, name);
    channel.subscribe(own);
    return () => channel.unsubscribe(own);
  });
  try {
    await run();
  } finally {
    for (const each of undo) each();
  }
}

/** Everything that is published about happens: also a renewal, a wait, a lost lock and a failure. */
async function useLocks(): Promise<string[]> {
  const nodes = memoryNodes(3);
  const results: string[] = [];
  await using locks = new LockManager(nodes, PATIENT);
  await using others = new LockManager(nodes, PATIENT);
  await Promise.all([locks.ready(), others.ready()]);
  results.push(await locks.request("a", () => "done"));
  const held = await others.acquire("a");
  results.push(((await rejectionOf(locks.acquire("a", { waitMs: 250 }))) as Error).name);
  await held.extend();
  results.push(await held.release());
  const lost = await locks.acquire("b", { ttlMs: 600 });
  for (const node of nodes) node.freeze();
  await eventually("it is lost", () => !lost.isHeld);
  for (const node of nodes) node.thaw();
  results.push(`held: ${lost.isHeld}`);
  return results;
}

const RESULTS = ["done", "WaitTimeoutError", "released", "held: false"];

describe("Subscribers", () => {
  it("that throw change nothing for locks, and are told of as uncaught", async () => {
    const thrown = new Set<string>();
    let results: string[] = [];
    const uncaught = await uncaughtDuring(() =>
      heardBy(
        (_, channel) => {
          thrown.add(channel);
          throw new Error(`of ${channel}`);
        },
        async () => {
          results = await useLocks();
          // What is thrown is uncaught a little later.
          await sleep(10);
        },
      ),
    );
    expect(results).to.deep.equal(RESULTS);
    expect(thrown).to.include.members([
      ...["acquire start", "acquire asyncEnd", "acquire error", "extend asyncEnd"],
      ...["release start", "request start", "request asyncEnd", "round", "lost", "node", "waiting"],
    ]);
    const told = new Set(uncaught.map((error) => (error as Error).message));
    expect(told).to.deep.equal(new Set([...thrown].map((channel) => `of ${channel}`)));
  });

  it("may use locks, and close managers, from within", async () => {
    const nodes = memoryNodes(3);
    await using locks = new LockManager(nodes, { ttlMs: 6_000, nodeTimeoutMs: 2_000 });
    await locks.ready();
    const lock = await locks.acquire("a");
    let extendedCount = 0;
    await heardBy(
      (_, channel) => {
        if (channel === "extend start") {
          extendedCount++;
          void lock.release();
        }
        if (channel === "acquire start") void locks.close();
      },
      async () => {
        await eventually("it is released", () => !lock.isHeld);
        expect(await lock.release()).to.equal("released");
        await rejectionOf(locks.acquire("b"));
        expect(await rejectionOf(locks.acquire("b"))).to.have.property("name", "ClosedError");
      },
    );
    expect(extendedCount).to.equal(1);
    await Promise.all(
      nodes.map(async (node) => {
        expect(await node.command("GET", "lock:a")).to.equal(null);
      }),
    );
  });

  it("to a request may run its callback in a context of their own, and cannot lose it", async () => {
    const ways: [string, (run: () => void) => void][] = [
      ["once", (run) => run()],
      ["twice", (run) => (run(), run())],
      ["never", () => {}],
      [
        "throws before",
        () => {
          throw new Error("before");
        },
      ],
      [
        "throws behind",
        (run) => {
          run();
          throw new Error("behind");
        },
      ],
    ];
    await using locks = new LockManager(memoryNodes(1));
    await locks.ready();
    for (const [what, wrapper] of ways) {
      let count = 0;
      const onStart = (message: unknown): void => {
        (message as RequestMessage).around(wrapper);
        (message as RequestMessage).around((run) => run());
      };
      CHANNELS.request.start.subscribe(onStart);
      const uncaught = await uncaughtDuring(async () => {
        expect(await locks.request("a", () => ++count), what).to.equal(1);
        const error = new Error("its own");
        expect(
          await rejectionOf(
            locks.request("a", () => {
              throw error;
            }),
          ),
          what,
        ).to.equal(error);
      });
      CHANNELS.request.start.unsubscribe(onStart);
      expect(count, what).to.equal(1);
      expect(uncaught.length, what).to.equal(what.startsWith("throws") ? 2 : 0);
    }
  });

  it("that come and go while a lock is held do not disturb it", async () => {
    await using locks = new LockManager(memoryNodes(3), { ttlMs: 6_000, nodeTimeoutMs: 2_000 });
    const seen: string[] = [];
    await using lock = await locks.acquire("a");
    const renewed = async (): Promise<void> => {
      const beforeMs = lock.validUntil.getTime();
      await eventually("it was renewed", () => lock.validUntil.getTime() > beforeMs + 500);
    };
    await heardBy((_, channel) => seen.push(channel), renewed);
    const count = seen.length;
    expect(count).to.be.above(0);
    await renewed();
    expect(seen.length).to.equal(count);
  });
});
