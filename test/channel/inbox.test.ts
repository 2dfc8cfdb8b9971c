import { expect } from "chai";
import { Inbox } from "../../src/channel/inbox.js";
import type { SubscriptionEvents, Transport } from "../../src/channel/transport.js";
import { inboxChannel } from "../../src/protocol/keys.js";
import { ManualClock } from "../support/manual-clock.js";
import { seededEntropy } from "../support/seeded-entropy.js";

/** An inbox over nodes that the test plays. */
class InboxBench {
  readonly clock = new ManualClock();
  /** By node: its subscriptions, in order. */
  readonly opened: SubscriptionEvents[][];
  readonly channels: string[] = [];
  readonly told: unknown[] = [];
  readonly inbox: Inbox;
  /** Nodes that let no script publish. */
  readonly silent = new Set<number>();
  closedCount = 0;

  constructor(nodeCount = 3) {
    this.opened = Array.from({ length: nodeCount }, () => []);
    const transports = this.opened.map((opened, index): Transport => ({
      name: `node${index}`,
      connect: () => expect.fail("an inbox has connections of its own"),
      subscribe: (channel, events) => {
        this.channels.push(channel);
        opened.push(events);
        return { close: () => void this.closedCount++ };
      },
    }));
    this.inbox = new Inbox(transports, this.clock, seededEntropy(), {
      onTurn: (...turn) => this.told.push(turn),
      onGrant: (...grant) => this.told.push(grant),
      onLoss: (beginning) => this.told.push(beginning),
      onHeard: () => this.told.push("heard"),
      mayPublish: (index) => !this.silent.has(index),
      onUnable: (...about) => this.told.push(about),
    });
  }

  at(node: number): SubscriptionEvents {
    const events = this.opened[node]?.at(-1);
    if (events === undefined) throw new Error(`node ${node} has no subscription`);
    return events;
  }
}

describe("Inbox", () => {
  it("opens no connection until something waits, and then one to each node", () => {
    const bench = new InboxBench();
    expect(bench.channels).to.deep.equal([]);
    for (let count = 0; count < 3; count++) bench.inbox.listen();
    expect(bench.channels).to.deep.equal(Array(3).fill(inboxChannel(bench.inbox.id)));
  });

  it("is heard while a quorum of nodes reaches it, and says so each time it comes to that", () => {
    const bench = new InboxBench();
    bench.inbox.listen();
    bench.at(0).onOpen();
    expect([bench.inbox.isHeard, bench.told]).to.deep.equal([false, []]);
    bench.at(1).onOpen();
    expect([bench.inbox.isHeard, bench.told]).to.deep.equal([true, ["heard"]]);
    bench.at(2).onOpen();
    expect(bench.told).to.deep.equal(["heard"]);
    bench.at(0).onClose();
    expect(bench.inbox.isHeard).to.equal(true);
    bench.at(1).onClose();
    expect(bench.inbox.isHeard).to.equal(false);
    bench.clock.advance(1_000);
    bench.at(1).onOpen();
    expect([bench.inbox.isHeard, bench.told]).to.deep.equal([true, ["heard", "heard"]]);
  });

  it("is not heard through nodes that cannot notify, and says so once of each", () => {
    const bench = new InboxBench();
    bench.silent.add(0);
    bench.inbox.listen();
    for (let node = 0; node < 2; node++) bench.at(node).onOpen();
    bench.at(2).onClose("no SUBSCRIBE");
    expect(bench.inbox.isHeard).to.equal(false);
    const told = [
      [0, "a script may not publish there"],
      [2, "no SUBSCRIBE"],
    ];
    expect(bench.told).to.deep.equal(told);
    bench.at(0).onClose();
    bench.clock.advance(2_000);
    bench.at(0).onOpen();
    bench.at(2).onClose("no SUBSCRIBE");
    bench.clock.advance(2_000);
    bench.at(2).onOpen();
    expect(bench.told, "nothing new, but for the quorum").to.deep.equal([...told, "heard"]);
    expect(bench.inbox.isHeard).to.equal(true);
  });

  it("hands on which node says it of which key, whatever is in its name", () => {
    const bench = new InboxBench();
    bench.inbox.listen();
    bench.at(1).onMessage("20:lock:a:b");
    bench.at(2).onMessage("5:锁");
    bench.at(0).onMessage("5/13:lock:1/2");
    bench.at(0).onMessage("r5:lock:a");
    expect(bench.told).to.deep.equal([
      [1, { lockKey: "lock:a:b", placePrefix: "", turnMs: 20, permits: undefined }],
      [2, { lockKey: "锁", placePrefix: "", turnMs: 5, permits: undefined }],
      [0, { lockKey: "lock:1/2", placePrefix: "s", turnMs: 5, permits: [13] }],
      [0, { lockKey: "lock:a", placePrefix: "r", turnMs: 5, permits: undefined }],
    ]);
  });

  it("hands on which node says that it has granted which key, and to nobody that it is its turn", () => {
    const bench = new InboxBench();
    bench.inbox.listen();
    const proof = "0123456789abcdef0123456789abcdef01234567";
    bench.at(2).onMessage(`granted 7 3 1 ${proof} lock:a b`);
    for (const text of ["granted 7 3 1 lock:a", `granted 7 3 1 ${proof.slice(1)} lock:a`])
      bench.at(2).onMessage(text);
    expect(bench.told).to.deep.equal([
      [2, { lockKey: "lock:a b", fence: 7, number: 3, isWaitedFor: true, proof }],
    ]);
  });

  it("hands on whose lock has ended, and to nobody that it is its turn", () => {
    const bench = new InboxBench();
    bench.inbox.listen();
    for (const text of ["lost x9_Kq2", "lost x9_Kq", "lost"]) bench.at(2).onMessage(text);
    expect(bench.told).to.deep.equal(["x9_Kq2"]);
  });

  it("hands on nothing that no node would say", () => {
    const bench = new InboxBench();
    bench.inbox.listen();
    for (const text of ["", "20", "lock:a", "20/7e1:lock:a", "999999:lock:a", "20/10000:lock:a"]) {
      bench.at(1).onMessage(text);
    }
    expect(bench.told).to.deep.equal([]);
  });

  it("listens again after a pause that grows and has an end, for as long as it is open", () => {
    const bench = new InboxBench(1);
    bench.inbox.listen();
    for (let count = 1; count < 20; count++) {
      expect(bench.channels).to.have.length(count);
      bench.at(0).onClose();
      expect(bench.channels).to.have.length(count);
      bench.clock.advance(1_000);
    }
    bench.inbox.close();
    const { length } = bench.channels;
    bench.at(0).onClose();
    bench.clock.advance(60_000);
    expect(bench.channels).to.have.length(length);
  });

  it("listens again soon after every break, however long it took the last time", () => {
    const bench = new InboxBench(1);
    bench.inbox.listen();
    for (let count = 0; count < 10; count++) {
      bench.at(0).onClose();
      bench.clock.advance(1_000);
    }
    bench.at(0).onOpen();
    const { length } = bench.channels;
    bench.at(0).onClose();
    bench.clock.advance(50);
    expect(bench.channels).to.have.length(length + 1);
  });

  it("listens again no sooner than without an answer where a node ends each subscription at once", () => {
    const bench = new InboxBench(1);
    bench.inbox.listen();
    const endMs = bench.clock.now() + 60_000;
    while (bench.clock.now() < endMs) {
      bench.at(0).onOpen();
      bench.at(0).onClose();
      const { length } = bench.channels;
      while (bench.channels.length === length) bench.clock.advance(1);
    }
    expect(bench.channels.length).to.be.within(60, 130);
  });

  it("hears nothing any more once it is closed", () => {
    const bench = new InboxBench();
    bench.inbox.listen();
    bench.inbox.close();
    expect(bench.closedCount).to.equal(3);
    for (const node of [0, 1, 2]) {
      bench.at(node).onOpen();
      bench.at(node).onMessage("5:lock:a");
    }
    expect([bench.inbox.isHeard, bench.told]).to.deep.equal([false, []]);
  });
});
