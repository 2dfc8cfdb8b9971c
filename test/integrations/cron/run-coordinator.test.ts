import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { createTask, type ScheduledTask } from "node-cron";
import { QuorumUnreachableError } from "../../../src/api/errors.js";
import { LockManager } from "../../../src/index.js";
import {
  runCoordinator,
  type RunCoordinatorOptions,
} from "../../../src/integrations/cron/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { LagWatch } from "../../support/lag-watch.js";
import { allNodes, at, noLockKeys, pttlOf } from "../../support/nodes.js";
import { PATIENT } from "../../support/patient.js";
import { uncaughtDuring } from "../../support/uncaught.js";
import { eventually, rejectionWith } from "../../support/settle.js";

const INSTANCES = 3;

/** An instance asks for a second; where a machine stalls for longer, an execution may go to nobody. */
const MOST_LAG_MS = 300;

describe("runCoordinator", () => {
  let fleet: RedisFleet;
  let managers: LockManager[];

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    managers = Array.from({ length: INSTANCES }, () => new LockManager(fleet.urls, PATIENT));
    await Promise.all(managers.map((manager) => allNodes(manager)));
  });

  afterEach(async () => {
    await Promise.all(managers.map((manager) => manager.close()));
    await fleet.stop();
  });

  const coordinators = (options?: RunCoordinatorOptions) =>
    managers.map((manager) => runCoordinator(manager, options));

  it("lets each fire of node-cron run exactly once over a fleet", async () => {
    const runs = new Map<string, number[]>();
    const skipped = new Map<string, string[]>();
    using lag = new LagWatch();
    const tasks = coordinators().map((coordinator, instance): ScheduledTask => {
      const run = ({ date }: { date: Date }): void => {
        const permit = date.toISOString();
        runs.set(permit, [...(runs.get(permit) ?? []), instance]);
      };
      const options = { name: "report", distributed: true, runCoordinator: coordinator };
      const task = createTask("* * * * * *", run, options);
      const skip = (date: Date, reason = ""): void => {
        const permit = date.toISOString();
        skipped.set(permit, [...(skipped.get(permit) ?? []), reason]);
      };
      task.on("execution:skipped", ({ date, reason }) => skip(date, reason));
      task.on("execution:missed", ({ date }) => skip(date, "missed"));
      return task;
    });
    await Promise.all(tasks.map(async (task) => task.start()));
    // The others have to be told no, as late as that may be.
    const decided = (): string[] =>
      [...runs.keys()].filter((permit) => skipped.get(permit)?.length === INSTANCES - 1);
    await eventually("three have fired and are decided", () => decided().length >= 3);
    const last = decided().toSorted()[2] ?? "";
    await Promise.all(tasks.map(async (task) => task.stop()));
    for (const instances of runs.values()) expect(instances).to.have.length(1);
    if (lag.isBelow(MOST_LAG_MS)) {
      // Later ones may still be under way.
      const permits = [...skipped.keys()].filter((permit) => permit <= last);
      for (const permit of permits) expect(runs.has(permit), permit).to.equal(true);
      const reasons = permits.flatMap((permit) => skipped.get(permit) ?? []);
      expect(new Set(reasons)).to.deep.equal(new Set(["not-elected"]));
    }
    await Promise.all(tasks.map(async (task) => task.destroy()));
  });

  it("elects one, also where all ask at the same moment and each reaches another node first", async () => {
    const own = await Promise.all(
      managers.map(async (_, instance) => {
        const links = await fleet.linksFor(`instance ${instance}`);
        const locks = new LockManager(
          links.map(({ url }) => url),
          PATIENT,
        );
        await allNodes(locks);
        for (const [node, link] of links.entries()) {
          if (node !== instance) link.delay(40, { direction: "toServer" });
        }
        return locks;
      }),
    );
    const all = own.map((locks) => runCoordinator(locks));
    const keys = Array.from({ length: 20 }, (_, index) => `task:${index}`);
    using lag = new LagWatch();
    const elected = await Promise.all(
      keys.map(async (key) => {
        const answers = await Promise.allSettled(all.map((each) => each.shouldRun(key, 1)));
        return answers.filter((answer) => answer.status === "fulfilled" && answer.value).length;
      }),
    );
    const hasStalled = !lag.isBelow(MOST_LAG_MS);
    await Promise.all(own.map((locks) => locks.close()));
    expect(Math.max(...elected)).to.be.at.most(1);
    if (!hasStalled) expect(elected).to.deep.equal(keys.map(() => 1));
  });

  it("does not let a late instance run again what is done, nor what a crash interrupted", async () => {
    const [first, second] = coordinators({ minHoldMs: 20_000 });
    expect(await first?.shouldRun("done", 1)).to.equal(true);
    await first?.onComplete("done");
    expect(await first?.shouldRun("interrupted", 1)).to.equal(true);
    await managers[0]?.close();
    await sleep(1_000);
    const late = ["done", "interrupted"].map(async (key) => second?.shouldRun(key, 1));
    expect(await Promise.all(late)).to.deep.equal([false, false]);
    const leftMs = await pttlOf(at(fleet.nodes, 0), "lock:cron:done");
    expect(leftMs, "the rest of its minimum, and no more").to.be.within(1, 19_100);
  });

  it("holds the lock for as long as the task runs, and lets go of it then", async () => {
    const [first, second] = coordinators({ minHoldMs: 2_000, ttlMs: 6_000, prefix: "jobs/" });
    expect(await first?.shouldRun("long", 1)).to.equal(true);
    const leftMs = (): Promise<number> => pttlOf(at(fleet.nodes, 0), "lock:jobs/long");
    await eventually("the first node has it, too", async () => (await leftMs()) > 0);
    const [firstLeftMs, startMs] = [await leftMs(), performance.now()];
    // Beyond its minimum.
    await sleep(2_100);
    await eventually("it was renewed", async () => {
      const passedMs = performance.now() - startMs;
      return (await leftMs()) > firstLeftMs - passedMs + 1_000;
    });
    expect(await second?.shouldRun("long", 1)).to.equal(false);
    await first?.onComplete("long");
    await noLockKeys(fleet.nodes);
  });

  for (const options of [{ minHoldMs: 2_000 }, { minHoldMs: 55_000 }, { ttlMs: 5_500 }]) {
    it(`lets one run with ${JSON.stringify(options)}`, async () => {
      const [first, second] = coordinators(options);
      expect(await first?.shouldRun("task", 1)).to.equal(true);
      expect(await second?.shouldRun("task", 1)).to.equal(false);
      await first?.onComplete("task");
    });
  }

  it("without a quorum rejects, or lets all run if that is wanted", async () => {
    await using impatient = new LockManager(fleet.urls, { nodeTimeoutMs: 300 });
    await allNodes(impatient);
    await Promise.all(fleet.nodes.slice(1).map((node) => node.pause()));
    const skipping = runCoordinator(impatient);
    const running = runCoordinator(impatient, { onUnreachable: "run" });
    await Promise.all([
      rejectionWith(QuorumUnreachableError, skipping.shouldRun("a", 1)),
      running.shouldRun("b", 1).then((should) => expect(should).to.equal(true)),
    ]);
    await running.onComplete("b");
    await Promise.all(fleet.nodes.slice(1).map((node) => node.resume()));
  });

  it("tells of a lock that is lost while its task runs", async () => {
    const lost: unknown[] = [];
    const onLost = (...told: unknown[]): void => void lost.push(...told);
    const [first, second] = coordinators({ onLost });
    expect(await first?.shouldRun("task", 1)).to.equal(true);
    expect(await second?.shouldRun("fine", 1)).to.equal(true);
    await second?.onComplete("fine");
    await managers[0]?.close();
    expect(lost[0]).to.equal("task");
    expect(lost[1]).to.include({ code: "QUORATE_LOST", reason: "closed" });
    expect(lost).to.have.length(2);
  });

  it("lets what runs end, and asks for no more, where the task is stopped before the manager closes", async () => {
    const manager = at(managers, 0);
    const told: unknown[] = [];
    const onLost = (_: string, reason: unknown): void => void told.push(reason);
    const run = async (): Promise<void> => {
      told.push("begun");
      await sleep(1_200);
      told.push("ended");
    };
    const task = createTask("* * * * * *", run, {
      ...{ name: "report", distributed: true },
      runCoordinator: runCoordinator(manager, { onLost }),
    });
    task.on("execution:skipped", ({ reason }) => void told.push(reason));
    await task.start();
    await eventually("it runs", () => told.length > 0);
    await task.stop();
    await manager.close({ drainMs: 10_000 });
    await task.destroy();
    expect(told).to.deep.equal(["begun", "ended"]);
  });

  it("leaves an error of `onLost` uncaught, as one of any listener", async () => {
    const error = new Error("of onLost");
    const onLost = (): never => {
      throw error;
    };
    const [first] = coordinators({ onLost });
    await first?.shouldRun("task", 1);
    const uncaught = await uncaughtDuring(async () => {
      await managers[0]?.close();
      await sleep(10);
    });
    expect(uncaught).to.deep.equal([error]);
    await first?.onComplete("task");
  });

  for (const [options, message] of [
    [{ minHoldMs: 100 }, /`minHoldMs` must be at least 2000 ms, got 100/],
    [{ ttlMs: "1" }, /`ttlMs` must be a number, got "1"/],
    [{ ttlMs: 5_000 }, /`ttlMs` must be at least 5001 ms, got 5000/],
    [{ ttlMs: 9_000, minHoldMs: 9_000 }, /`ttlMs` must be at least 9001 ms, got 9000/],
    [
      { ttlMs: 5_001 },
      /`minHoldMs` must be less than `ttlMs` \(5001\) less drift \(4948\), got 5000/,
    ],
    [
      { ttlMs: 9_100, minHoldMs: 9_050 },
      /`minHoldMs` must be less than `ttlMs` \(9100\) less drift/,
    ],
    [{ ttlMs: 60_001 }, /`ttlMs` must be at most the `maxTtlMs` of the LockManager \(60000\)/],
    [{ minHoldMs: 60_000 }, /`ttlMs` must be at most the `maxTtlMs` .*, got 65000/],
    [{ prefix: "\ud800" }, /`prefix` must be well-formed Unicode/],
    [{ prefix: 5 }, /`prefix` must be a string, got 5/],
    [{ onUnreachable: "wait" }, /`onUnreachable` must be one of "skip", "run", got "wait"/],
    [{ onLost: 5 }, /`onLost` must be a function, got 5/],
    [{ minholdMs: 5 }, /unknown option `minholdMs`: did you mean `minHoldMs`\?/],
  ] as const) {
    it(`refuses ${JSON.stringify(options)}`, () => {
      expect(() => coordinators(options as object)).to.throw(message);
    });
  }

  it("refuses what is no LockManager at once, not at each execution", () => {
    const of = runCoordinator as (...given: readonly unknown[]) => unknown;
    expect(() => of()).to.throw(TypeError, "`locks` must be a LockManager, got undefined");
    const urls = ["redis://a:6379"];
    expect(() => of(urls)).to.throw(TypeError, '`locks` must be a LockManager, got ["redis:');
  });
});
