import { expect } from "chai";
import type { Client } from "pg";
import { RedisFleet } from "../../src/testing/index.js";
import { allHold } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { findPostgres, startPostgres, type Postgres } from "../support/postgres.js";
import { eventually } from "../support/settle.js";
import type { Patience } from "./example-program.js";
import { Instances, type Env, type Instance } from "./instances.js";

/** So that several are left. Where there is no victim, fewer do: each costs most of a second to start. */
const WITH_VICTIM = 3;

/** Where an instance is killed or paused: the others wait for this ttl, which a busy machine must not use up. */
const INTERRUPTED: Patience = { options: { ...PATIENT, ttlMs: 4_000, clockStepMs: 500 } };

/** The work takes longer than a process takes to start after another, so that they meet. */
const slower = (shownMs: number, ms = 300): readonly [shown: string, run: string] => [
  `sleep(${shownMs},`,
  `sleep(${ms},`,
];

/** Those of `begins` less those of `ends`, at most, as the instances wrote them. */
function mostAtOnce(instances: Instances): number {
  let [now, most] = [0, 0];
  for (const [what] of instances.matches(/^\d+ (begins|ends) /)) {
    now += what === "begins" ? 1 : -1;
    most = Math.max(most, now);
  }
  expect(now).to.equal(0);
  return most;
}

/**
 * What the instances began, each once; only what the victim began last may have begun again. Lines are
 * `pid ... what`.
 */
function begunOnce(instances: Instances, pattern: RegExp, victim: Instance): readonly string[] {
  const begun = instances.matches(pattern);
  const last = begun.findLast(([pid]) => Number(pid) === victim.pid)?.[1];
  const all = begun.map(([, what = ""]) => what);
  const once = new Set(all);
  expect(all.length - once.size, all.join()).to.equal(
    all.filter((what) => what === last).length - 1,
  );
  expect(all.length - once.size, all.join()).to.be.at.most(1);
  return [...once].toSorted();
}

const sorted = (instances: Instances, pattern: RegExp): readonly string[] =>
  instances
    .matches(pattern)
    .map(([found = ""]) => found)
    .toSorted();

describe("several instances of an example", function () {
  this.timeout(120_000);
  let fleet: RedisFleet;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  after(() => fleet.stop());

  const start = (name: string, count: number, patience?: Patience, env: Env = {}): Instances =>
    new Instances(name, fleet.urls, count, patience, env);

  /** All but the victim, if there is one, end by themselves, without a complaint. */
  async function endWell(instances: Instances, victim?: Instance): Promise<void> {
    const others = instances.all.filter((instance) => instance !== victim);
    const ends = await Promise.all(others.map(({ ended }) => ended));
    expect(ends, instances.lines.join("\n")).to.deep.equal(others.map(() => 0));
    // A busy machine may make an election try again, and say so.
    const complaints = instances.lines.filter(
      (line) => !/^(?:\d+|no quorum, still trying:) /.test(line),
    );
    expect(complaints).to.deep.equal([]);
  }

  it("elect: one leads at a time, and another after the leader has crashed", async () => {
    await using instances = start("elect", WITH_VICTIM, {
      ...INTERRUPTED,
      changes: [["ttlMs: 5_000", "ttlMs: 4_000"], slower(20)],
    });
    const victim = await instances.interruptFirst(/leads/, "SIGKILL");
    await endWell(instances, victim);
    const terms = instances.matches(/^(\d+) leads, token (\d+)$/).map(([who, token]) => {
      return { who: Number(who), token: Number(token) };
    });
    const tokens = terms.map(({ token }) => token);
    expect(tokens).to.deep.equal(tokens.toSorted((a, b) => a - b));
    for (const instance of instances.all) {
      const own = terms.filter(({ who }) => who === instance.pid);
      expect(new Set(own.map(({ token }) => token)).size).to.equal(1);
      if (instance !== victim) expect(own).to.have.length(3);
    }
  });

  it("rate-limit: at most three calls are under way, and no permit stays unused", async () => {
    await using instances = start("rate-limit", 2, { changes: [slower(50)] });
    await endWell(instances);
    expect(instances.matches(/ends/)).to.have.length(2 * 6);
    expect(mostAtOnce(instances)).to.equal(3);
  });

  it("worker-id: no two instances have a number, or issue an id, at the same time", async () => {
    // Too few numbers: one has to wait for another to end.
    await using instances = start("worker-id", 3, { changes: [["permits: 1_024", "permits: 2"]] });
    await endWell(instances);
    expect(mostAtOnce(instances)).to.equal(2);
    const held = new Set<string>();
    for (const [what, number = ""] of instances.matches(/^\d+ (begins|ends) as (\d)$/)) {
      expect(held.has(number)).to.equal(what === "ends");
      if (what === "ends") held.delete(number);
      else held.add(number);
    }
    const ids = instances.matches(/issued (.+)$/).flatMap(([list = ""]) => list.split(" "));
    expect(ids).to.have.length(3 * 100);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it("cache: one computes an entry, and all have it", async () => {
    await using instances = start(
      "cache",
      2,
      { changes: [slower(50)] },
      { CACHE_URL: fleet.urls[0] ?? "" },
    );
    await endWell(instances);
    expect(sorted(instances, /computes (\w+)$/)).to.deep.equal(["news", "prices"]);
    const had = new Set(sorted(instances, /^\d+ has (.+)$/));
    expect(instances.matches(/ has /)).to.have.length(2);
    expect(had.size).to.equal(1);
  });

  it("http-server: on SIGTERM, a lock goes to another instance when the work is done, long before its ttl", async () => {
    const patience: Patience = {
      options: { ...PATIENT, ttlMs: 60_000 },
      changes: [["waitMs: 2_000", "waitMs: 50_000"], slower(500, 2_000)],
    };
    await using leaving = start("http-server", 1, patience, { PORT: "0" });
    await using staying = start("http-server", 1, patience, { PORT: "0" });
    const pay = async ([port]: readonly number[]): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/7`)).status;
    const [from, to] = [await portsOf(leaving), await portsOf(staying)];
    const first = pay(from);
    await allHold(fleet.nodes, "order:/7");
    const second = pay(to);
    leaving.kill("SIGTERM");
    expect(await first).to.equal(200);
    expect(await leaving.ends()).to.deep.equal(["SIGTERM"]);
    expect(await second).to.equal(200);
  });

  describe("with PostgreSQL", () => {
    let postgres: Postgres | undefined;
    let db: Client;

    before(async function () {
      const bin = findPostgres();
      if (bin === undefined) {
        console.log("skipped: no PostgreSQL (initdb, postgres) on PATH or in /usr/lib/postgresql");
        this.skip();
      }
      postgres = await startPostgres(bin);
      db = await postgres.connect();
    });
    after(async () => {
      if (postgres === undefined) return;
      await db.end();
      await postgres.stop();
    });

    const column = async (sql: string): Promise<readonly unknown[]> =>
      (await db.query<{ value: unknown }>(sql)).rows.map(({ value }) => value);

    it("jobs: each is done once, also if a worker was paused with one until others did it", async () => {
      // Work that does not look at the signal: what it writes may come at any time. Long, so that the pause is within it.
      const changes = [["sleep(50, undefined, { signal: lock.signal })", "sleep(1_000)"]] as const;
      const patience = { ...INTERRUPTED, changes };
      await using instances = start("jobs", WITH_VICTIM, patience, postgres?.env);
      const victim = await instances.interruptFirst(/works/, "SIGSTOP");
      await endWell(instances, victim);
      victim.kill("SIGCONT");
      expect(await victim.ended).to.equal(1);
      expect(instances.lines.join("\n")).to.include("QUORATE_STALE_TOKEN");
      expect(await column("SELECT runs AS value FROM jobs")).to.deep.equal(Array(9).fill(1));
      expect(begunOnce(instances, /^(\d+) .* job (\d)$/, victim).join("")).to.equal("123456789");
    });

    it("payment: each key is charged once; after a crash again, with the same key", async () => {
      const changes = [slower(50)]; // so that the crash is in between
      await using instances = start(
        "payment",
        WITH_VICTIM,
        { ...INTERRUPTED, changes },
        postgres?.env,
      );
      const victim = await instances.interruptFirst(/charges b/, "SIGKILL");
      await endWell(instances, victim);
      const charged = instances.matches(/ charges (\w)$/).flat();
      expect(begunOnce(instances, /^(\d+) charges (\w)$/, victim).join("")).to.equal("abc");
      // What the provider has heard of is what was said to be charged, unless the crash came between.
      const calls = await column("SELECT sum(calls)::int AS value FROM charges");
      expect(calls[0]).to.be.within(charged.length - 1, charged.length);
      expect(new Set(sorted(instances, /has the (.+)$/)).size).to.equal(3);
      expect(await column("SELECT key AS value FROM payments ORDER BY key")).to.deep.equal([
        "a",
        "b",
        "c",
      ]);
    });

    it("migrate: each migration runs once, and goes on after a crash", async () => {
      const changes = [["1000) i", "1000) i, pg_sleep(1)"]] as const; // so that the crash is in between
      await using instances = start(
        "migrate",
        WITH_VICTIM,
        { ...INTERRUPTED, changes },
        postgres?.env,
      );
      const victim = await instances.interruptFirst(/migrates 1/, "SIGKILL");
      await endWell(instances, victim);
      expect(await column("SELECT id AS value FROM migrations ORDER BY id")).to.deep.equal([
        0, 1, 2,
      ]);
      expect(begunOnce(instances, /^(\d+) migrates (\d)$/, victim).join("")).to.equal("012");
      expect(instances.matches(/starts the service/)).to.have.length(2);
      expect(await column("SELECT count(*)::int AS value FROM accounts")).to.deep.equal([1_000]);
    });

    it("webhook: each event is handled once, however it is delivered", async () => {
      const patience: Patience = { changes: [["waitMs: 5_000", "waitMs: 50_000"]] };
      await using instances = start("webhook", 2, patience, { ...postgres?.env, PORT: "0" });
      const ports = await portsOf(instances);
      const deliveries = ports.flatMap((port) => ["a", "b"].map((id) => ({ port, id })));
      const statuses = await Promise.all(
        deliveries.map(async ({ port, id }, attempt) => {
          const body = JSON.stringify({ id });
          const url = `http://127.0.0.1:${port}/?attempt=${attempt}`;
          return (await fetch(url, { method: "POST", body })).status;
        }),
      );
      expect(statuses).to.deep.equal(deliveries.map(() => 200));
      expect(sorted(instances, /handles (\w)$/)).to.deep.equal(["a", "b"]);
      instances.kill("SIGTERM");
      expect(await instances.ends()).to.deep.equal(["SIGTERM", "SIGTERM"]);
    });
  });
});

/** Where they listen, when all do. */
async function portsOf(instances: Instances): Promise<readonly number[]> {
  const ports = (): readonly number[] =>
    instances.matches(/^listening .*port: (\d+)/).map(([port]) => Number(port));
  await eventually("all listen", () => ports().length === instances.all.length);
  return ports();
}
