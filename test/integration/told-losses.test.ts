import { expect } from "chai";
import { LockManager, type Lock } from "../../src/index.js";
import { beginningOf } from "../../src/protocol/owner-id.js";
import { inboxChannel } from "../../src/protocol/keys.js";
import { RedisFleet } from "../../src/testing/index.js";
import { callCli, PATIENTLY } from "../support/cli.js";
import { allNodes, at } from "../support/nodes.js";
import { aborted, eventually } from "../support/settle.js";

/** Renewed after ten seconds, so whatever is noticed sooner was told. */
const OPTIONS = { ttlMs: 30_000, nodeTimeoutMs: 5_000 };

/** From the holder to the nodes and back. */
const ROUND_TRIP_MS = 200;

interface Loss {
  readonly title: string;
  readonly take: (locks: LockManager) => Promise<Lock>;
  readonly end: (locks: LockManager, urls: readonly string[]) => Promise<unknown>;
}

const steal: Loss["end"] = (locks) => locks.request("name", { steal: true }, () => {});
const force: Loss["end"] = (locks) => locks.forceRelease("name");

const LOSSES: readonly Loss[] = [
  { title: "is stolen", take: (locks) => locks.acquire("name"), end: steal },
  { title: "is released by force", take: (locks) => locks.acquire("name"), end: force },
  {
    title: "is released by force on the command line",
    take: (locks) => locks.acquire("name"),
    end: async (_, urls) => {
      const env = { QUORATE_NODES: urls.join(",") };
      const { code } = await callCli(["release", "name", "--force", ...PATIENTLY], env);
      expect(code).to.equal(0);
    },
  },
  {
    title: "of a reader is stolen",
    take: (locks) => locks.acquire("name", { mode: "shared" }),
    end: steal,
  },
  {
    title: "of a permit is released by force",
    take: (locks) => locks.semaphore("name", { permits: 2 }).acquire(),
    end: force,
  },
  {
    title: "of an owner is stolen",
    take: (locks) => locks.acquire("name", { owner: "job" }),
    end: steal,
  },
];

describe("The holder of a lock", function () {
  this.timeout(60_000);
  let fleet: RedisFleet;
  let holder: LockManager;
  let other: LockManager;

  beforeEach(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    const links = await fleet.linksFor("holder");
    for (const link of links) link.delay(ROUND_TRIP_MS / 2);
    holder = new LockManager(
      links.map(({ url }) => url),
      OPTIONS,
    );
    other = new LockManager(fleet.urls, OPTIONS);
    await Promise.all([allNodes(holder), allNodes(other)]);
  });

  afterEach(async () => {
    await Promise.all([holder.close(), other.close()]);
    await fleet.stop();
  });

  /** Renewed, and at its inbox on all nodes by now. */
  async function heldBy(take: Loss["take"]): Promise<Lock> {
    const lock = await take(holder);
    await lock.extend();
    await eventually("all nodes reach the holder", async () => {
      const counts = await Promise.all(
        fleet.nodes.map((node) => node.command("PUBSUB", "CHANNELS", inboxChannel("*"))),
      );
      return counts.every((channels) => (channels as string[]).length === 1);
    });
    return lock;
  }

  for (const { title, take, end } of LOSSES) {
    it(`whose lock ${title} is told of it`, async () => {
      const lock = await heldBy(take);
      const untilRenewalMs = OPTIONS.ttlMs / 3;
      const sinceMs = performance.now();
      await end(other, fleet.urls);
      await aborted(lock.signal);
      const afterMs = performance.now() - sinceMs;
      expect(lock.isHeld).to.equal(false);
      expect(lock.signal.reason).to.have.property("reason", "taken");
      expect(afterMs).to.be.lessThan(untilRenewalMs / 2);
    });
  }

  it("is told within three round trips, in the median", async () => {
    const roundTrips: number[] = [];
    for (let count = 0; count < 7; count++) {
      const lock = await heldBy((locks) => locks.acquire("name", { waitMs: 5_000 }));
      const sinceMs = performance.now();
      await other.request("name", { steal: true }, () => aborted(lock.signal));
      roundTrips.push((performance.now() - sinceMs) / ROUND_TRIP_MS);
    }
    const median = at(
      roundTrips.toSorted((a, b) => a - b),
      3,
    );
    expect(median, roundTrips.join(" ")).to.be.lessThan(3);
  });

  it("keeps a lock of which messages say that it has ended, whoever writes them", async () => {
    const lock = await heldBy((locks) => locks.acquire("name"));
    const value = (await at(fleet.nodes, 0).command("GET", "lock:name")) as string;
    const [channel = ""] = (await at(fleet.nodes, 0).command(
      "PUBSUB",
      "CHANNELS",
      inboxChannel("*"),
    )) as string[];
    const calls = async (): Promise<number> => {
      const stats = String(await at(fleet.nodes, 0).command("INFO", "commandstats"));
      return Number(/cmdstat_evalsha:calls=(\d+)/u.exec(stats)?.[1]);
    };
    const before = await calls();
    const sinceMs = performance.now();
    for (let count = 0; count < 100; count++) {
      await Promise.all(
        fleet.nodes.map((node) => node.command("PUBLISH", channel, `lost ${beginningOf(value)}`)),
      );
    }
    await lock.extend();
    const allowed = 20 + (20 * (performance.now() - sinceMs)) / 1_000 + 2;
    expect((await calls()) - before).to.be.within(1, allowed);
    expect(lock.isHeld).to.equal(true);
    await lock.release();
  });
});
