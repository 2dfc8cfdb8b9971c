import { EventEmitter } from "node:events";
import { expect } from "chai";
import type { Cluster } from "ioredis";
import { keysOf } from "../../src/kinds/exclusive.js";
import { newOperation, type Operation } from "../../src/protocol/operation.js";
import type { Waiter } from "../../src/protocol/node-queue.js";
import { ClusterSubscription, tellsForMs } from "../../src/redis/cluster-subscription.js";
import { operation } from "../support/channel-bench.js";
import { at } from "../support/nodes.js";
import { eventually } from "../support/settle.js";

/** A client of a member, and its copies, which listen. */
class FakeMember {
  readonly copies: Copy[] = [];
  readonly options: { readonly host: string; readonly port: number };
  /** What becomes of the subscriptions. */
  fails: Error | undefined;
  isSilent = false;

  constructor(port: number) {
    this.options = { host: "10.0.0.1", port };
  }

  duplicate(): Copy {
    const copy = new Copy(this);
    this.copies.push(copy);
    return copy;
  }
}

class Copy extends EventEmitter {
  readonly asked: string[] = [];
  status = "wait";
  readonly #of: FakeMember;

  constructor(of: FakeMember) {
    super();
    this.#of = of;
  }

  connect(): Promise<void> {
    return Promise.resolve();
  }

  disconnect(): void {
    this.status = "end";
    this.emit("end");
  }

  async ssubscribe(channel: string): Promise<void> {
    this.asked.push(`+${channel}`);
    if (this.#of.fails !== undefined) throw this.#of.fails;
    if (this.#of.isSilent) await new Promise(() => {});
  }

  async sunsubscribe(channel: string): Promise<void> {
    this.asked.push(`-${channel}`);
  }
}

class Bench {
  nowMs = 1_000;
  readonly members = [new FakeMember(1), new FakeMember(2)];
  readonly slots: string[][] = [];
  readonly told: string[] = [];
  readonly subscription = new ClusterSubscription(
    "inbox",
    { steady: () => this.nowMs },
    {
      onOpen: () => this.told.push("open"),
      onMessage: (message) => this.told.push(message),
      onClose: (refusal) => this.told.push(`closed ${refusal}`),
    },
    50,
  );

  constructor() {
    this.slots[1] = this.slots[2] = ["10.0.0.1:1"];
    this.slots[3] = ["10.0.0.1:2"];
  }

  /** An operation is sent in the slot. */
  async listen(slot: number, forMs = 60_000): Promise<void> {
    const cluster = { slots: this.slots, nodes: () => this.members } as unknown as Cluster;
    this.subscription.listen(cluster, { number: slot, tag: `t${slot}` }, forMs);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** The connections that listen, or did, to that member. */
  at(member: number): readonly Copy[] {
    return at(this.members, member - 1).copies;
  }

  asked(member: number, connection = 0): readonly string[] {
    return at(this.at(member), connection).asked;
  }
}

describe("ClusterSubscription", () => {
  it("is open once a slot is listened to, and passes on what comes from any member", async () => {
    const bench = new Bench();
    expect(bench.told).to.deep.equal([]);
    for (const slot of [1, 2, 3]) await bench.listen(slot);
    expect(bench.told).to.deep.equal(["open"]);
    at(bench.at(1), 0).emit("smessage", "inbox:{t1}", "one");
    at(bench.at(2), 0).emit("smessage", "inbox:{t3}", "two");
    expect(bench.told).to.deep.equal(["open", "one", "two"]);
  });

  it("has a channel a slot, over one connection to each member that has such slots", async () => {
    const bench = new Bench();
    for (const slot of [1, 2, 1, 3, 2]) await bench.listen(slot);
    expect(bench.asked(1)).to.deep.equal(["+inbox:{t1}", "+inbox:{t2}"]);
    expect(bench.asked(2)).to.deep.equal(["+inbox:{t3}"]);
    expect([bench.at(1).length, bench.at(2).length]).to.deep.equal([1, 1]);
  });

  it("waits for a slot that no member has, and for a member that is not known", async () => {
    const bench = new Bench();
    bench.slots[5] = ["10.0.0.1:9"];
    for (const slot of [4, 5]) await bench.listen(slot);
    expect(bench.told).to.deep.equal([]);
    bench.slots[4] = bench.slots[5] = ["10.0.0.1:2"];
    for (const slot of [4, 5]) await bench.listen(slot);
    expect(bench.asked(2)).to.deep.equal(["+inbox:{t4}", "+inbox:{t5}"]);
  });

  it("follows a slot to another member", async () => {
    const bench = new Bench();
    await bench.listen(1);
    bench.slots[1] = ["10.0.0.1:2"];
    await bench.listen(1);
    expect(bench.asked(2)).to.deep.equal(["+inbox:{t1}"]);
  });

  it("subscribes again where a member has given up a channel, or has not got the slot yet", async () => {
    const bench = new Bench();
    await bench.listen(1);
    at(bench.at(1), 0).emit("moved");
    await bench.listen(1);
    expect(bench.asked(1)).to.deep.equal(["+inbox:{t1}", "+inbox:{t1}"]);
    at(bench.members, 0).fails = new Error("MOVED 2 10.0.0.1:2");
    for (let times = 0; times < 2; times++) await bench.listen(2);
    expect(bench.asked(1).slice(2)).to.deep.equal(["+inbox:{t2}", "+inbox:{t2}"]);
    expect(bench.told).to.deep.equal(["open"]);
  });

  it("connects again after a pause to a member whose connection has ended", async () => {
    const bench = new Bench();
    for (const slot of [1, 2, 3]) await bench.listen(slot);
    at(bench.at(1), 0).disconnect();
    bench.nowMs += 249;
    for (const slot of [1, 3]) await bench.listen(slot);
    expect([bench.at(1).length, bench.at(2).length]).to.deep.equal([1, 1]);
    bench.nowMs += 1;
    await bench.listen(1);
    expect(bench.asked(1, 1), "the others with their next operation").to.deep.equal([
      "+inbox:{t1}",
    ]);
    await bench.listen(2);
    expect(bench.asked(1, 1)).to.deep.equal(["+inbox:{t1}", "+inbox:{t2}"]);
    expect(bench.told).to.deep.equal(["open"]);
  });

  it("connects again to a member that does not confirm any more that it was subscribed to", async () => {
    const bench = new Bench();
    await bench.listen(1);
    const first = at(bench.at(1), 0);
    first.emit("connect");
    first.emit("ready");
    await eventually("it has confirmed twice", () => bench.asked(1).length === 3);
    expect(new Set(bench.asked(1))).to.deep.equal(new Set(["+inbox:{t1}"]));
    at(bench.members, 0).isSilent = true;
    await eventually("it is given up", () => first.status === "end");
    bench.nowMs += 250;
    await bench.listen(1);
    expect(bench.asked(1, 1)).to.deep.equal(["+inbox:{t1}"]);
    expect(bench.told).to.deep.equal(["open"]);
  });

  it("ends where nobody may subscribe, and says why", async () => {
    const bench = new Bench();
    at(bench.members, 0).fails = new Error("ERR unknown command 'ssubscribe', with args");
    await bench.listen(1);
    await bench.listen(3);
    expect(bench.told).to.have.length(1);
    expect(bench.told[0]).to.match(/^closed .*the server does not have SSUBSCRIBE/);
    expect(bench.at(2)).to.deep.equal([]);
    expect(at(bench.at(1), 0).status).to.equal("end");
  });

  it("gives up a channel that nothing has needed for long, and a connection without channels", async () => {
    const bench = new Bench();
    await bench.listen(1, 5_000);
    await bench.listen(2, 50_000);
    await bench.listen(3, 5_000);
    bench.nowMs += 4_000;
    await bench.listen(1, 20_000);
    bench.nowMs += 7_000;
    await bench.listen(1, 5_000);
    expect(bench.asked(1)).to.deep.equal(["+inbox:{t1}", "+inbox:{t2}"]);
    expect([at(bench.at(1), 0).status, at(bench.at(2), 0).status]).to.deep.equal(["wait", "end"]);
    bench.nowMs += 20_000;
    await bench.listen(2, 50_000);
    expect(bench.asked(1).slice(2)).to.deep.equal(["-inbox:{t1}"]);
    // Needed again.
    await bench.listen(3);
    expect(bench.asked(2, 1)).to.deep.equal(["+inbox:{t3}"]);
  });

  it("is silent once it is closed", async () => {
    const bench = new Bench();
    await bench.listen(1);
    const ear = at(bench.at(1), 0);
    bench.subscription.close();
    expect(ear.status).to.equal("end");
    ear.emit("smessage", "inbox:{t1}", "late");
    await bench.listen(3);
    expect(bench.told).to.deep.equal(["open"]);
    expect(bench.at(2)).to.deep.equal([]);
  });

  describe("listens", () => {
    const waiter: Waiter = { inbox: "inbox", ticket: 1, turnMs: 20 };
    const keys = keysOf("lock:", "a");
    const parts = { keys, ownerId: "inbox", sendBeforeMs: 0 };
    const gone = { ...waiter, ticket: 0 };
    const cases: readonly (readonly [string, Operation, number])[] = [
      ["for an acquire that leaves a place", operation("acquire", "a", { waiter }), 10_000],
      ["not for one that leaves none", operation("acquire", "a"), 0],
      ["for a release that leaves a place", operation("release", "a", { waiter }), 10_000],
      ["not for one that withdraws it", operation("release", "a", { waiter: gone }), 0],
      ["for a refresh", newOperation("refresh", { ...parts, places: [{ keys, waiter }] }), 10_000],
      ["for a renewal, as long as a place", operation("extend", "a", { ttlMs: 900 }), 10_000],
      ["for a renewal, as long as it holds", operation("extend", "a", { ttlMs: 90_000 }), 90_000],
      ["not for a leave", newOperation("leave", { ...parts, waiter }), 0],
      ["not for an inspect", newOperation("inspect", parts), 0],
    ];
    for (const [title, sent, forMs] of cases) {
      it(title, () => expect(tellsForMs(sent)).to.equal(forMs));
    }
  });
});
