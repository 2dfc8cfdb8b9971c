import { expect } from "chai";
import { brief } from "../support/brief.js";
import { LockContendedError, WaitTimeoutError } from "../../src/api/errors.js";
import {
  LockManager,
  type AcquireOptions,
  type Lock,
  type LockManagerOptions,
} from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, noLockKeys } from "../support/nodes.js";
import { rejectionOf } from "../support/settle.js";
import { describeWithClocks } from "../support/with-clocks.js";

const TTL_MS = 4_000;
const MARGIN_MS = 12_000;
/** Longer than the lock, so that keys without a margin end at once; with what is gained meanwhile within the margin. */
const STEP_MS = 8_000;

const OPTIONS: LockManagerOptions = {
  ...brief(TTL_MS),
  clockStepMs: MARGIN_MS,
  waitMs: 60_000,
  retry: { maxDelayMs: 100 },
};

/** How a name is held, and how it is asked for by one whom that keeps out. */
interface Kind {
  readonly title: string;
  hold(locks: LockManager, name: string): Promise<Lock>;
  ask(locks: LockManager, name: string, options: AcquireOptions): Promise<Lock>;
}

const plain: Kind["ask"] = (locks, name, options) => locks.acquire(name, options);

const KINDS: readonly Kind[] = [
  { title: "a plain lock", hold: (locks, name) => locks.acquire(name), ask: plain },
  {
    title: "a reader, before a writer",
    hold: (locks, name) => locks.acquire(name, { mode: "shared" }),
    ask: plain,
  },
  {
    title: "a writer, before a reader",
    hold: (locks, name) => locks.acquire(name),
    ask: (locks, name, options) => locks.acquire(name, { ...options, mode: "shared" }),
  },
  {
    title: "the only permit",
    hold: (locks, name) => locks.semaphore(name, { permits: 1 }).acquire(),
    ask: (locks, name, options) => locks.semaphore(name, { permits: 1 }).acquire(options),
  },
  {
    title: "an owner, before another",
    hold: (locks, name) => locks.acquire(name, { owner: "job-1" }),
    ask: (locks, name, options) => locks.acquire(name, { ...options, owner: "job-2" }),
  },
  {
    title: "a set, before one of its names",
    hold: (locks, name) => locks.acquire([name, `${name}-too`]),
    ask: (locks, name, options) => locks.acquire(`${name}-too`, options),
  },
];

/** Which clocks are set, of the nodes on which the lock stands: the first ones. */
interface Place {
  readonly title: string;
  readonly nodeCount: number;
  readonly holding: number;
  readonly stepped: number;
}

const PLACES: readonly Place[] = [
  { title: "of the only node", nodeCount: 1, holding: 1, stepped: 1 },
  { title: "of one of the two that have it, of three", nodeCount: 3, holding: 2, stepped: 1 },
  { title: "of all three", nodeCount: 3, holding: 3, stepped: 3 },
];

for (const { title, nodeCount, holding, stepped } of PLACES) {
  describeWithClocks(`A lock, when the clock is stepped ${title}`, () => {
    let fleet: RedisFleet;
    const managers: LockManager[] = [];

    before(async () => {
      fleet = await RedisFleet.start({ nodes: nodeCount, links: true, server: { clock: true } });
      await using first = new LockManager(fleet.urls, { nodeTimeoutMs: 4_000 });
      await allNodes(first);
    });
    afterEach(async () => {
      await Promise.all(managers.splice(0).map((locks) => locks.close()));
      for (const node of fleet.nodes) node.clock.reset();
      await noLockKeys(fleet.nodes);
    });
    after(() => fleet.stop());

    async function manager(
      urls: readonly string[] = fleet.urls,
      options: LockManagerOptions = OPTIONS,
    ): Promise<LockManager> {
      const locks = new LockManager(urls, options);
      // Of clocks that are off, which is what this is about.
      locks.on("warning", () => {});
      managers.push(locks);
      await allNodes(locks);
      return locks;
    }

    function step(ms: number): void {
      for (const node of fleet.nodes.slice(0, stepped)) node.clock.jump(ms);
    }

    /** As if it had never got to those. */
    async function forgetOn(nodes: RedisFleet["nodes"]): Promise<void> {
      for (const node of nodes) {
        const keys = (await node.command("KEYS", "*lock:*")) as string[];
        if (keys.length > 0) await node.command("DEL", ...keys);
      }
    }

    /** That it is still held shows that nobody should have it. */
    async function expectKeptOut(kind: Kind, held: Lock, name: string, waitMs: number) {
      const others = await manager();
      const asking = kind.ask(others, name, { waitMs });
      const error = await rejectionOf(asking);
      expect(error, kind.title).to.be.instanceOf(
        waitMs === 0 ? LockContendedError : WaitTimeoutError,
      );
      expect(held.isHeld, kind.title).to.equal(true);
    }

    for (const kind of KINDS) {
      it(`forward, within the margin: no second holder beside ${kind.title}`, async () => {
        const [locks, others] = [await manager(), await manager()];
        const held = await kind.hold(locks, "name");
        await forgetOn(fleet.nodes.slice(holding));
        step(STEP_MS);
        await expectKeptOut(kind, held, "name", 0);
        // And after its next renewal as much again: the margin is that of each renewal.
        await held.extend();
        step(STEP_MS);
        await expectKeptOut(kind, held, "name", 0);
        expect(await held.release()).to.equal("released");
        await (await kind.ask(others, "name", {})).release();
      });
    }

    it("forward and back: whoever waits for longer than a ttl sees that it is renewed", async () => {
      const locks = await manager();
      step(STEP_MS);
      const all = KINDS.map((kind, at) => ({ kind, name: `name-${at}` }));
      const held = await Promise.all(all.map(({ kind, name }) => kind.hold(locks, name)));
      // Now their keys end later than any renewal would have it.
      step(-STEP_MS);
      await Promise.all(
        all.map(({ kind, name }, n) => expectKeptOut(kind, at(held, n), name, 2 * TTL_MS)),
      );
      await Promise.all(held.map((lock) => lock.release()));
    });

    it("and its holder crashes: those who waited, and those who begin to, get it before the margin is over", async () => {
      const ways = await fleet.linksFor("the one that crashes");
      const margin = { ...OPTIONS, clockStepMs: 600_000 };
      const locks = await manager(
        ways.map(({ url }) => url),
        margin,
      );
      const others = await manager();
      const crashing = new Map<string, Lock>();
      for (const [n, kind] of KINDS.entries()) {
        for (const who of ["waiting", "new"]) {
          const name = `${who}-${n}`;
          crashing.set(name, await kind.hold(locks, name));
        }
      }
      const asked = async (by: LockManager, who: string): Promise<Lock[]> =>
        Promise.all(
          KINDS.map(async (kind, n) => {
            const name = `${who}-${n}`;
            const next = await kind.ask(by, name, {});
            expect(crashing.get(name)?.isHeld, `${kind.title} ${who}`).to.equal(false);
            return next;
          }),
        );
      const waiting = asked(others, "waiting");
      // Nothing of it arrives any more, and no release either.
      for (const way of ways) way.blackhole();
      step(STEP_MS);
      const late = asked(await manager(), "new");
      // Long before ten minutes: else the test runs out of time.
      const taken = [...(await waiting), ...(await late)];
      await Promise.all(taken.map((lock) => lock.release()));
      await locks.close();
      // The other name of the set: nobody asked for that one.
      await forgetOn(fleet.nodes);
    });
  });
}
