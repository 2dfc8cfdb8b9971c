import type { Attributes, BatchObservableCallback, Meter, Observable } from "@opentelemetry/api";
import { expect } from "chai";
import { Groups, groupByPrefix } from "../../../src/integrations/opentelemetry/groups.js";
import { METRICS, type MetricRow } from "../../../src/integrations/opentelemetry/instruments.js";
import { measure } from "../../../src/integrations/opentelemetry/metrics.js";
import { Subscriptions } from "../../../src/integrations/opentelemetry/subscriptions.js";
import { keysOf } from "../../../src/kinds/exclusive.js";
import { sharedLock } from "../../../src/kinds/shared.js";
import { nameKeys } from "../../../src/protocol/keys.js";
import { CHANNELS } from "../../../src/telemetry/channels.js";
import type {
  AcquireMessage,
  ExtendMessage,
  LostMessage,
  ReleaseMessage,
} from "../../../src/telemetry/messages.js";
import { OpenedManager, type ShownManager } from "../../../src/telemetry/open-managers.js";

type Measured = readonly [name: string, value: number, attributes: Attributes];

/** Metrics and attributes that were measured. */
const SEEN = new Set<string>();

/** Notes what is measured. */
class NotingMeter {
  readonly measured: Measured[] = [];
  readonly #callbacks = new Set<BatchObservableCallback>();
  readonly #names = new Map<object, string>();

  get meter(): Meter {
    const noting = (name: string): object => {
      const note = (value: number, attributes: Attributes = {}): void =>
        void this.measured.push(this.#noted(name, value, attributes));
      const instrument = { record: note, add: note };
      this.#names.set(instrument, name);
      return instrument;
    };
    return {
      createHistogram: noting,
      createCounter: noting,
      createObservableGauge: noting,
      createObservableUpDownCounter: noting,
      addBatchObservableCallback: (callback: BatchObservableCallback) =>
        void this.#callbacks.add(callback),
      removeBatchObservableCallback: (callback: BatchObservableCallback) =>
        void this.#callbacks.delete(callback),
    } as unknown as Meter;
  }

  /** All that is observed now. */
  async collect(): Promise<readonly Measured[]> {
    const found: Measured[] = [];
    const observe = (what: Observable, value: number, attributes: Attributes = {}): void => {
      const name = this.#names.get(what) ?? "";
      found.push(this.#noted(name, value, attributes));
    };
    for (const callback of this.#callbacks) await callback({ observe });
    return found;
  }

  #noted(name: string, value: number, attributes: Attributes): Measured {
    const { attributes: known }: MetricRow = METRICS[name as keyof typeof METRICS];
    const names = Object.keys(attributes);
    expect(known, name).to.include.members(names);
    for (const each of names) SEEN.add(`${name} ${each}`);
    return [name.replace("quorate.", ""), value, attributes];
  }

  take(): readonly Measured[] {
    return this.measured.splice(0);
  }
}

const LOCK = { name: "a:1", names: ["a:1"], mode: "exclusive", fencingToken: 7 } as const;

describe("What is measured", () => {
  const managers: OpenedManager[] = [];
  let noting: NotingMeter;
  let subscriptions: Subscriptions;

  beforeEach(() => {
    noting = new NotingMeter();
    subscriptions = new Subscriptions();
    measure(noting.meter, new Groups(groupByPrefix), subscriptions);
  });
  afterEach(() => {
    subscriptions.end();
    for (const manager of managers.splice(0)) manager.close();
  });

  const acquired = (over: Partial<AcquireMessage>): AcquireMessage => ({
    ...{ ...LOCK, layout: "redlock", owner: undefined, waitMs: 30_000, reentrant: false },
    ...{ attemptCount: 2, attempts: [], outcome: "granted", waitedMs: 1_250, validMs: 9_500 },
    ...over,
  });

  it("of an acquire is its time in seconds, its attempts, and the validity of its lock", () => {
    CHANNELS.acquire.asyncEnd.publish(acquired({}));
    expect(noting.take()).to.deep.equal([
      ["acquire.duration", 1.25, { group: "a", mode: "exclusive", outcome: "granted" }],
      ["acquire.attempts", 2, { group: "a" }],
      ["validity.remaining", 9.5, { at: "grant" }],
    ]);
    CHANNELS.acquire.asyncEnd.publish(
      acquired({ outcome: "contended", mode: "shared", validMs: undefined, attemptCount: 0 }),
    );
    expect(noting.take()).to.deep.equal([
      ["acquire.duration", 1.25, { group: "a", mode: "shared", outcome: "contended" }],
      ["acquire.attempts", 0, { group: "a" }],
    ]);
  });

  it("of one that joins a lock is nothing: that was measured", () => {
    CHANNELS.acquire.asyncEnd.publish(acquired({ reentrant: true }));
    expect(noting.take()).to.deep.equal([]);
  });

  const extended = (over: Partial<ExtendMessage>): ExtendMessage => ({
    ...{ ...LOCK, isRenewal: true, lateMs: 70, validBeforeMs: 6_500, validAfterMs: 9_900 },
    ...{ isLate: false, outcome: "extended", durationMs: 4 },
    ...over,
  });

  it("of a renewal is how late it was, and what validity was left before", () => {
    CHANNELS.extend.asyncEnd.publish(extended({}));
    const late = ["renewal.lateness", 0.07, { group: "a" }];
    const margin = ["validity.remaining", 6.5, { at: "renewal" }];
    expect(noting.take()).to.deep.equal([late, margin]);
    CHANNELS.extend.asyncEnd.publish(extended({ isRenewal: false }));
    expect(noting.take(), "asked for").to.deep.equal([margin]);
    for (const outcome of ["failed", "lost", "released"] as const) {
      CHANNELS.extend.asyncEnd.publish(extended({ outcome }));
      expect(noting.take(), outcome).to.deep.equal([late]);
    }
  });

  it("of the end of a lock is for how long it was held, and how it ended", () => {
    const released = { ...LOCK, heldMs: 2_500, validMs: 7_400, result: undefined };
    CHANNELS.release.start.publish(released satisfies ReleaseMessage);
    expect(noting.take()).to.deep.equal([
      ["hold.duration", 2.5, { group: "a", mode: "exclusive", end: "released" }],
      ["validity.remaining", 7.4, { at: "release" }],
    ]);
    const lost = {
      ...LOCK,
      reason: "expired",
      cause: "queued",
      lateMs: undefined,
      heldMs: 2_500,
      validMs: 1,
    } as const;
    const expired = ["hold.duration", 2.5, { group: "a", mode: "exclusive", end: "expired" }];
    CHANNELS.lost.publish(lost satisfies LostMessage);
    expect(noting.take()).to.deep.equal([expired]);
    CHANNELS.lost.publish({ ...lost, lateMs: 6_600 } satisfies LostMessage);
    const late = ["renewal.lateness", 6.6, { group: "a" }];
    expect(noting.take(), "its renewal never began").to.deep.equal([expired, late]);
  });

  it("of a round is its time, each vote, and the time of those that say how fast a node is", () => {
    CHANNELS.round.publish({
      ...{ kind: "acquire", name: "a:1", names: ["a:1"], verdict: "lost", durationMs: 500 },
      votes: [
        { node: "one:1", vote: "granted", ms: 1 },
        { node: "[::1]:2", vote: "refused", ms: 2 },
        { node: "three", vote: "fault", fault: "timeout", ms: 500 },
        { node: "four:4", vote: "fault", fault: "suspected", ms: 0 },
      ],
    });
    const operation = "acquire";
    const one = { "server.address": "one", "server.port": 1, operation };
    const two = { "server.address": "::1", "server.port": 2, operation };
    const three = { "server.address": "three", operation };
    const four = { "server.address": "four", "server.port": 4, operation };
    expect(noting.take()).to.deep.equal([
      ["round.duration", 0.5, { operation, verdict: "lost" }],
      ["votes", 1, { ...one, vote: "granted" }],
      ["node.duration", 0.001, one],
      ["votes", 1, { ...two, vote: "refused" }],
      ["node.duration", 0.002, two],
      ["votes", 1, { ...three, vote: "fault", fault: "timeout" }],
      ["node.duration", 0.5, three],
      ["votes", 1, { ...four, vote: "fault", fault: "suspected" }],
    ]);
  });

  function open(over: Partial<ShownManager>): OpenedManager {
    const manager = new OpenedManager({
      nodes: () => [],
      quorum: () => ({ nodeCount: 3, size: 2, votes: 3 }),
      held: [],
      waiting: () => [],
      ...over,
    });
    managers.push(manager);
    return manager;
  }

  it("of managers is what they hold and what waits, together by group", async () => {
    const [a1, a2, b1] = ["a:1", "a:2", "b:1"].map((name) => keysOf("lock:", name));
    if (a1 === undefined || a2 === undefined || b1 === undefined) throw new Error("three");
    const reader = sharedLock(nameKeys("lock:", "a:3"));
    open({
      held: [{ keys: a1 }, { keys: a2 }, { keys: reader }],
      waiting: () => [
        { keys: a1, size: 2 },
        { keys: b1, size: 1 },
      ],
    });
    const second = open({ held: [{ keys: a2 }], waiting: () => [{ keys: a2, size: 5 }] });
    const seen = await noting.collect();
    const exclusive = { group: "a", mode: "exclusive" };
    expect(seen).to.deep.include.members([
      ["held", 3, exclusive],
      ["held", 1, { group: "a", mode: "shared" }],
      ["waiting", 7, { group: "a" }],
      ["waiting", 1, { group: "b" }],
    ]);
    second.close();
    expect(await noting.collect()).to.deep.include.members([
      ["held", 2, exclusive],
      ["waiting", 2, { group: "a" }],
    ]);
  });

  it("of what is gone is 0 once more, and not what it was", async () => {
    const keys = keysOf("lock:", "a:1");
    open({ held: [{ keys }], waiting: () => [{ keys, size: 1 }] }).close();
    const gone = open({ held: [{ keys }], waiting: () => [{ keys, size: 1 }] });
    await noting.collect();
    gone.close();
    expect(await noting.collect()).to.deep.equal([
      ["waiting", 0, { group: "a" }],
      ["held", 0, { group: "a", mode: "exclusive" }],
      ["quorum.reserve", Number.NaN, {}],
    ]);
  });

  it("of a node is 1 for its state, 0 for those before, and its quarantine in seconds", async () => {
    let state: "ready" | "quarantined" = "quarantined";
    const node = { node: "one:1", detail: "", clockOffsetMs: undefined };
    open({
      nodes: () => [{ ...node, state, quarantineLeftMs: state === "ready" ? 0 : 1_500 }],
    });
    const address = { "server.address": "one", "server.port": 1 };
    expect(await noting.collect()).to.deep.include.members([
      ["node.state", 1, { ...address, state: "quarantined" }],
      ["node.quarantine", 1.5, address],
    ]);
    state = "ready";
    expect(await noting.collect()).to.deep.include.members([
      ["node.state", 0, { ...address, state: "quarantined" }],
      ["node.state", 1, { ...address, state: "ready" }],
      ["node.quarantine", 0, address],
    ]);
  });

  for (const order of [
    [0, 1_500],
    [1_500, 0],
  ]) {
    it(`of a node with managers that see ${order.join(" and ")} ms left is the longest`, async () => {
      for (const quarantineLeftMs of order) {
        const state = quarantineLeftMs > 0 ? "quarantined" : "ready";
        const about = { node: "one:1", detail: "", clockOffsetMs: undefined };
        open({ nodes: () => [{ ...about, state, quarantineLeftMs }] });
      }
      const address = { "server.address": "one", "server.port": 1 };
      for (const _ of ["once", "and later"]) {
        expect(await noting.collect()).to.deep.include.members([
          ["node.state", 1, { ...address, state: "quarantined" }],
          ["node.state", 1, { ...address, state: "ready" }],
          ["node.quarantine", 1.5, address],
        ]);
      }
    });
  }

  it("of all quorums is the smallest reserve", async () => {
    for (const votes of [3, 1, 2]) open({ quorum: () => ({ nodeCount: 3, size: 2, votes }) });
    const reserves = (await noting.collect()).filter(([name]) => name === "quorum.reserve");
    expect(reserves).to.deep.equal([["quorum.reserve", -1, {}]]);
  });

  it("of no quorum is no number: an SDK would repeat the last one, and alerts with it", async () => {
    expect(await noting.collect(), "before the first").to.deep.equal([]);
    open({ quorum: () => ({ nodeCount: 3, size: 2, votes: 2 }) });
    expect(await noting.collect()).to.deep.include(["quorum.reserve", 0, {}]);
    for (const manager of managers) manager.close();
    expect(await noting.collect()).to.deep.include(["quorum.reserve", Number.NaN, {}]);
  });

  it("is nothing after its end", async () => {
    open({ held: [{ keys: keysOf("lock:", "a:1") }] });
    subscriptions.end();
    CHANNELS.acquire.asyncEnd.publish(acquired({}));
    expect(noting.take()).to.deep.equal([]);
    expect(await noting.collect()).to.deep.equal([]);
  });

  it("has the attributes that the table of metrics names, and no others", () => {
    // Above, as one after the other was measured.
    const measured = [...SEEN].map((each) => each.split(" ")[0]);
    const named = Object.entries<MetricRow>(METRICS).flatMap(([name, { attributes }]) =>
      measured.includes(name) ? attributes.map((attribute) => `${name} ${attribute}`) : [],
    );
    expect([...SEEN]).to.have.members(named);
    expect(new Set(measured).size).to.be.above(10);
  });
});
