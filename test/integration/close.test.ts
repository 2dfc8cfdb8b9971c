import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { ClosedError, LockLostError, LockManager } from "../../src/index.js";
import { giveUpAfterMs } from "../../src/protocol/deadlines.js";
import { RedisFleet } from "../../src/testing/index.js";
import {
  allNodes,
  at,
  fenceOf,
  holdByHand,
  lockKeys,
  noLockKeys,
  allHold,
} from "../support/nodes.js";
import { eventually, rejectionOf, rejectionWith, renewed, settled } from "../support/settle.js";

const OPTIONS = { ttlMs: 60_000, nodeTimeoutMs: 5_000 };
const CHILD = fileURLToPath(new URL("../support/exits-by-itself.js", import.meta.url));

/** What a callback waits for. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return await Promise.race([promise.then(() => true), sleep(ms, false)]);
}

describe("Closing a lock manager", function () {
  this.timeout(60_000);
  let fleet: RedisFleet;
  let locks: LockManager;

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3, links: true });
    locks = new LockManager(fleet.urls, OPTIONS);
    await allNodes(locks);
  });

  afterEach(async () => {
    await locks.close();
    await fleet.stop();
  });

  it("releases what is held on all nodes, and turns away what waits", async () => {
    const held = await Promise.all(
      Array.from({ length: 200 }, (_, index) => locks.acquire(`held-${index}`)),
    );
    const waiting = held
      .slice(0, 50)
      .map((lock) => rejectionWith(ClosedError, locks.acquire(lock.name)));
    await locks.close();
    await Promise.all(waiting);
    expect(await lockKeys(fleet.nodes)).to.deep.equal([]);
    for (const lock of held) expect(lock.isHeld).to.equal(false);
    // Who holds one is told as of any other loss.
    expect(at(held, 0).signal.reason).to.be.instanceOf(LockLostError);
    expect(at(held, 0).signal.reason).to.have.property("reason", "closed");
    expect(() => at(held, 0).assertHeld()).to.throw(LockLostError);
    expect(await at(held, 0).release()).to.equal("expired");
    expect(locks.nodes.map(({ state }) => state)).to.deep.equal(["closed", "closed", "closed"]);
  });

  it("takes back an acquire that is on its way", async () => {
    for (const node of fleet.nodes) node.link.delay(60);
    const pendingAcquire = rejectionWith(ClosedError, locks.acquire("name"));
    await sleep(20);
    await locks.close();
    await pendingAcquire;
    for (const node of fleet.nodes) {
      await eventually(
        "the acquire was executed",
        async () => (await fenceOf(node, "name")) !== null,
      );
    }
    await noLockKeys(fleet.nodes);
  });

  it("takes back an acquire of the very same tick", async () => {
    const pendingAcquire = rejectionWith(ClosedError, locks.acquire("name"));
    const closing = locks.close();
    await Promise.all([pendingAcquire, closing]);
    await noLockKeys(fleet.nodes);
  });

  it("releases on the nodes beyond the quorum, too, though they are slower", async () => {
    await locks.acquire("name");
    await allHold(fleet.nodes, "name");
    at(fleet.nodes, 2).link.delay(150);
    await locks.close();
    await noLockKeys(fleet.nodes);
  });

  it("waits for a node that does not answer no longer than its deadline", async () => {
    const nodeTimeoutMs = 2_000;
    const impatient = new LockManager(fleet.urls, { ...OPTIONS, nodeTimeoutMs });
    await allNodes(impatient);
    await impatient.acquire("name");
    for (const node of fleet.nodes.slice(1)) await node.pause();
    const { elapsedMs } = await settled(() => impatient.close());
    // Once for the release, once for what is still on the way. The connections would be given up much later.
    expect(elapsedMs).to.be.below(giveUpAfterMs(nodeTimeoutMs) - 1_000);
    await noLockKeys(fleet.nodes.slice(0, 1));
    for (const node of fleet.nodes.slice(1)) await node.resume();
    // Written behind the acquire on the same connection before that was closed.
    await noLockKeys(fleet.nodes);
  });

  it("ends a request that is running: its lock is gone", async () => {
    let goOn = (): void => {};
    let isRunning = false;
    const requesting = rejectionOf(
      locks.request("name", async () => {
        isRunning = true;
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        return "result";
      }),
    );
    await eventually("it runs", () => isRunning);
    await locks.close();
    await noLockKeys(fleet.nodes);
    goOn();
    // The callback went on without the lock, which must not pass for a success.
    const error = await requesting;
    expect(error).to.be.instanceOf(LockLostError);
    expect(error).to.include({ reason: "closed", result: "result" });
  });

  it("with drainMs lets requests finish, renews their locks meanwhile, and releases them", async () => {
    await using quick = new LockManager(fleet.urls, { ttlMs: 6_000, nodeTimeoutMs: 2_500 });
    const goOn = gate();
    const requesting = quick.request("name", async (lock) => {
      await goOn.opened;
      lock.assertHeld();
      return "result";
    });
    const held = await quick.acquire("permit");
    await allHold(fleet.nodes, "name");
    const next = locks.request("name", { waitMs: 60_000 }, () => "next");
    const waitingHere = rejectionWith(ClosedError, quick.acquire("name", { waitMs: 60_000 }));
    await sleep(50);
    const closing = quick.close({ drainMs: 60_000 });
    await waitingHere;
    expect(quick.isReady).to.equal(false);
    await rejectionWith(ClosedError, quick.acquire("other"));
    await rejectionWith(ClosedError, quick.tryAcquire("other"));
    await rejectionWith(ClosedError, quick.elect("other").next());
    await renewed(held);
    goOn.open();
    expect(await requesting).to.equal("result");
    expect(await next).to.equal("next");
    expect(await settledWithin(closing, 100), "one is still held").to.equal(false);
    expect(await held.release()).to.equal("released");
    await closing;
    await noLockKeys(fleet.nodes);
    expect(quick.nodes.map(({ state }) => state)).to.deep.equal(["closed", "closed", "closed"]);
  });

  it("with drainMs releases what is left when the time is over, and tells its holder", async () => {
    const lock = await locks.acquire("name");
    const { elapsedMs } = await settled(() => locks.close({ drainMs: 300 }));
    expect(elapsedMs).to.be.at.least(300);
    expect(lock.signal.reason).to.be.instanceOf(LockLostError).and.include({ reason: "closed" });
    await noLockKeys(fleet.nodes);
  });

  it("with drainMs ends terms at once, and their elections with a ClosedError", async () => {
    const election = locks.elect("leader");
    const { value: term } = await election.next();
    const candidate = rejectionWith(ClosedError, locks.elect("leader").next());
    const lock = await locks.acquire("name");
    const closing = locks.close({ drainMs: 60_000 });
    await candidate;
    expect(term?.isHeld).to.equal(false);
    expect(term?.signal.reason).to.be.instanceOf(LockLostError).and.include({ reason: "closed" });
    expect(lock.isHeld).to.equal(true);
    await rejectionWith(ClosedError, election.next());
    await lock.release();
    await closing;
    await noLockKeys(fleet.nodes);
  });

  it("with drainMs lets a request reenter its own lock", async () => {
    const goOn = gate();
    const entered = gate();
    const requesting = locks.request("name", { reentrant: true }, async () => {
      entered.open();
      await goOn.opened;
      return await locks.request("name", { reentrant: true }, (lock) => lock.isHeld);
    });
    await entered.opened;
    const closing = locks.close({ drainMs: 60_000 });
    goOn.open();
    expect(await requesting).to.equal(true);
    await closing;
  });

  it("ends a drain when it is called again, at the earliest time", async () => {
    const lock = await locks.acquire("name");
    const first = locks.close({ drainMs: Number.POSITIVE_INFINITY });
    expect(await settledWithin(first, 100)).to.equal(false);
    const second = locks.close({ drainMs: 60_000 });
    expect(await settledWithin(second, 100)).to.equal(false);
    await locks.close();
    await Promise.all([first, second]);
    expect(lock.isHeld).to.equal(false);
    await noLockKeys(fleet.nodes);
  });

  it("rejects bad options, and closes nothing", async () => {
    await rejectionWith(RangeError, locks.close({ drainMs: -1 }));
    await rejectionWith(TypeError, locks.close({ drainMs: "1" as never }));
    await rejectionWith(TypeError, locks.close({ drain: 1 } as never));
    await using lock = await locks.acquire("name");
    expect(lock.isHeld).to.equal(true);
  });

  it("rejects ready() that waits", async () => {
    await using waiting = new LockManager(["redis://127.0.0.1:1"]);
    const ready = rejectionWith(ClosedError, waiting.ready());
    await waiting.close();
    await ready;
  });

  it("is what await using does", async () => {
    {
      await using scoped = new LockManager(fleet.urls, OPTIONS);
      await scoped.acquire("scoped");
    }
    expect(await lockKeys(fleet.nodes)).to.deep.equal([]);
  });
});

describe("A process that has closed its lock manager", () => {
  interface Ended {
    readonly code: number | null;
    readonly held: number;
    readonly codes: readonly string[];
  }

  /** Fails if the process has to be killed. */
  function run(mode: string, urls: readonly string[]): Promise<Ended> {
    const child = spawn(process.execPath, [...process.execArgv, CHILD], {
      env: { ...process.env, MODE: mode, URLS: JSON.stringify(urls) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error(`"${mode}" did not end by itself; it said: ${output}`));
      }, 50_000);
      child.once("close", (code) => {
        clearTimeout(timer);
        const said = JSON.parse(output || "{}") as { held: number; codes: string[] };
        resolve({ code, ...said });
      });
    });
  }

  it("ends by itself, whatever it had to do", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3, links: true });
    {
      // Otherwise its processes would open the new deployment, within a few seconds or not at all.
      await using first = new LockManager(fleet.urls, OPTIONS);
      await allNodes(first);
    }
    const away = ["redis://127.0.0.1:1", "redis://127.0.0.1:2", "redis://127.0.0.1:3"];
    const silent = await RedisFleet.start({ nodes: 3, links: true });
    for (const node of silent.nodes) node.link.blackhole();
    await holdByHand(fleet.nodes, "other", 600_000);
    try {
      const [held, released, refused, unanswered] = await Promise.all([
        run("held", fleet.urls),
        run("released", fleet.urls),
        run("unreachable", away),
        run("unreachable", silent.urls),
      ]);
      expect(held).to.deep.equal({
        code: 0,
        held: 0,
        codes: Array.from({ length: 50 }, () => "QUORATE_CLOSED"),
      });
      expect(released.code).to.equal(0);
      expect(refused).to.deep.equal({ code: 0, held: 0, codes: ["QUORATE_CLOSED"] });
      expect(unanswered).to.deep.equal({ code: 0, held: 0, codes: ["QUORATE_CLOSED"] });
      expect(await lockKeys(fleet.nodes)).to.deep.equal(Array(3).fill("lock:other"));
    } finally {
      await silent.stop();
    }
  }).timeout(70_000);
});
