import { SpanStatusCode, trace } from "@opentelemetry/api";
import { expect } from "chai";
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../../../src/index.js";
import { memoryNodes } from "../../../src/memory/index.js";
import { METRIC_NAMES } from "../../../src/integrations/opentelemetry/instruments.js";
import {
  instrumentQuorate,
  type InstrumentOptions,
} from "../../../src/integrations/opentelemetry/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { at } from "../../support/nodes.js";
import { PATIENT } from "../../support/patient.js";
import { Sdk } from "../../support/opentelemetry.js";
import { eventually, rejectionOf } from "../../support/settle.js";
import { ownerIdOf } from "../../../src/manager/lock.js";

/** Renewed after 2 s. A machine may stand still for a moment, and no lock is lost by that. */
const OPTIONS = { ttlMs: 6_000, nodeTimeoutMs: 2_000 };
const { ERROR } = SpanStatusCode;

describe("instrumentQuorate", () => {
  it("has 13 metrics, and one of its own; Prometheus gets each", async () => {
    expect(METRIC_NAMES).to.have.length(14);
    await using sdk = await Sdk.start();
    const nodes = memoryNodes(3);
    await using locks = new LockManager(nodes, OPTIONS);
    await using others = new LockManager(nodes, OPTIONS);
    await Promise.all([locks.ready({ all: true }), others.ready({ all: true })]);
    await (await others.acquire("warm-up")).release();
    const early = await others.acquire("early:1");
    // What was there before it is counted, too.
    const stop = instrumentQuorate({ group: (name) => name.split(":")[0] ?? "" });
    const lock = await locks.acquire("a:1");
    expect(await others.tryAcquire("a:1")).to.equal(null);
    const waiting = others.acquire("a:1", { waitMs: 60_000 });
    await eventually("it was renewed", async () => {
      const series = await sdk.series();
      return series.get('quorate_renewal_lateness_count{group="a"}') !== undefined;
    });
    const meanwhile = await sdk.series();
    await lock.release();
    await (await waiting).release();
    at(nodes, 2).crash();
    await eventually("it is down", () => locks.quorum.votes === 2);
    await locks.request("a:2", () => 1);
    await eventually("all is counted", async () => {
      const series = await sdk.series();
      return (
        (series.get('quorate_hold_duration_count{group="a",mode="exclusive",end="released"}') ??
          0) >= 2
      );
    });
    const series = await sdk.series();
    stop();

    const acquires = (outcome: string): number | undefined =>
      series.get(`quorate_acquire_duration_count{group="a",mode="exclusive",outcome="${outcome}"}`);
    expect(acquires("granted")).to.be.at.least(2);
    expect(acquires("contended")).to.equal(1);
    expect(meanwhile.get('quorate_held{group="a",mode="exclusive"}')).to.equal(1);
    expect(meanwhile.get('quorate_held{group="early",mode="exclusive"}')).to.equal(1);
    expect(meanwhile.get('quorate_waiting{group="a"}')).to.equal(1);
    expect(series.get('quorate_waiting{group="a"}')).to.equal(0);
    expect(meanwhile.get("quorate_quorum_reserve{}")).to.equal(1);
    expect(series.get("quorate_quorum_reserve{}")).to.equal(0);
    const stateOf = (node: number, state: string): number | undefined =>
      series.get(`quorate_node_state{server_address="memory-${node}",state="${state}"}`);
    expect([stateOf(0, "ready"), stateOf(2, "ready"), stateOf(2, "down")]).to.deep.equal([1, 0, 1]);
    const votes = 'quorate_votes_total{server_address="memory-0",operation="acquire",vote=';
    expect(series.get(`${votes}"granted"}`)).to.be.above(0);
    expect(series.get(`${votes}"refused"}`)).to.be.above(0);
    const fault = 'server_address="memory-2",operation="acquire",vote="fault",fault="disconnected"';
    expect(series.get(`quorate_votes_total{${fault}}`)).to.be.above(0);
    for (const point of ["grant", "renewal", "release"]) {
      expect(series.get(`quorate_validity_remaining_count{at="${point}"}`), point).to.be.above(0);
    }
    const scraped = [...meanwhile.keys(), ...series.keys()].map((key) => key.replace(/\{.*$/, ""));
    const inPrometheus = new Set(scraped.map((name) => name.replace(/_(?:count|total)$/, "")));
    const expected = METRIC_NAMES.filter((name) => !name.includes("overflow"));
    expect([...inPrometheus].toSorted()).to.deep.equal(
      expected.map((name) => name.replaceAll(".", "_")).toSorted(),
    );
    await early.release();
    const before = acquires("granted");
    await (await locks.acquire("a:3")).release();
    const after = (await sdk.series()).get(
      'quorate_acquire_duration_count{group="a",mode="exclusive",outcome="granted"}',
    );
    expect(after, "stopped").to.equal(before);
  });

  it("makes spans of acquires and requests; what the callback does is within its own", async () => {
    await using sdk = await Sdk.start();
    await using locks = new LockManager(memoryNodes(3), OPTIONS);
    await locks.ready({ all: true });
    await (await locks.acquire("warm-up")).release();
    const stop = instrumentQuorate({ metrics: false });
    const tracer = trace.getTracer("test");
    await tracer.startActiveSpan("caller", async (caller) => {
      await locks.request("a:1", async () => {
        await sleep(1);
        tracer.startSpan("inner").end();
        await rejectionOf(locks.acquire("a:1", { waitMs: 50 }));
      });
      await rejectionOf(locks.request("a:2", () => Promise.reject(new Error("its own"))));
      caller.end();
    });
    stop();
    const idOf = (span: { spanContext(): { spanId: string } } | undefined): string | undefined =>
      span?.spanContext().spanId;
    const [caller, inner] = ["caller", "inner"].map((name) =>
      sdk.spans.find((span) => span.name === name),
    );
    const holds = sdk.spans.filter(({ name }) => name === "hold a");
    const acquires = sdk.spans.filter(({ name }) => name === "acquire a");
    expect(holds.map(({ attributes }) => attributes["quorate.outcome"])).to.deep.equal([
      "done",
      "threw",
    ]);
    for (const hold of holds) expect(hold.parentSpanContext?.spanId).to.equal(idOf(caller));
    expect(inner?.parentSpanContext?.spanId).to.equal(idOf(holds[0]));
    const [granted, failed] = acquires;
    expect(granted?.attributes).to.include({ "quorate.outcome": "granted", "quorate.attempts": 1 });
    expect(granted?.attributes["quorate.names"]).to.deep.equal(["a:1"]);
    expect(granted?.parentSpanContext?.spanId).to.equal(idOf(caller));
    expect(failed?.attributes).to.include({ "quorate.outcome": "timeout" });
    expect(failed?.parentSpanContext?.spanId).to.equal(idOf(holds[0]));
    expect(failed?.events.length).to.be.above(0);
    expect(failed?.events[0]?.attributes?.["quorate.tally"]).to.match(
      /^0\/3 granted, [23] refused$/,
    );
    // Neither contention nor the callback's own error is an error of the lock.
    expect(sdk.spans.filter(({ status }) => status.code === ERROR)).to.deep.equal([]);
  });

  it("marks as errors what nodes cost, and makes spans of renewals only then", async () => {
    await using sdk = await Sdk.start();
    const nodes = memoryNodes(3);
    await using locks = new LockManager(nodes, { ...OPTIONS, nodeTimeoutMs: 500, lossGraceMs: 10 });
    await locks.ready({ all: true });
    await (await locks.acquire("warm-up")).release();
    const stop = instrumentQuorate({ metrics: false });
    await rejectionOf(
      locks.request("a:1", async (lock) => {
        for (const node of nodes) node.freeze();
        await eventually("it is lost", () => !lock.isHeld);
      }),
    );
    await rejectionOf(locks.acquire("a:2", { waitMs: 0 }));
    await sleep(20);
    stop();
    for (const node of nodes) node.thaw();
    const outcomes = sdk.spans.map(({ name, status, attributes }) => {
      return `${name} ${String(attributes["quorate.outcome"])}${status.code === ERROR ? ", error" : ""}`;
    });
    expect(outcomes).to.include("hold a lost, error");
    expect(outcomes).to.include("acquire a unreachable, error");
    expect(outcomes).to.include("renew a failed, error");
    const renewal = sdk.spans.find(({ name }) => name === "renew a");
    expect(renewal?.parentSpanContext).to.equal(undefined);
    expect(renewal?.attributes["quorate.late_ms"]).to.be.a("number");
    // It is over when the frozen nodes have not answered in time.
    const [seconds = 0, nanoseconds = 0] = renewal?.duration ?? [];
    expect(seconds * 1_000 + nanoseconds / 1e6, "how long it took, ms").to.be.at.least(495);
  });

  it("measures a lock once, however often it is re-entered", async () => {
    await using sdk = await Sdk.start();
    await using locks = new LockManager(memoryNodes(3), OPTIONS);
    await locks.ready({ all: true });
    const stop = instrumentQuorate();
    const again = { reentrant: true };
    await locks.request("a", again, async () => {
      await locks.request("a", again, async () => {
        await locks.request("a", again, () => 1);
      });
    });
    stop();
    const acquires = sdk.spans.filter(({ name }) => name.startsWith("acquire"));
    const reentrant = acquires.map(({ attributes }) => attributes["quorate.reentrant"] === true);
    expect(reentrant, "a span for each").to.have.members([false, true, true]);
    const series = [...(await sdk.series())].filter(([name]) => {
      return /^quorate_(acquire_duration|acquire_attempts|hold_duration)_count/.test(name);
    });
    expect(series.map(([, count]) => count)).to.deep.equal([1, 1, 1]);
  });

  it("shows the reserve of the lock manager that has the smallest", async () => {
    await using sdk = await Sdk.start();
    const [few, many] = [memoryNodes(3), memoryNodes(5)];
    await using worse = new LockManager(few, OPTIONS);
    await using better = new LockManager(many, OPTIONS);
    await Promise.all([worse.ready({ all: true }), better.ready({ all: true })]);
    const stop = instrumentQuorate();
    const reserve = async (): Promise<unknown> =>
      (await sdk.series()).get("quorate_quorum_reserve{}");
    expect(await reserve(), "three nodes need two").to.equal(1);
    for (const index of [0, 1]) at(many, index).crash();
    await eventually("they are down", () => better.quorum.votes === 3);
    expect(await reserve(), "five nodes need three").to.equal(0);
    stop();
  });

  it("called again replaces what the first call has set up; each ends its own", async () => {
    await using sdk = await Sdk.start();
    await using locks = new LockManager(memoryNodes(1));
    await locks.ready();
    const use = async (name: string): Promise<void> =>
      void (await (await locks.acquire(name)).release());
    const stopFirst = instrumentQuorate({ group: () => "first" });
    await use("a");
    const stopSecond = instrumentQuorate({ group: () => "second" });
    await use("b");
    stopFirst();
    await use("c");
    stopSecond();
    await use("d");
    const series = await sdk.series();
    const countOf = (group: string): number | undefined =>
      series.get(
        `quorate_acquire_duration_count{group="${group}",mode="exclusive",outcome="granted"}`,
      );
    expect([countOf("first"), countOf("second")]).to.deep.equal([1, 2]);
    expect(sdk.spans.map(({ name }) => name)).to.deep.equal([
      ...["acquire first", "acquire second", "acquire second"],
    ]);
  });

  it("refuses bad options, and leaves what there was", () => {
    for (const [options, message] of [
      [{ group: 7 }, /`group` must be a function, got 7/],
      [{ spans: "yes" }, /`spans` must be a boolean, got "yes"/],
      [{ metrics: 1 }, /`metrics` must be a boolean, got 1/],
      [{ groups: () => "a" }, /unknown option `groups`/],
    ] as const) {
      expect(() => instrumentQuorate(options as unknown as InstrumentOptions)).to.throw(
        TypeError,
        message,
      );
    }
  });

  it("without an SDK costs locks nothing but the calls", async () => {
    const stop = instrumentQuorate();
    await using locks = new LockManager(memoryNodes(1));
    expect(await locks.request("a", () => 1)).to.equal(1);
    stop();
  });

  it("of real servers names nodes by address and port, and no secret", async () => {
    await using sdk = await Sdk.start();
    await using fleet = await RedisFleet.start({ nodes: 3, server: { requirepass: "hush-hush" } });
    const urls = fleet.nodes.map(({ port }) => `redis://:hush-hush@127.0.0.1:${port}`);
    await using locks = new LockManager(urls, PATIENT);
    const stop = instrumentQuorate();
    const ids: string[] = [];
    await locks.request("a:1", (lock) => ids.push(ownerIdOf(lock)));
    for (const options of [{ owner: "job" }, { mode: "shared" as const }]) {
      ids.push(ownerIdOf(await locks.acquire(`b:${ids.length}`, options)));
    }
    await sleep(50);
    const scraped = await sdk.scrape();
    stop();
    const told = [
      scraped,
      ...sdk.spans.map((span) =>
        JSON.stringify([span.name, span.attributes, span.events, span.status]),
      ),
    ];
    expect(ids).to.have.length(3);
    for (const text of told)
      for (const secret of [...ids, "hush-hush"]) expect(text).to.not.include(secret);
    const { port } = at(fleet.nodes, 0);
    expect(scraped).to.include(`server_address="127.0.0.1",server_port="${port}",state="ready"`);
  });
});
