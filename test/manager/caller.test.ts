import { expect } from "chai";
import { asked } from "../../src/manager/caller.js";
import {
  LockLostError,
  LockManager,
  QuorateError,
  type GivenLock,
  type LockManagerOptions,
} from "../../src/index.js";
import { FakeClient, type FakeBehaviour } from "../support/fake-client.js";
import { rejectionOf } from "../support/settle.js";

const OPTIONS: LockManagerOptions = { ttlMs: 400, nodeTimeoutMs: 50, waitMs: 60, renew: false };
/** Where the lock is had: on a machine that stalls only by a further attempt. */
const PATIENT = { ...OPTIONS, waitMs: 20_000 };
/** Where the nodes answer at once, and only a machine that stalls makes them late. */
const ANSWERED = { ...OPTIONS, ttlMs: 60_000, nodeTimeoutMs: 20_000 };
const ONCE = { waitMs: 0 };

const OPTIONS_BY_NODES: Partial<Record<FakeBehaviour, LockManagerOptions>> = {
  grants: PATIENT,
  holds: ANSWERED,
};

const GIVEN: GivenLock = {
  kind: "quorate-lock",
  version: 1,
  name: "a",
  lockKey: "lock:a",
  mode: "exclusive",
  ownerId: "A".repeat(22),
  fencingToken: 7,
  ttlMs: 400,
};

interface Failing {
  readonly title: string;
  readonly nodes: FakeBehaviour;
  readonly code: string;
  /** Closes the manager while it waits. */
  readonly isClosed?: boolean;
  readonly ask: (locks: LockManager) => Promise<unknown>;
}

const never = new Promise<never>(() => {});

const FAILING: readonly Failing[] = [
  {
    title: "acquire, held",
    nodes: "holds",
    code: "CONTENDED",
    ask: (locks) => locks.acquire("a", ONCE),
  },
  {
    title: "acquire, in time",
    nodes: "holds",
    code: "WAIT_TIMEOUT",
    ask: (locks) => locks.acquire("a"),
  },
  {
    title: "acquire, nobody there",
    nodes: "refuses",
    code: "UNREACHABLE",
    ask: (locks) => locks.acquire("a", ONCE),
  },
  {
    title: "acquire, closed while it waits",
    nodes: "holds",
    code: "CLOSED",
    isClosed: true,
    ask: (locks) => locks.acquire("a", { waitMs: 60_000 }),
  },
  {
    title: "tryAcquire",
    nodes: "refuses",
    code: "UNREACHABLE",
    ask: (locks) => locks.tryAcquire("a"),
  },
  {
    title: "request",
    nodes: "holds",
    code: "WAIT_TIMEOUT",
    ask: (locks) => locks.request("a", () => {}),
  },
  {
    title: "request, ifAvailable",
    nodes: "refuses",
    code: "UNREACHABLE",
    ask: (locks) => locks.request("a", { ifAvailable: true }, () => {}),
  },
  {
    title: "request, lost",
    nodes: "grants",
    code: "LOST",
    ask: (locks) => locks.request("a", { ttlMs: 150 }, () => never),
  },
  {
    title: "request, lost, with a result",
    nodes: "grants",
    code: "LOST",
    ask: (locks) =>
      locks.request("a", { ttlMs: 150 }, ({ signal }) => {
        return new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      }),
  },
  {
    title: "a permit",
    nodes: "holds",
    code: "WAIT_TIMEOUT",
    ask: (locks) => locks.semaphore("a", { permits: 2 }).acquire(),
  },
  {
    title: "a permit, tryAcquire",
    nodes: "refuses",
    code: "UNREACHABLE",
    ask: (locks) => locks.semaphore("a", { permits: 2 }).tryAcquire(),
  },
  {
    title: "a permit, request",
    nodes: "holds",
    code: "WAIT_TIMEOUT",
    ask: (locks) => locks.semaphore("a", { permits: 2 }).request(() => {}),
  },
  { title: "adopt", nodes: "refuses", code: "UNREACHABLE", ask: (locks) => locks.adopt(GIVEN) },
  {
    title: "forceRelease",
    nodes: "refuses",
    code: "UNREACHABLE",
    ask: (locks) => locks.forceRelease("a"),
  },
  {
    title: "ready",
    nodes: "refuses",
    code: "NOT_READY",
    ask: (locks) => locks.ready({ timeoutMs: 20 }),
  },
  {
    title: "ready, closed",
    nodes: "refuses",
    code: "CLOSED",
    isClosed: true,
    ask: (locks) => locks.ready(),
  },
  {
    title: "elect",
    nodes: "holds",
    code: "CLOSED",
    isClosed: true,
    ask: async (locks) => {
      for await (const term of locks.elect("a")) throw new Error(`elected: ${term.name}`);
    },
  },
  {
    title: "extend",
    nodes: "grants",
    code: "UNREACHABLE",
    ask: async (locks) => {
      const lock = await locks.acquire("a", { ttlMs: 60_000 });
      FAKES.forEach((fake) => (fake.behaviour = "silent"));
      await lock.extend();
    },
  },
  {
    title: "extend, too late",
    nodes: "grants",
    code: "LOST",
    ask: async (locks) => {
      const lock = await locks.acquire("a");
      await lock.release();
      await lock.extend();
    },
  },
  {
    title: "inspect, closed",
    nodes: "grants",
    code: "CLOSED",
    ask: async (locks) => {
      await locks.close();
      await locks.inspect("a");
    },
  },
];

let FAKES: FakeClient[] = [];

describe("What is rejected", () => {
  for (const { title, nodes, code, isClosed = false, ask } of FAILING) {
    it(`names its caller: ${title}`, async () => {
      FAKES = [0, 1, 2].map((index) => new FakeClient(index, nodes));
      await using locks = new LockManager(FAKES, OPTIONS_BY_NODES[nodes] ?? OPTIONS);
      if (nodes !== "refuses") await locks.ready();
      const error = await rejectionOf(theCaller(locks, ask, isClosed));
      expect(error).to.be.instanceOf(QuorateError);
      expect((error as QuorateError).code).to.equal(`QUORATE_${code}`);
      const { stack = "" } = error as Error;
      expect(stack).to.match(/\n +at async theCaller /);
      // What it is still comes first.
      expect(stack.startsWith(`${(error as Error).name}: ${(error as Error).message}\n`)).to.equal(
        true,
      );
    });
  }

  it("keeps the stack of an error that is the user's own", async () => {
    const own = new Error("own");
    const { stack } = own;
    expect(await rejectionOf(asked(Promise.reject(own)))).to.equal(own);
    expect(own.stack).to.equal(stack);
    await using locks = new LockManager([new FakeClient(0, "holds")], OPTIONS);
    const signal = AbortSignal.abort(own);
    expect(await rejectionOf(locks.acquire("a", { signal }))).to.equal(own);
    expect(own.stack).to.equal(stack);
  });
});

describe("The reason of a signal that is one of our errors", () => {
  const CALLS: readonly (readonly [
    string,
    (locks: LockManager, signal: AbortSignal) => Promise<unknown>,
  ])[] = [
    ["acquire", (locks, signal) => locks.acquire("a", { signal })],
    ["request", (locks, signal) => locks.request("a", { signal }, () => {})],
    ["a permit", (locks, signal) => locks.semaphore("a", { permits: 2 }).acquire({ signal })],
    ["adopt", (locks, signal) => locks.adopt(GIVEN, { signal })],
    ["ready", (locks, signal) => locks.ready({ signal })],
  ];
  for (const [title, call] of CALLS)
    for (const isFrozen of [false, true])
      it(`is passed on unchanged: ${title}${isFrozen ? ", frozen" : ""}`, async () => {
        await using locks = new LockManager([new FakeClient(0, "holds")], OPTIONS);
        const reason = new LockLostError("other", "expired");
        const { stack } = reason;
        if (isFrozen) Object.freeze(reason);
        expect(await rejectionOf(call(locks, AbortSignal.abort(reason)))).to.equal(reason);
        expect(reason.stack).to.equal(stack);
      });

  it("is what a request rejects with whose lock has that signal, even where it is frozen", async () => {
    await using locks = new LockManager([new FakeClient(0, "grants")], PATIENT);
    let reason: unknown;
    const request = locks.request("a", { ttlMs: 150 }, ({ signal }) => {
      signal.addEventListener("abort", () => (reason = Object.freeze(signal.reason)));
      return never;
    });
    expect(await rejectionOf(request)).to.equal(reason);
  });
});

async function theCaller(
  locks: LockManager,
  ask: Failing["ask"],
  isClosed: boolean,
): Promise<void> {
  if (isClosed) setTimeout(() => void locks.close(), 20);
  await ask(locks);
}
