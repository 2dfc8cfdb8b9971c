import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { expect } from "chai";
import { aborted } from "../support/settle.js";
import { QuorumUnreachableError, WaitTimeoutError } from "../../src/api/errors.js";
import {
  ClosedError,
  LockLostError,
  LockManager,
  type LockManagerOptions,
  type QuorateWarning,
} from "../../src/index.js";
import { memoryNodes } from "../../src/memory/index.js";
import { FakeClient, type FakeBehaviour } from "../support/fake-client.js";
import { eventually, rejectionOf, rejectionWith } from "../support/settle.js";
import { uncaughtDuring } from "../support/uncaught.js";

/** Nothing listens on these: every connection is refused. */
const UNREACHABLE = ["redis://127.0.0.1:1", "redis://127.0.0.1:2", "redis://127.0.0.1:3"];

function fakes(behaviour: FakeBehaviour = "grants", count = 3): FakeClient[] {
  return Array.from({ length: count }, (_, index) => new FakeClient(index, behaviour));
}

async function withManager(
  nodes: ConstructorParameters<typeof LockManager>[0],
  options: LockManagerOptions,
  run: (locks: LockManager) => Promise<void>,
): Promise<void> {
  await using locks = new LockManager(nodes, options);
  await run(locks);
}

describe("LockManager: listeners that throw", () => {
  const throwing = (): never => {
    throw new Error("the listener's own");
  };
  const isOwn = (error: unknown): boolean => (error as Error).message === "the listener's own";

  it("of `node` do not keep it from trying every node again, nor from closing", async () => {
    const uncaught = await uncaughtDuring(() =>
      withManager(UNREACHABLE, {}, async (locks) => {
        locks.on("node", throwing);
        await eventually("all are down", () => locks.nodes.every(({ state }) => state === "down"));
        const error = await rejectionWith(
          QuorumUnreachableError,
          locks.acquire("invoice", { waitMs: 0 }),
        );
        const faults = error.votes.flatMap(({ fault }) => fault ?? []);
        expect(new Set(faults)).to.deep.equal(new Set(["disconnected"]));
      }),
    );
    expect(uncaught, "one a node at least").to.have.length.above(2);
    expect(uncaught.every(isOwn)).to.equal(true);
  });

  it("of `node` do not keep it from coming to locks when the nodes are there", async () => {
    const clients = fakes("refuses");
    const uncaught = await uncaughtDuring(() =>
      withManager(clients, {}, async (locks) => {
        locks.on("node", throwing);
        await eventually("tried twice", () => clients.every(({ openCount }) => openCount > 1));
        for (const client of clients) client.behaviour = "grants";
        const lock = await locks.acquire("invoice", { waitMs: 20_000 });
        expect(lock.isHeld).to.equal(true);
        expect(await lock.release()).to.equal("released");
      }),
    );
    expect(uncaught).to.have.length.above(2);
    expect(uncaught.every(isOwn)).to.equal(true);
  });

  it("of `lost` disturb neither the signal, nor the release, nor the other locks", async () => {
    const clients = fakes();
    const uncaught = await uncaughtDuring(() =>
      withManager(clients, {}, async (locks) => {
        locks.on("lost", throwing);
        const [first, second, kept] = await Promise.all([
          locks.acquire("first", { ttlMs: 100, renew: false }),
          locks.acquire("second", { ttlMs: 100, renew: false }),
          locks.acquire("kept"),
        ]);
        await eventually("both are lost", () => [first, second].every((lock) => !lock.isHeld));
        for (const { signal } of [first, second]) {
          expect(signal.reason).to.be.instanceOf(LockLostError).and.include({ reason: "expired" });
        }
        await eventually("released everywhere, but for the one that is kept", () =>
          clients.every((client) => client.held.size === 1),
        );
        kept.assertHeld();
        await kept.extend();
        expect(await kept.release()).to.equal("released");
      }),
    );
    expect(uncaught).to.have.length(2);
    expect(uncaught.every(isOwn)).to.equal(true);
  });

  it("of `lost` do not keep close from releasing the other locks", async () => {
    const clients = fakes();
    const uncaught = await uncaughtDuring(async () => {
      const locks = new LockManager(clients);
      locks.on("lost", throwing);
      await Promise.all(["a", "b", "c"].map((name) => locks.acquire(name)));
      await locks.close();
      for (const { held } of clients) expect(held.size).to.equal(0);
    });
    expect(uncaught).to.have.length(3);
  });

  it("of `warning` do not disturb what is warned of", async () => {
    // Every record says 3 nodes.
    const clients = fakes("grants", 5);
    const uncaught = await uncaughtDuring(() =>
      withManager(clients, {}, async (locks) => {
        locks.on("warning", throwing);
        const lock = await locks.acquire("invoice");
        expect(await lock.release()).to.equal("released");
      }),
    );
    expect(uncaught, "one a node").to.have.length(5);
    expect(uncaught.every(isOwn)).to.equal(true);
  });
});

describe("LockManager: events", () => {
  it("tells of a loss behind the lock's own signal, and not from within it", async () => {
    await withManager(fakes(), {}, async (locks) => {
      const told: string[] = [];
      const lock = await locks.acquire("invoice", { ttlMs: 100, renew: false });
      locks.on("lost", ({ name, reason }) => told.push(`${name} ${reason}`));
      lock.signal.addEventListener("abort", () => told.push("signal"));
      await eventually("told", () => told.length === 2);
      expect(told).to.deep.equal(["signal", "invoice expired"]);
    });
  });

  it("warns of another node count on record", async () => {
    await withManager(fakes("grants", 1), {}, async (locks) => {
      const warnings: QuorateWarning[] = [];
      locks.on("warning", (warning) => warnings.push(warning));
      await locks.ready();
      await eventually("warned", () => warnings.length > 0);
      expect(warnings[0]).to.include({ code: "QUORATE_NODE_LIST_MISMATCH" });
      expect(warnings[0]?.message).to.include("fake0:6379").and.include("3 nodes");
    });
  });
});

describe("LockManager: what it tells the nodes", () => {
  it("lets proposals be off by a quarter of maxTtlMs", async () => {
    const clients = fakes();
    const options = { maxTtlMs: 40_000 };
    await withManager(clients, options, async (locks) => {
      const lock = await locks.acquire("invoice");
      await lock.release();
    });
    for (const { constants } of clients) {
      expect(constants).to.deep.equal(["10000000"]);
    }
  });
});

describe("LockManager: forceRelease", () => {
  for (const when of ["before", "after"] as const) {
    it(`H2: is remembered for as long as the locks of a client may last that came ${when} it`, async () => {
      const nodes = memoryNodes(3);
      await using operator = new LockManager(nodes);
      if (when === "after") await operator.ready();
      await using locks = new LockManager(nodes, { maxTtlMs: 600_000, clockStepMs: 20_000 });
      locks.on("warning", () => {});
      const lock = await locks.acquire("invoice", { ttlMs: 500_000 });
      const { removed } = await operator.forceRelease("invoice");
      expect(removed).to.have.length(1);
      // Also what it reports: without the margin of the other.
      const { remainingMs = 0, freeInMs = 0 } = removed[0] ?? {};
      expect(freeInMs - remainingMs).to.equal(20_000);
      for (const node of nodes) {
        const leftMs = await node.command("PTTL", "quorate:ended:{lock:invoice}");
        expect(Number(leftMs)).to.be.within(610_000, 630_000);
      }
      await lock.release();
    });
  }
});

describe("LockManager: query of its own", () => {
  it("has one clientId for all that it holds and waits for, every time, and no other's", async () => {
    const nodes = memoryNodes(3);
    await using locks = new LockManager(nodes);
    await using other = new LockManager(nodes);
    const idsOf = async (manager: LockManager): Promise<string[]> => {
      const { held, pending } = await manager.query();
      return [...held, ...pending].map(({ clientId }) => clientId);
    };
    await locks.acquire("a");
    const first = await idsOf(locks);
    await locks.acquire("b");
    const waiting = rejectionOf(locks.acquire("a", { waitMs: 60_000 }));
    const second = await idsOf(locks);
    expect([first.length, second.length]).to.deep.equal([1, 3]);
    expect(new Set([...first, ...second, ...(await idsOf(locks))]).size).to.equal(1);
    await other.acquire("c");
    expect(await idsOf(other)).to.not.include(first[0]);
    await locks.close();
    await waiting;
  });
});

describe("LockManager: close", () => {
  it("gives its locks up as `closed`: signal, event and assertion say so", async () => {
    const clients = fakes();
    const locks = new LockManager(clients);
    const told: string[] = [];
    locks.on("lost", ({ name, reason }) => told.push(`${name} ${reason}`));
    const lock = await locks.acquire("invoice");
    const { signal } = lock;
    await locks.close();
    expect(signal.reason).to.be.instanceOf(LockLostError).and.include({ reason: "closed" });
    expect(() => lock.assertHeld())
      .to.throw(LockLostError)
      .with.property("reason", "closed");
    expect(told).to.deep.equal(["invoice closed"]);
    expect(await lock.release()).to.equal("expired");
    for (const { sent, held } of clients) {
      expect(new Set(sent)).to.deep.equal(new Set(["acquire", "release"]));
      expect(held.size).to.equal(0);
    }
  });

  it("rejects a request as lost by the close, with what its callback came to", async () => {
    const locks = new LockManager(fakes());
    const running = rejectionWith(
      LockLostError,
      locks.request("invoice", async (lock) => {
        void locks.close();
        await aborted(lock.signal);
        return "half done";
      }),
    );
    expect(await running).to.include({ reason: "closed", result: "half done" });
    await locks.close();
  });

  it("does not tell of locks that were released before as lost", async () => {
    const locks = new LockManager(fakes());
    const told: unknown[] = [];
    locks.on("lost", (event) => told.push(event));
    const lock = await locks.acquire("invoice");
    await lock.release();
    await locks.close();
    await Promise.resolve();
    expect(told).to.deep.equal([]);
    expect(lock.signal.aborted).to.equal(false);
  });

  it("renews nothing any more, however many locks wait to be released", async () => {
    const client = new FakeClient(0);
    const locks = new LockManager([client], { ttlMs: 4_500, nodeTimeoutMs: 2_100 });
    const names = Array.from({ length: 1_010 }, (_, index) => `invoice-${index}`);
    const held = await Promise.all(names.map((name) => locks.acquire(name)));
    const sentCount = client.sent.length;
    // The first releases take so long that the last locks' renewals are due before their turn comes.
    client.answerDelayMs = 1_800;
    const closing = locks.close();
    await eventually("releases are sent", () => client.sent.length > sentCount);
    expect(held.filter(({ isHeld }) => isHeld)).to.have.length(10);
    client.answerDelayMs = 0;
    await closing;
    expect(new Set(client.sent.slice(sentCount))).to.deep.equal(new Set(["release"]));
  });

  it("rejects what still waits, and what comes behind it, as closed", async () => {
    const locks = new LockManager(fakes("holds"));
    await locks.ready();
    const waiting = rejectionWith(ClosedError, locks.acquire("invoice", { waitMs: 60_000 }));
    const closing = locks.close();
    expect((await waiting).lockName).to.equal("invoice");
    await rejectionWith(ClosedError, locks.acquire("other"));
    await rejectionWith(ClosedError, locks.ready());
    await closing;
    expect(locks.close()).to.equal(locks.close());
  });

  it("ends terms at once, and gives other holders their time", async () => {
    await using locks = new LockManager(memoryNodes(3));
    const election = locks.elect("leader");
    const { value: term } = await election.next();
    const lock = await locks.acquire("invoice");
    const closing = locks.close({ drainMs: 60_000 });
    await eventually("the term has ended", () => term?.isHeld === false);
    lock.assertHeld();
    await lock.release();
    await closing;
    await election.return();
  });

  it("lets callbacks join the locks that they have while others have to end", async () => {
    const locks = new LockManager(memoryNodes(3));
    const joined: string[] = [];
    await locks.request("invoice", { reentrant: true }, async (lock) => {
      const closing = locks.close({ drainMs: 60_000 });
      await locks.request("invoice", { reentrant: true }, (again) => {
        joined.push(again.name);
        expect(again.fencingToken).to.equal(lock.fencingToken);
      });
      await rejectionWith(ClosedError, locks.acquire("other"));
      await rejectionWith(
        ClosedError,
        locks.request("other", { reentrant: true }, () => {}),
      );
      void closing;
    });
    await locks.close();
    expect(joined).to.deep.equal(["invoice"]);
  });
});

describe("LockManager: a signal that the caller gave", () => {
  const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

  it("is let go of however the acquire ends", async () => {
    const { signal } = new AbortController();
    await using locks = new LockManager(memoryNodes(3));
    const lock = await locks.acquire("invoice", { signal });
    expect(listenersOf(signal), "granted").to.equal(0);
    expect(await locks.tryAcquire("invoice", { signal })).to.equal(null);
    expect(listenersOf(signal), "refused").to.equal(0);
    const stolen = await locks.request("invoice", { steal: true }, () => "mine");
    expect(stolen).to.equal("mine");
    expect(lock.isHeld).to.equal(false);
    const semaphore = locks.semaphore("gpu", { permits: 1 });
    await semaphore.acquire({ signal });
    expect(await semaphore.tryAcquire({ signal })).to.equal(null);
    expect(listenersOf(signal), "a permit").to.equal(0);
    await rejectionOf(locks.acquire("gpu", { signal, waitMs: 1 }));
    expect(listenersOf(signal), "timed out").to.equal(0);
  });

  it("may be shared by any number of calls, which all end with it, without a warning", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    await using locks = new LockManager(memoryNodes(3));
    await using blind = new LockManager(UNREACHABLE);
    await locks.acquire("invoice");
    const calls = Array.from({ length: 12 }, () => [
      rejectionOf(locks.acquire("invoice", { signal, waitMs: 60_000 })),
      rejectionOf(blind.ready({ signal, timeoutMs: 60_000 })),
      locks.elect("invoice", { signal }).next(),
      // It has to find out who holds it first.
      blind.observe("invoice", { signal }).next(),
    ]).flat();
    await turn();
    expect(listenersOf(signal)).to.equal(1);
    controller.abort("over");
    const ends = await Promise.all(calls);
    const over = { done: true, value: undefined };
    for (let at = 0; at < ends.length; at += 4)
      expect(ends.slice(at, at + 4)).to.deep.equal(["over", "over", over, over]);
    expect(listenersOf(signal)).to.equal(0);
    await turn();
    process.off("warning", onWarning);
    expect(warnings).to.deep.equal([]);
  });

  it("is listened to while the acquire waits", async () => {
    const { signal } = new AbortController();
    const locks = new LockManager(fakes("holds"));
    const waiting = rejectionOf(locks.acquire("invoice", { signal, waitMs: 60_000 }));
    expect(listenersOf(signal)).to.equal(1);
    await locks.close();
    await waiting;
    expect(listenersOf(signal)).to.equal(0);
  });
});

describe("LockManager: what an acquire that fails is thrown as", () => {
  it("carries how long it waited and how often it tried", async () => {
    const clients = fakes("holds");
    await withManager(clients, {}, async (locks) => {
      const error = await rejectionWith(WaitTimeoutError, locks.acquire("x", { waitMs: 120 }));
      expect(error.waitedMs).to.be.at.least(120);
      // Two or three, but for a machine that stalls.
      const askedCounts = clients.map(({ sent }) => sent.filter((step) => step === "acquire"));
      const askedCount = Math.max(...askedCounts.map(({ length }) => length));
      expect(error.attemptCount).to.be.at.least(askedCount);
      expect(askedCount).to.be.at.least(1);
      expect(error).to.include({ holderLabel: "somebody", freeInMs: 5_000, remainingMs: 0 });
    });
  });

  it("is null from tryAcquire where the lock is held, and an error where nobody can tell", async () => {
    await withManager(fakes("holds"), {}, async (locks) => {
      expect(await locks.tryAcquire("x")).to.equal(null);
    });
    await withManager(UNREACHABLE, {}, async (locks) => {
      await rejectionWith(QuorumUnreachableError, locks.tryAcquire("x"));
    });
  });

  it("is the caller's own reason after an abort, before and while waiting", async () => {
    await withManager(fakes("holds"), {}, async (locks) => {
      const own = new Error("own");
      const aborted = AbortSignal.abort(own);
      expect(await rejectionOf(locks.acquire("x", { signal: aborted }))).to.equal(own);
      const controller = new AbortController();
      const { signal } = controller;
      const waiting = rejectionOf(locks.acquire("x", { signal, waitMs: 60_000 }));
      controller.abort(own);
      expect(await waiting).to.equal(own);
    });
  });

  it("is a rejection, never a throw, also for bad arguments", async () => {
    await withManager(fakes(), {}, async (locks) => {
      for (const name of ["a\ud83d", "\udd12a", "\ud83e", "", "x".repeat(1_025)]) {
        for (const acquire of [
          () => locks.acquire(name),
          () => locks.tryAcquire(name),
          () => locks.request(name, () => {}),
        ]) {
          const error = await rejectionWith(RangeError, acquire());
          expect(error.message).to.include("`name`");
        }
      }
      const whole = await locks.acquire("a\ud83d\udd12");
      expect(whole.name).to.equal("a🔒");
    });
  });
});

describe("LockManager: a ttl that was probably meant in seconds", () => {
  const json = {
    kind: "quorate-lock",
    version: 1,
    name: "a",
    lockKey: "lock:a",
    mode: "exclusive",
    ownerId: "A".repeat(22),
    fencingToken: 7,
    ttlMs: 30_000,
  } as const;
  const asks: readonly [string, (locks: LockManager, ttlMs: number) => unknown][] = [
    ["acquire", (locks, ttlMs) => locks.acquire("a", { ttlMs })],
    ["tryAcquire", (locks, ttlMs) => locks.tryAcquire("a", { ttlMs })],
    ["request", (locks, ttlMs) => locks.request("a", { ttlMs }, () => {})],
    ["semaphore", (locks, ttlMs) => locks.semaphore("a", { permits: 2, ttlMs }).acquire()],
    ["elect", (locks, ttlMs) => locks.elect("a", { ttlMs })],
    ["adopt", (locks, ttlMs) => locks.adopt(json, { ttlMs })],
  ];

  /** The warnings of a manager that is asked twice. */
  async function warningsOf(
    options: LockManagerOptions,
    ask: (locks: LockManager) => unknown = () => {},
  ): Promise<QuorateWarning[]> {
    const warnings: QuorateWarning[] = [];
    const locks = new LockManager(UNREACHABLE, options);
    locks.on("warning", (warning) => warnings.push(warning));
    const asked = [0, 1].map(async () => ask(locks));
    await new Promise((resolve) => setImmediate(resolve));
    await locks.close();
    await Promise.allSettled(asked);
    return warnings;
  }

  for (const [title, ask] of asks) {
    it(`is warned of once, in ${title}`, async () => {
      const [warning, ...more] = await warningsOf({}, (locks) => ask(locks, 99));
      expect(warning?.code).to.equal("QUORATE_SHORT_TTL");
      expect(warning?.message).to.include("`ttlMs` of 99").and.include("multiply by 1000");
      expect(more).to.deep.equal([]);
      expect(await warningsOf({}, (locks) => ask(locks, 100))).to.deep.equal([]);
    });
  }

  it("is warned of once, in the options of the manager", async () => {
    const warnings = await warningsOf({ ttlMs: 30 }, (locks) => locks.acquire("a"));
    expect(warnings.map(({ code }) => code)).to.deep.equal(["QUORATE_SHORT_TTL"]);
    expect(await warningsOf({ ttlMs: 100 }, (locks) => locks.acquire("a"))).to.deep.equal([]);
  });
});

describe("LockManager: arguments that a call does not have", () => {
  let locks: LockManager;
  before(() => {
    locks = new LockManager(["redis://127.0.0.1:1"]);
  });
  after(() => locks.close());

  /** As JavaScript would call it. */
  const call = async (target: object, method: string, args: readonly unknown[]): Promise<unknown> =>
    (target as Record<string, (...args: readonly unknown[]) => unknown>)[method]?.(...args) ??
    expect.fail(`no ${method}`);
  const run = (): void => expect.fail("must not run");

  for (const [on, method, args, says] of [
    ["locks", "acquire", ["a", {}, run], /acquire\(name, options\).* request\(name, options, call/],
    ["locks", "tryAcquire", ["a", {}, run], /tryAcquire\(.*a function: request\(name, options/],
    ["locks", "request", ["a", run, { ttlMs: 1_000 }], /options come before the callback/],
    ["locks", "query", ["a"], /query\(\) has no argument 1, got "a": inspect\(name\)/],
    ["locks", "elect", ["a", {}, run], /elect\(name, options\) .*a function: `for await/],
    [
      "locks",
      "semaphore",
      ["a", { permits: 1 }, run],
      /semaphore\(.*a function: request\(options, ca/,
    ],
    ["locks", "inspect", ["a", run], /inspect\(name\) .*a function: await its result/],
    ["locks", "observe", ["a", {}, run], /observe\(name, options\) .*a function: `for await/],
    ["locks", "forceRelease", ["a", {}, run], /forceRelease\(name, options\) .*await its result/],
    ["locks", "adopt", ["{}", {}, run], /adopt\(json, options\) .*a function: await its result/],
    ["semaphore", "acquire", [{}, run], /acquire\(options\).*request\(options, callback\)/],
    ["semaphore", "tryAcquire", [{}, run], /tryAcquire\(options\).*request\(options, callback\)/],
    ["semaphore", "request", [run, { waitMs: 0 }], /options come before the callback/],
  ] as const) {
    it(`${on}.${method} refuses, and says what was probably meant`, async () => {
      const target = on === "locks" ? locks : locks.semaphore("s", { permits: 2 });
      const error = await rejectionWith(TypeError, call(target, method, args));
      expect(error.message).to.match(says);
    });
  }
});

describe("LockManager: calls that its closing ends", () => {
  const ASKING: Readonly<Record<string, (locks: LockManager) => Promise<unknown>>> = {
    forceRelease: (locks) => locks.forceRelease("a"),
    "semaphore.available": (locks) => locks.semaphore("a", { permits: 2 }).available(),
    "semaphore.resize": (locks) => locks.semaphore("a", { permits: 2 }).resize(3),
  };
  for (const [title, ask] of Object.entries(ASKING)) {
    it(`says of a ${title} that its closing has ended that it is closed, not that nodes are unreachable`, async () => {
      const locks = new LockManager(memoryNodes(3));
      const asked = rejectionOf(ask(locks));
      await locks.close();
      expect(await asked).to.be.instanceOf(ClosedError);
    });
  }
});
