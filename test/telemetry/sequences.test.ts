import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LockManager, type AcquireMessage, type LockManagerOptions } from "../../src/index.js";
import { memoryNodes, type MemoryNode } from "../../src/memory/index.js";
import { CHANNELS } from "../../src/telemetry/channels.js";
import { RedisFleet } from "../../src/testing/index.js";
import { at } from "../support/nodes.js";
import { RecordedMessages } from "../support/recorded-messages.js";
import { eventually, rejectionOf } from "../support/settle.js";

/** Nothing is renewed, lost or unanswered unless a test wants it to be, also on a machine that stands still. */
const OPTIONS: LockManagerOptions = { ttlMs: 30_000, nodeTimeoutMs: 5_000 };

/**
 * A renewal after 3 s, which has failed after 3.3 s if nodes do not answer; the lock is late after 5.2 s, and lost after
 * 8.9 s. There is room between these for a machine to stand still.
 */
const BRIEF = { ttlMs: 9_000, nodeTimeoutMs: 300, lossNoticeMs: 3_700 } as const;

interface Stage {
  readonly nodes: readonly MemoryNode[];
  readonly locks: LockManager;
  /** Of another process. */
  readonly others: LockManager;
  readonly heard: RecordedMessages;
}

/** What is published while the routine runs and the managers are closed. */
async function heardOf(
  run: (stage: Stage) => Promise<void>,
  options: LockManagerOptions = OPTIONS,
): Promise<RecordedMessages> {
  const nodes = memoryNodes(3);
  const [locks, others] = [new LockManager(nodes, options), new LockManager(nodes, options)];
  await Promise.all([locks.ready({ all: true }), others.ready({ all: true })]);
  // The first script runs long enough for a deadline to pass.
  await (await locks.acquire("warm-up")).release();
  const heard = new RecordedMessages();
  try {
    await run({ nodes, locks, others, heard });
    await sleep(5);
  } finally {
    heard[Symbol.dispose]();
    await Promise.all([locks.close(), others.close()]);
  }
  return heard;
}

type Heard = Pick<
  RecordedMessages,
  "acquires" | "extends" | "releases" | "requests" | "rounds" | "losses" | "waiting"
>;

const NOTHING: Heard = {
  ...{ acquires: [], extends: [], releases: [], requests: [], rounds: [], losses: [], waiting: [] },
};

const WON = "won granted,granted,granted";
const LOST = "lost refused,refused,refused";

/** What is to be heard, channel by channel; nothing else. */
const SEQUENCES: Readonly<
  Record<
    string,
    {
      run: (stage: Stage) => Promise<void>;
      heard: Partial<Heard>;
      options?: LockManagerOptions;
    }
  >
> = {
  "a lock that is granted and released": {
    run: async ({ locks }) => void (await (await locks.acquire("a")).release()),
    heard: {
      ...{ acquires: ["granted"], releases: ["released"] },
      rounds: [`acquire ${WON}`, `release ${WON}`],
    },
  },
  "a request, with its callback": {
    run: async ({ locks }) => {
      await locks.request("a", () => 1);
      await rejectionOf(locks.request("a", () => Promise.reject(new Error("its own"))));
    },
    heard: {
      ...{ acquires: ["granted", "granted"], requests: ["done", "threw"] },
      releases: ["released", "released"],
      rounds: [`acquire ${WON}`, `release ${WON}`, `acquire ${WON}`, `release ${WON}`],
    },
  },
  "a permit": {
    run: async ({ locks }) => {
      await locks.semaphore("a", { permits: 2 }).request(() => 1);
    },
    heard: {
      ...{ acquires: ["granted"], requests: ["done"], releases: ["released"] },
      rounds: [`acquire ${WON}`, `release ${WON}`],
    },
  },
  "a lock that is joined": {
    run: async ({ locks }) => {
      await locks.request("a", { reentrant: true }, async () => {
        await locks.request("a", { reentrant: true }, () => 1);
      });
    },
    heard: {
      ...{ acquires: ["granted", "granted"], requests: ["done", "done"], releases: ["released"] },
      rounds: [`acquire ${WON}`, `release ${WON}`],
    },
  },
  "a term of an election": {
    run: async ({ locks }) => {
      for await (const _ of locks.elect("a")) break;
    },
    heard: {
      ...{ acquires: ["granted"], releases: ["released"] },
      rounds: [`acquire ${WON}`, `release ${WON}`],
    },
  },
  "a lock that is given and adopted": {
    run: async ({ locks, others }) => {
      const given = (await others.acquire("a")).handOver();
      await (await locks.adopt(given)).release();
    },
    heard: {
      ...{ acquires: ["granted", "granted"], releases: ["handedOver", "released"] },
      rounds: [`acquire ${WON}`, `acquire ${WON}`, `release ${WON}`],
    },
  },
  "a name that is held elsewhere": {
    run: async ({ locks, others }) => {
      const lock = await others.acquire("a");
      expect(await locks.tryAcquire("a")).to.equal(null);
      await lock.release();
    },
    heard: {
      ...{ acquires: ["granted", "contended"], releases: ["released"] },
      rounds: [`acquire ${WON}`, `acquire ${LOST}`, `release ${WON}`],
    },
  },
  "a wait that is called off by its signal": {
    run: async ({ locks, others, heard }) => {
      const lock = await others.acquire("a");
      const controller = new AbortController();
      // At once, before it asks again.
      const abort = (): void => {
        if (heard.rounds.length === 3) controller.abort();
      };
      CHANNELS.round.subscribe(abort);
      await rejectionOf(locks.acquire("a", { signal: controller.signal }));
      CHANNELS.round.unsubscribe(abort);
      await lock.release();
    },
    heard: {
      ...{ acquires: ["granted", "aborted"], releases: ["released"], waiting: ["a + 1", "a - 0"] },
      // The second time it asks for a place in the nodes' queues.
      rounds: [`acquire ${WON}`, `acquire ${LOST}`, `acquire ${LOST}`, `release ${WON}`],
    },
  },
  "a lock that is stolen": {
    run: async ({ locks }) => {
      await locks.acquire("a");
      await locks.request("a", { steal: true }, () => 1);
    },
    heard: {
      ...{ acquires: ["granted", "granted"], requests: ["done"], losses: ["stolen"] },
      ...{ releases: ["released"] },
      rounds: [`acquire ${WON}`, `acquire ${WON}`, `release ${WON}`],
    },
  },
  "a lock whose manager is closed": {
    run: async ({ others }) => {
      await others.acquire("a");
      await others.close();
      await rejectionOf(others.acquire("b"));
    },
    heard: {
      ...{ acquires: ["granted", "aborted"], losses: ["closed"] },
      rounds: [`acquire ${WON}`, `release ${WON}`],
    },
  },
  "too few nodes": {
    run: async ({ locks, nodes }) => {
      for (const node of nodes.slice(1)) node.crash();
      await eventually("they are down", () => locks.quorum.votes === 1);
      await rejectionOf(locks.acquire("a", { waitMs: 0 }));
    },
    heard: {
      acquires: ["unreachable"],
      rounds: ["acquire lost granted,disconnected,disconnected"],
    },
  },
  "a node that does not answer in time": {
    run: async ({ locks, nodes, heard }) => {
      at(nodes, 2).freeze();
      const lock = await locks.acquire("a", { renew: false });
      await eventually("the grant is judged", () => heard.rounds.length === 1);
      await lock.release();
      await eventually("the release is judged", () => heard.rounds.length === 2);
    },
    options: { nodeTimeoutMs: 2_000 },
    heard: {
      ...{ acquires: ["granted"], releases: ["released"] },
      rounds: ["acquire won granted,granted,timeout", "release won granted,granted,timeout"],
    },
  },
  "a lock that is renewed": {
    run: async ({ locks, heard }) => {
      const lock = await locks.acquire("a");
      await eventually("it is renewed", () => heard.rounds.length === 2);
      await lock.release();
    },
    options: { ttlMs: 9_000, nodeTimeoutMs: 2_000 },
    heard: {
      ...{ acquires: ["granted"], extends: ["extended"], releases: ["released"] },
      rounds: [`acquire ${WON}`, `extend ${WON}`, `release ${WON}`],
    },
  },
};

describe("What is published", () => {
  for (const [what, { run, heard, options }] of Object.entries(SEQUENCES)) {
    it(`of ${what}`, async () => {
      const {
        acquires,
        extends: extended,
        releases,
        requests,
        rounds,
        losses,
        waiting,
      } = await heardOf(run, options);
      const all = { acquires, extends: extended, releases, requests, rounds, losses, waiting };
      expect(all).to.deep.equal({ ...NOTHING, ...heard });
    });
  }

  it("of a wait that times out: the attempts, and who waits", async () => {
    const heard = await heardOf(async ({ locks, others }) => {
      await others.acquire("a");
      await rejectionOf(locks.acquire("a", { waitMs: 900 }));
    });
    expect(heard.acquires).to.deep.equal(["granted", "timeout"]);
    expect(heard.waiting).to.deep.equal(["a + 1", "a - 0"]);
    const message = heard.of<AcquireMessage>("acquire asyncEnd").at(-1);
    expect(message?.attemptCount).to.equal(message?.attempts.length).and.to.be.above(1);
    for (const { outcome, tally } of message?.attempts ?? []) {
      expect(`${outcome}: ${tally}`).to.match(/^refused: 0\/3 granted, [23] refused$/);
    }
    expect(message?.waitedMs).to.be.within(890, 60_000);
    expect(message?.error).to.be.instanceOf(Error);
    expect(heard.of("acquire error")).to.have.length(1);
  });

  it("of a renewal that is late and succeeds after all", async () => {
    const heard = await heardOf(async ({ locks, nodes, heard: soFar }) => {
      const told = new Promise((resolve) => locks.once("late", resolve));
      await locks.acquire("a");
      for (const node of nodes) node.freeze();
      expect([soFar.late, soFar.extends]).to.deep.equal([[], []]);
      await eventually("a renewal failed", () => soFar.extends.includes("failed"));
      await told;
      for (const node of nodes) node.thaw();
      await eventually("it is renewed", () => soFar.extends.includes("extended late"));
    }, BRIEF);
    expect(heard.late).to.have.length(1);
    expect(heard.late[0]).to.include({ name: "a", mode: "exclusive" });
    expect(heard.losses).to.deep.equal([]);
    expect(heard.extends[0]).to.equal("failed");
    expect(heard.extends).to.include("extended late");
    expect(heard.extends.indexOf("extended late")).to.equal(
      heard.extends.lastIndexOf("extended late"),
    );
  });

  it("of a lock that is lost: first that it is late", async () => {
    let extended: readonly string[] = [];
    const heard = await heardOf(async ({ locks, nodes, heard: soFar }) => {
      const lost = new Promise((resolve) => locks.once("lost", resolve));
      await locks.acquire("a");
      for (const node of nodes) node.freeze();
      await lost;
      // Once the nodes answer again, one that was in flight ends, too, as "lost".
      extended = soFar.extends;
      for (const node of nodes) node.thaw();
    }, BRIEF);
    expect(heard.losses).to.deep.equal(["expired unconfirmed"]);
    const order = heard.all.map(({ channel }) => channel);
    expect(order.indexOf("extend asyncEnd")).to.be.below(order.indexOf("late"));
    expect(order.indexOf("late")).to.be.below(order.indexOf("lost")).and.above(0);
    expect(new Set(extended)).to.deep.equal(new Set(["failed", "failed late"]));
    expect(heard.releases).to.deep.equal([]);
  });

  it("of a node that forgot, with the state before each state", async () => {
    const heard = await heardOf(async ({ locks, others, nodes }) => {
      await others.close();
      at(nodes, 0).restart();
      await eventually("it is known", () => at(locks.nodes, 0).state === "quarantined");
      await sleep(0);
    });
    const own = heard.nodes.filter((text) => !text.endsWith("closed"));
    const states = own.map((text) => text.split(" > ").at(-1));
    expect(states.at(-1)).to.equal("quarantined");
    for (const [index, text] of own.entries()) {
      expect(text).to.equal(`memory-0 ${states[index - 1] ?? "ready"} > ${states[index]}`);
    }
    const last = heard
      .of<{ state: string; quarantineLeftMs: number }>("node")
      .findLast(({ state }) => state === "quarantined");
    expect(last?.quarantineLeftMs).to.be.within(50_000, 61_000);
  });

  it("on real servers, as on memory nodes", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    await using locks = new LockManager(fleet.urls, { ttlMs: 9_000, nodeTimeoutMs: 2_500 });
    await locks.ready({ all: true });
    using heard = new RecordedMessages();
    await locks.request("a", async () => {
      expect(await locks.tryAcquire("a")).to.equal(null);
      await eventually("it is renewed", () => heard.extends.length === 1);
    });
    await eventually("all votes are in", () => heard.rounds.length === 4);
    expect(heard.acquires).to.deep.equal(["granted", "contended"]);
    expect(heard.extends).to.deep.equal(["extended"]);
    expect(heard.requests).to.deep.equal(["done"]);
    expect(heard.releases).to.deep.equal(["released"]);
    expect(heard.rounds).to.deep.equal([
      `acquire ${WON}`,
      `acquire ${LOST}`,
      `extend ${WON}`,
      `release ${WON}`,
    ]);
  });
});
