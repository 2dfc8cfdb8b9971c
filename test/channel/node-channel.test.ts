import { expect } from "chai";
import { createHash } from "node:crypto";
import type { NodeGrant } from "../../src/protocol/node-messages.js";
import { faultVote, type AnyOperation, type Vote } from "../../src/protocol/operation.js";
import type { Waiter } from "../../src/protocol/node-queue.js";
import { ChannelBench, QUARANTINE_MS } from "../support/channel-bench.js";
import { stateOf } from "../support/coordinator-bench.js";
import { handshakeReply } from "../support/scripted-transport.js";
import { fault, granted } from "../support/votes.js";

const NO_REPLICAS = faultVote("server", true, "NOREPLICAS");

/** A channel whose node is admitted. */
function ready(settings: ConstructorParameters<typeof ChannelBench>[0] = {}): ChannelBench {
  const bench = new ChannelBench(settings);
  bench.connection.open();
  return bench;
}

/** One of several: its operations gather until the end of the tick. */
const readyOfThree = (): ChannelBench => ready({ nodeCount: 3 });

/** A channel whose admitted connection broke, and whose next try failed as well. */
function down(): ChannelBench {
  const bench = ready();
  bench.connection.fail();
  bench.clock.advance(0);
  bench.connection.fail();
  return bench;
}

describe("NodeChannel: connecting", () => {
  it("lets operations wait for the handshake, and sends them in order behind it", () => {
    const bench = new ChannelBench();
    bench.send("acquire", "a");
    bench.connection.events.onOpen();
    bench.send("acquire", "b");
    expect(bench.connection.batches).to.deep.equal([]);
    bench.connection.answerHandshake(handshakeReply());
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["acquire a", "acquire b"]]);
    expect(bench.channel.state).to.equal("ready");
  });

  it("never sends an operation that waited past its deadline", () => {
    const bench = new ChannelBench();
    bench.submit("acquire", "a", { sendBeforeMs: bench.clock.now() + 50 });
    bench.submit("acquire", "b", { sendBeforeMs: bench.clock.now() + 51 });
    bench.clock.advance(51);
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["acquire b"]]);
    expect(bench.votes.get("acquire a")).to.include({ fault: "timeout", sent: false });
  });

  it("blames a node that is open for nothing that this process was too busy to send", () => {
    const bench = readyOfThree();
    bench.submit("acquire", "a", { sendBeforeMs: bench.clock.now() + 10 });
    bench.clock.stall(11);
    bench.clock.flush();
    expect(bench.votes.get("acquire a")).to.include({ fault: "late", sent: false });
  });

  it("refuses what waited, unsent, when the first try fails, and all behind it at once", () => {
    const bench = new ChannelBench();
    bench.send("acquire", "a");
    bench.connection.fail("ECONNREFUSED");
    bench.clock.flush();
    expect(bench.channel.state).to.equal("down");
    bench.send("acquire", "b");
    for (const key of ["acquire a", "acquire b"]) {
      expect(bench.votes.get(key)).to.include({ fault: "disconnected", sent: false });
    }
    expect(bench.votes.get("acquire b")).to.have.property("message").that.includes("ECONNREFUSED");
  });

  it("answers no operation from within submit", () => {
    const bench = new ChannelBench();
    bench.connection.fail();
    bench.submit("acquire", "a");
    expect(bench.votes.size).to.equal(0);
    bench.clock.flush();
    expect(bench.votes.size).to.equal(1);
  });

  it("gives a handshake up at its deadline", () => {
    const bench = new ChannelBench();
    bench.connection.events.onOpen();
    bench.clock.advance(100);
    expect(bench.channel.state).to.equal("down");
    expect(bench.transport.connections[0]?.isClosed).to.equal(true);
  });

  it("tries for ever, with growing pauses of at most a second", () => {
    const bench = new ChannelBench();
    for (let times = 0; times < 20; times++) {
      bench.connection.fail();
      expect(bench.toNextConnection()).to.be.at.most(1_000);
    }
    bench.connection.open();
    expect(bench.channel.state).to.equal("ready");
  });

  it("pauses longer and longer for a node that answers a first handshake, and then none", () => {
    const bench = ready();
    const pauses: number[] = [];
    for (let times = 0; times < 10; times++) {
      bench.channel.handshake(undefined);
      const failure = { message: "OOM", isMisconfigured: false };
      bench.connection.answerHandshake({ kind: "failed", failure });
      expect(bench.channel.state).to.equal("down");
      expect(bench.channel.detail).to.equal("OOM");
      pauses.push(bench.toNextConnection());
      bench.connection.open();
      expect(bench.channel.state).to.equal("ready");
    }
    expect(pauses.at(0)).to.be.within(25, 51);
    expect(pauses.at(-1)).to.be.within(500, 1_001);
    bench.clock.advance(1_000);
    bench.connection.fail();
    expect(bench.toNextConnection(), "one that was healthy").to.be.below(2);
  });

  it("pauses longer and longer for a node that ends each connection at once, and is down meanwhile", () => {
    const bench = ready();
    const pauses: number[] = [];
    for (let times = 0; times < 10; times++) {
      bench.connection.fail();
      expect(bench.channel.state).to.equal(times === 0 ? "connecting" : "down");
      pauses.push(bench.toNextConnection());
      bench.connection.open();
      expect(bench.channel.state).to.equal("ready");
    }
    expect(pauses.at(0), "the first may be an accident").to.be.below(2);
    expect(pauses.at(1)).to.be.within(25, 101);
    expect(pauses.at(-1)).to.be.within(500, 1_001);
    bench.clock.advance(1_000);
    bench.connection.fail();
    expect(bench.channel.state, "one that has lasted").to.equal("connecting");
    expect(bench.toNextConnection()).to.be.below(2);
  });

  it("tries soon again after every outage, however long the last one was", () => {
    const bench = new ChannelBench();
    for (let times = 0; times < 10; times++) {
      bench.connection.fail();
      bench.toNextConnection();
    }
    bench.connection.open();
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.fail();
    expect(bench.toNextConnection()).to.be.at.most(50);
  });

  it("takes the state from the last try, and says why", () => {
    const bench = new ChannelBench();
    bench.connection.fail("WRONGPASS", true);
    expect(bench.channel.state).to.equal("misconfigured");
    expect(bench.channel.detail).to.include("WRONGPASS");
    bench.send("acquire", "a");
    expect(bench.votes.get("acquire a")).to.include({ fault: "misconfigured", sent: false });
    bench.toNextConnection();
    bench.connection.open();
    expect(bench.client.told[0]).to.deep.equal(["misconfigured", "ready"]);
  });

  for (const { title, problems, isEvictionAllowed, state } of [
    { title: "a replica", problems: ["replica"], isEvictionAllowed: true, state: "misconfigured" },
    {
      title: "one that may evict",
      problems: ["eviction"],
      isEvictionAllowed: false,
      state: "misconfigured",
    },
    {
      title: "one that may evict, if allowed",
      problems: ["eviction"],
      isEvictionAllowed: true,
      state: "ready",
    },
    {
      title: "one that does not name its run, though it may evict",
      problems: ["runId"],
      isEvictionAllowed: true,
      state: "misconfigured",
    },
    {
      title: "both",
      problems: ["eviction", "replica"],
      isEvictionAllowed: true,
      state: "misconfigured",
    },
  ] as const) {
    it(`is ${state} for ${title}`, () => {
      const bench = new ChannelBench({ isEvictionAllowed });
      const found = problems.map((kind) => ({ kind, message: `it is ${kind}` }));
      bench.connection.open(handshakeReply({}, { problems: found }));
      expect(bench.channel.state).to.equal(state);
      expect(bench.connection.isClosed).to.equal(state === "misconfigured");
    });
  }

  it("is ready for one that does not name its run, if that is accepted", () => {
    const bench = new ChannelBench({ isRunIdOptional: true });
    const problems = [{ kind: "runId", message: "no run_id" }] as const;
    bench.connection.open(handshakeReply({ runId: "" }, { problems, runId: "" }));
    expect(bench.channel.state).to.equal("ready");
  });
});

describe("NodeChannel: handshake", () => {
  it("tells the server nothing of the past on the first connection", () => {
    const bench = new ChannelBench({ raisedTtlMs: 4_000, isDurable: true });
    bench.connection.events.onOpen();
    expect(bench.connection.handshakes[0]?.request).to.deep.include({
      previous: undefined,
      ifAbsent: undefined,
      nodeCount: 1,
      maxTtlMs: 4_000,
      isDurable: true,
      order: undefined,
    });
  });

  it("names the previous connection, to be ended, and that it knew a record", () => {
    const bench = new ChannelBench();
    bench.connection.open(handshakeReply({}, { connectionId: "17", runId: "run-x" }));
    const name = bench.connection.handshakes[0]?.request.connectionName;
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.events.onOpen();
    expect(bench.connection.handshakes[0]?.request.connectionName).to.not.equal(name);
    expect(bench.connection.handshakes[0]?.request).to.deep.include({
      previous: { name, connectionId: "17" },
      ifAbsent: "forgot",
    });
  });

  it("names the last connection that was greeted, however many failed since", () => {
    const bench = new ChannelBench();
    bench.connection.open(handshakeReply({}, { connectionId: "17", runId: "run-x" }));
    for (let times = 0; times < 3; times++) {
      bench.connection.fail();
      bench.toNextConnection();
    }
    bench.connection.events.onOpen();
    expect(bench.connection.handshakes[0]?.request.previous?.connectionId).to.equal("17");
  });

  it("offers a record id never used before with every handshake", () => {
    const bench = new ChannelBench();
    const ids: (string | undefined)[] = [];
    for (let times = 0; times < 4; times++) {
      bench.connection.events.onOpen();
      ids.push(bench.connection.handshakes[0]?.request.newId);
      bench.connection.fail();
      bench.toNextConnection();
    }
    expect(new Set(ids).size).to.equal(4);
  });

  it("names the record's id in batches, and none without quarantine", () => {
    for (const [isQuarantineOn, recordId] of [
      [true, "record-a"],
      [false, ""],
    ] as const) {
      const bench = ready({ isQuarantineOn });
      bench.send("acquire", "a");
      expect(bench.connection.batch(0).batch.recordId).to.equal(recordId);
    }
  });
});

describe("NodeChannel: a node that is connected for long", () => {
  const CHECK_MS = 60_000;

  /** One whose operations are answered like that. */
  function inUse(vote: Vote = granted()): { bench: ChannelBench; use: () => void } {
    const bench = ready();
    let count = 0;
    const use = (): void => {
      bench.send("extend", `owner ${count}`);
      bench.connection.answer(count++, [vote]);
    };
    return { bench, use };
  }

  it("is asked once a minute who it is, with what is sent, and not while it is idle", () => {
    const { bench, use } = inUse();
    for (let minute = 1; minute <= 3; minute++) {
      bench.clock.advance(CHECK_MS - 1);
      use();
      expect(bench.connection.handshakes).to.have.length(minute);
      bench.clock.advance(CHECK_MS);
      expect(bench.connection.handshakes).to.have.length(minute);
      use();
      use();
      expect(bench.connection.handshakes).to.have.length(minute + 1);
      bench.connection.answerHandshake(handshakeReply());
      expect(bench.channel.state).to.equal("ready");
    }
  });

  it("is misconfigured once it says that it evicts keys", () => {
    const { bench, use } = inUse();
    bench.clock.advance(CHECK_MS);
    use();
    const problems = [{ kind: "eviction", message: "it evicts" }] as const;
    bench.connection.answerHandshake({ ...handshakeReply(), problems });
    expect(bench.channel.state).to.equal("misconfigured");
    expect(bench.channel.detail).to.equal("it evicts");
  });

  it("is asked at once, but no more than once a second, where an operation is not permitted", () => {
    const { bench, use } = inUse(fault("misconfigured"));
    const counts: number[] = [];
    for (let count = 0; count < 8; count++) {
      bench.clock.advance(300);
      use();
      counts.push(bench.connection.handshakes.length);
      if (counts.at(-1) !== (counts.at(-2) ?? 1))
        bench.connection.answerHandshake(handshakeReply());
    }
    expect(counts).to.deep.equal([1, 1, 1, 2, 2, 2, 2, 3]);
  });

  it("says for a minute how an operation failed last, though it is connected", () => {
    const { bench, use } = inUse(fault("server"));
    use();
    bench.clock.advance(CHECK_MS);
    expect(bench.channel.detail).to.equal("the test says server, 60 s ago");
    expect(bench.channel.state).to.equal("ready");
    bench.clock.advance(1);
    expect(bench.channel.detail).to.equal("connected");
  });
});

describe("NodeChannel: a connection that breaks", () => {
  it("answers what was sent as unknown, and lets the rest wait for one prompt try", () => {
    const bench = readyOfThree();
    bench.send("acquire", "a");
    bench.submit("acquire", "b");
    bench.connection.fail();
    bench.clock.advance(0);
    expect(bench.votes.get("acquire a")).to.include({ fault: "disconnected", sent: true });
    expect(bench.votes.has("acquire b")).to.equal(false);
    expect(bench.channel.state).to.equal("connecting");
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["acquire b"]]);
  });

  it("is down, and refuses, when that try fails", () => {
    const bench = readyOfThree();
    bench.submit("acquire", "b");
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.fail();
    bench.clock.flush();
    expect(bench.channel.state).to.equal("down");
    expect(bench.votes.get("acquire b")).to.include({ fault: "disconnected", sent: false });
  });

  it("does not make anybody wait for a node that had stopped answering", () => {
    const bench = ready();
    bench.send("acquire", "a");
    bench.clock.advance(50);
    bench.connection.fail();
    expect(bench.channel.state).to.equal("down");
  });

  it("closes the connection on an error for a whole batch, keeps owed releases, and connects anew", () => {
    const bench = ready();
    bench.submit("acquire", "a");
    bench.submit("release", "b", { mayHold: true });
    bench.clock.flush();
    const first = bench.connection;
    first.batch(0).reply({ kind: "error", message: "BUSY", isExecuted: "unknown" });
    expect(first.isClosed).to.equal(true);
    expect(bench.votes.get("acquire a")).to.include({ fault: "server", sent: true });
    expect(bench.channel.pendingReleaseCount).to.equal(1);
    bench.clock.advance(0);
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["release b"]]);
    bench.connection.answer(0);
    expect(bench.votes.get("release b")).to.deep.equal(granted(1));
  });
});

describe("NodeChannel: replies out of step", () => {
  const WRONG = 17;

  /** The reply to its last batch is another's. */
  function outOfStep(bench: ChannelBench): void {
    bench.connection.answer(-1, undefined, true, WRONG);
  }

  it("ends the connection: all in flight are unknown, whatever is answered behind it", () => {
    const bench = readyOfThree();
    bench.send("acquire", "a");
    bench.send("acquire", "b");
    bench.submit("acquire", "c");
    const { connection } = bench;
    outOfStep(bench);
    expect(connection.isClosed).to.equal(true);
    connection.answer(0);
    bench.clock.flush();
    for (const owner of ["a", "b"]) {
      const vote = bench.votes.get(`acquire ${owner}`);
      expect(vote).to.include({ kind: "fault", fault: "disconnected", sent: true });
      expect(vote).to.have.property("message").that.includes("replies out of step");
    }
    expect(bench.votes.get("acquire c")).to.include({ fault: "disconnected", sent: false });
    expect(bench.channel).to.include({ state: "down" });
    expect(bench.channel.detail).to.include("replies out of step").and.include(String(WRONG));
  });

  it("sends releases on the next connection, which it opens after a pause", () => {
    const bench = ready();
    bench.send("acquire", "a");
    bench.send("release", "b", { mayHold: true });
    outOfStep(bench);
    bench.send("release", "a", { mayHold: true });
    expect(bench.channel.pendingReleaseCount).to.equal(2);
    expect(bench.toNextConnection()).to.be.above(0);
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["release b", "release a"]]);
    bench.connection.answer(0);
    expect(bench.votes.get("release a")).to.deep.equal(granted(1));
  });

  it("begins each connection with other numbers", () => {
    const bench = ready();
    bench.send("acquire", "a");
    const { batch } = bench.connection.batch(0);
    const handshakes = [...bench.connection.handshakes];
    outOfStep(bench);
    bench.toNextConnection();
    bench.connection.open();
    bench.send("acquire", "b");
    handshakes.push(...bench.connection.handshakes);
    const numbers = [batch, bench.connection.batch(0).batch].map(({ number }) => number);
    expect(new Set([...numbers, ...handshakes.map(({ request }) => request.number)]).size).to.equal(
      4,
    );
    expect(Math.abs((numbers[1] as number) - (numbers[0] as number))).to.be.above(1_000);
  });

  it("warns, with a remedy, and of one node at most once a minute", () => {
    const bench = ready();
    const warned = (): string[] =>
      bench.client.warnings.flatMap(({ kind, index, message }) =>
        kind === "outOfStep" ? `${index}: ${message}` : [],
      );
    const again = (): void => {
      bench.send("extend", "a");
      outOfStep(bench);
      bench.votes.clear();
      bench.toNextConnection();
      bench.connection.open();
    };
    again();
    expect(warned()).to.have.length(1);
    expect(warned()[0])
      .to.match(/^0: /)
      .and.include("replies out of step")
      .and.include("connect to the server");
    again();
    bench.clock.advance(50_000);
    again();
    expect(warned()).to.have.length(1);
    bench.clock.advance(20_000);
    again();
    expect(warned()).to.have.length(2);
  });

  it("warns of a handshake, too", () => {
    const bench = new ChannelBench();
    bench.connection.open({ ...handshakeReply(), number: WRONG });
    expect(bench.client.warnings).to.have.length(1);
    expect(bench.channel.state).to.equal("down");
  });
});

describe("NodeChannel: owed releases", () => {
  it("keeps one while the node is down, and sends it behind the next handshake, first of all", () => {
    const bench = down();
    bench.send("release", "a", { mayHold: true });
    bench.send("release", "b", { mayHold: true });
    bench.send("release", "c");
    expect(bench.channel.pendingReleaseCount).to.equal(2);
    expect(bench.votes.get("release c")).to.include({ fault: "disconnected", sent: false });
    bench.clock.advance(500);
    bench.connection.events.onOpen();
    expect(bench.connection.batches).to.deep.equal([]);
    bench.connection.answerHandshake(handshakeReply());
    bench.send("acquire", "d");
    expect(bench.connection.sent).to.deep.equal([["release a", "release b", "acquire d"]]);
  });

  it("sends one before what waited for the connection meanwhile", () => {
    const bench = ready();
    bench.send("release", "a", { mayHold: true });
    bench.connection.fail();
    bench.send("acquire", "b");
    bench.clock.advance(0);
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["release a", "acquire b"]]);
  });

  it("takes the place of nobody: what waited behind it for the node was not late of our own doing", () => {
    const bench = readyOfThree();
    bench.send("release", "a", { mayHold: true });
    bench.connection.fail();
    bench.submit("acquire", "b", { sendBeforeMs: bench.clock.now() + 10 });
    bench.clock.advance(0);
    bench.clock.advance(11);
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["release a"]]);
    expect(bench.votes.get("acquire b")).to.include({ fault: "timeout", sent: false });
  });

  it("sends again one that was on its way when the connection broke", () => {
    const bench = ready();
    bench.send("release", "a", { mayHold: true });
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["release a"]]);
    expect(bench.votes.size).to.equal(0);
  });

  it("drops one only a key life after the close of the connection, by monotonic time", () => {
    for (const { lifeMs, sent } of [
      { lifeMs: 999, sent: [["release a"]] },
      { lifeMs: 1_000, sent: [] },
    ]) {
      const bench = ready();
      // Connections do not live longer because the machine slept.
      bench.clock.suspend(60_000);
      bench.connection.fail();
      bench.clock.advance(0);
      bench.connection.fail();
      bench.clock.suspend(60_000);
      bench.send("release", "a", { mayHold: true, ttlMs: 1_000 });
      bench.clock.stall(lifeMs);
      bench.clock.advance(0);
      bench.connection.open();
      bench.clock.flush();
      expect(bench.connection.sent, `${lifeMs} ms`).to.deep.equal(sent);
    }
  });

  it("counts that life from the close of the last connection that carried operations", () => {
    const bench = down();
    bench.send("release", "a", { mayHold: true, ttlMs: 1_000 });
    // Tries that never got through carried nothing.
    for (let passedMs = 0; passedMs < 1_000; passedMs += bench.toNextConnection()) {
      bench.connection.fail();
    }
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([]);
  });

  it("does not keep what a node cannot hold: nothing was ever sent to it", () => {
    const bench = new ChannelBench();
    bench.connection.fail();
    bench.send("release", "a", { mayHold: true });
    expect(bench.channel.pendingReleaseCount).to.equal(0);
    expect(bench.votes.get("release a")).to.include({ fault: "disconnected", sent: false });
  });

  for (const [what, lastFault, sentCount] of [
    ["until the node executes it", 2, 3],
    ["until a key life has passed", 99, 5],
  ] as const) {
    it(`sends one again that failed on the node, once a second, ${what}`, () => {
      const bench = ready();
      const waiter = { inbox: "in", ticket: 5, turnMs: 20 };
      bench.send("release", "a", { mayHold: true, ttlMs: 4_500, waiter });
      for (let count = 1; count < 10; count++) {
        const batch = bench.connection.batches.length;
        expect(batch).to.equal(Math.min(count, sentCount));
        const vote = count <= lastFault ? NO_REPLICAS : granted(0);
        if (batch === count) bench.connection.answer(count - 1, [vote]);
        expect(bench.votes.get("release a"), "told at once").to.deep.equal(vote);
        bench.clock.advance(999);
        expect(bench.connection.batches.length).to.equal(batch);
        bench.clock.advance(1);
      }
      const [, again] = bench.connection.batches;
      expect(again?.batch.operations[0]).to.have.nested.property("waiter.ticket", 0);
      expect(bench.channel.pendingReleaseCount).to.equal(0);
    });
  }

  it("tries with one of many that failed, and sends the others once that is executed", () => {
    const bench = readyOfThree();
    const owners = ["a", "b", "c", "d"];
    for (const owner of owners) bench.submit("release", owner, { mayHold: true, ttlMs: 60_000 });
    bench.clock.flush();
    const failed = owners.map(() => NO_REPLICAS);
    bench.connection.answer(0, failed);
    for (let count = 1; count < 4; count++) {
      bench.clock.advance(1_000);
      bench.clock.flush();
      expect(bench.connection.sent.at(-1)).to.have.length(1);
      expect(bench.connection.sent).to.have.length(count + 1);
      bench.connection.answer(count, [NO_REPLICAS]);
    }
    bench.clock.advance(1_000);
    bench.clock.flush();
    const [first] = bench.connection.sent.at(-1) ?? [];
    bench.connection.answer(4, [granted()]);
    bench.clock.flush();
    expect(bench.connection.sent.at(-1)).to.have.length(3).and.not.include(first);
    bench.connection.answer(5);
    for (const owner of owners)
      expect(bench.votes.get(`release ${owner}`)).to.include({ kind: "granted" });
    expect(bench.channel.pendingReleaseCount).to.equal(0);
  });

  it("sends one again for a key life after the node was silent: it may still execute what it was sent", () => {
    const bench = ready();
    bench.send("release", "a", { mayHold: true, ttlMs: 3_000 });
    for (let count = 0; count < 10; count++) {
      expect(bench.connection.batches).to.have.length(count + 1);
      bench.connection.answer(count, [fault("suspected")]);
      bench.clock.advance(1_000);
    }
    bench.connection.answer(10, [granted()]);
    expect(bench.channel.pendingReleaseCount).to.equal(0);
  });

  it("sends none again that failed, and whose key nothing has put there", () => {
    const bench = ready();
    bench.send("release", "a");
    bench.connection.answer(0, [NO_REPLICAS]);
    bench.clock.advance(1_000);
    expect(bench.connection.sent).to.deep.equal([["release a"]]);
  });

  it("sends one that failed on the next connection, once it is there", () => {
    const bench = ready();
    bench.send("release", "a", { mayHold: true });
    bench.connection.answer(0, [NO_REPLICAS]);
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["release a"]]);
  });

  it("keeps them for a node that is misconfigured for a while", () => {
    const bench = ready();
    bench.connection.fail("WRONGPASS", true);
    bench.send("release", "a", { mayHold: true });
    expect(bench.channel.pendingReleaseCount).to.equal(1);
  });

  it("never sends an acquire behind its own release, also when NOSCRIPT and a close meet", () => {
    const bench = ready();
    bench.send("acquire", "a");
    bench.send("release", "a", { mayHold: true });
    bench.connection.batch(0).reply({ kind: "noScript" });
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.open();
    bench.clock.flush();
    const sent = bench.connection.sent.flat();
    const acquireAt = sent.indexOf("acquire a");
    const isInOrder = acquireAt === -1 || acquireAt < sent.lastIndexOf("release a");
    expect(isInOrder, sent.join(", ")).to.equal(true);
  });
});

describe("NodeChannel: suspicion", () => {
  it("writes owed releases to a suspected node, and refuses everything else unsent", () => {
    const bench = ready();
    bench.send("acquire", "a");
    bench.clock.advance(50);
    expect(bench.channel.state).to.equal("suspected");
    for (const kind of ["acquire", "seal", "extend", "heal", "release"] as const)
      bench.send(kind, "b");
    bench.send("release", "a", { mayHold: true });
    expect(bench.connection.sent).to.deep.equal([["acquire a"], ["release a"]]);
    for (const kind of ["acquire", "seal", "extend", "heal", "release"]) {
      expect(bench.votes.get(`${kind} b`)).to.include({ fault: "suspected", sent: false });
    }
  });

  it("trusts the node again with its first answer", () => {
    const bench = ready();
    bench.send("acquire", "a");
    bench.clock.advance(50);
    bench.connection.answer(0);
    bench.send("acquire", "b");
    expect(bench.connection.sent).to.deep.equal([["acquire a"], ["acquire b"]]);
    expect(bench.client.told[0]).to.deep.equal(["ready", "suspected", "ready"]);
  });

  it("gives the connection up in the end, and connects anew", () => {
    const bench = ready();
    bench.send("acquire", "a");
    bench.send("release", "b", { mayHold: true });
    bench.clock.advance(500);
    expect(bench.transport.connections[0]?.isClosed).to.equal(true);
    expect(bench.votes.get("acquire a")).to.include({ fault: "disconnected", sent: true });
    expect(bench.channel.pendingReleaseCount).to.equal(1);
    bench.toNextConnection();
    bench.connection.open();
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["release b"]]);
    expect(bench.channel.state, "nothing of the old connection counts").to.equal("ready");
    bench.send("acquire", "c");
    expect(bench.connection.sent.at(-1)).to.deep.equal(["acquire c"]);
  });
});

describe("NodeChannel: a node that forgot", () => {
  const ATTEST_B = { becomes: "attested", id: "record-b", topFence: 0 };

  /** Its record is another than the batch named; it says so in a handshake. */
  function forgotten(): ChannelBench {
    const bench = ready();
    bench.send("acquire", "a");
    bench.connection.answer(0, [fault("quarantined", false)], false);
    return bench;
  }

  it("is quarantined at once, and asked again who it is", () => {
    const bench = forgotten();
    expect(bench.channel.state).to.equal("quarantined");
    expect(bench.connection.handshakes).to.have.length(2);
    expect(bench.connection.handshakes[1]?.request).to.include({ ifAbsent: "forgot" });
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "forgot" }));
    expect(bench.channel.quarantineLeftMs).to.equal(QUARANTINE_MS);
    bench.send("extend", "x");
    expect(bench.connection.batch(-1).batch.recordId).to.equal("record-b");
  });

  it("is asked once for any number of batches that found out", () => {
    const bench = ready();
    for (const owner of ["a", "b", "c"]) bench.send("acquire", owner);
    for (const index of [0, 1, 2]) bench.connection.answer(index, undefined, false);
    expect(bench.connection.handshakes).to.have.length(2);
  });

  it("gets no acquires in quarantine; everything else goes through", () => {
    const bench = forgotten();
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "forgot" }));
    bench.send("acquire", "b");
    expect(bench.votes.get("acquire b")).to.include({ fault: "quarantined", sent: false });
    for (const kind of ["seal", "extend", "heal", "release"] as const) bench.send(kind, "b");
    expect(bench.connection.sent.slice(1)).to.deep.equal([
      ["seal b"],
      ["extend b"],
      ["heal b"],
      ["release b"],
    ]);
  });

  it("gets no acquire again that met NOSCRIPT before, under the record that it has now", () => {
    const bench = ready();
    for (const owner of ["a", "b", "c"]) bench.send("acquire", owner);
    bench.connection.answer(0, [fault("quarantined", false)], false);
    bench.connection.batch(1).reply({ kind: "noScript" });
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "forgot" }));
    bench.connection.batch(2).reply({ kind: "noScript" });
    bench.clock.flush();
    expect(bench.connection.sent.slice(3).flat()).to.deep.equal([]);
    for (const owner of ["b", "c"]) {
      const vote = bench.votes.get(`acquire ${owner}`);
      expect(vote).to.include({ fault: "quarantined", sent: false });
    }
  });

  it("gets no acquire that had to wait for others to be answered before it forgot", () => {
    const bench = ready();
    for (let n = 0; n < 16; n++) bench.send("extend", `e${n}`);
    bench.send("acquire", "a");
    bench.send("release", "b");
    expect(bench.connection.sent).to.have.length(16);
    bench.connection.answer(0, undefined, false);
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "forgot" }));
    bench.connection.answer(1);
    bench.clock.flush();
    expect(bench.connection.sent.slice(16).flat()).to.deep.equal(["release b"]);
    expect(bench.votes.get("acquire a")).to.include({ fault: "quarantined", sent: false });
  });

  it("gets acquires again when the quarantine is over, and not a moment before", () => {
    const bench = forgotten();
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "forgot" }));
    bench.clock.advance(QUARANTINE_MS - 1);
    bench.send("acquire", "b");
    expect(bench.votes.get("acquire b")).to.include({ fault: "quarantined" });
    bench.clock.advance(1);
    bench.send("acquire", "c");
    expect(bench.votes.get("acquire c"), "its record does not say so").to.include({
      fault: "quarantined",
    });
    expect(bench.connection.handshakes.at(-1)?.request.order).to.deep.equal(ATTEST_B);
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "attested" }));
    bench.send("acquire", "d");
    expect(bench.connection.sent.at(-1)).to.deep.equal(["acquire d"]);
  });

  it("stays quarantined while the machine sleeps", () => {
    const bench = forgotten();
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "forgot" }));
    bench.clock.suspend(10 * QUARANTINE_MS);
    expect(bench.channel.state).to.equal("quarantined");
  });

  it("tells when the quarantine is over", () => {
    const bench = forgotten();
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "forgot" }));
    bench.clock.advance(QUARANTINE_MS);
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "attested" }));
    expect(bench.client.told[0]).to.deep.equal(["ready", "quarantined", "ready"]);
  });

  it("tells when the quarantine is over also where the handshake came later and prolonged it", () => {
    const bench = forgotten();
    bench.clock.advance(20);
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "forgot" }));
    bench.clock.advance(QUARANTINE_MS - 1);
    expect(bench.connection.handshakes).to.have.length(2);
    bench.clock.advance(1);
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "attested" }));
    expect(bench.channel.state).to.equal("ready");
    expect(bench.client.told[0]).to.deep.equal(["ready", "quarantined", "ready"]);
  });

  it("is quarantined when the next connection finds it with another record", () => {
    const bench = ready();
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.open(
      handshakeReply({ id: "record-b", runId: "run-b", state: "forgot" }, { runId: "run-b" }),
    );
    expect(bench.channel.state).to.equal("quarantined");
  });

  it("is not quarantined when a durable restart kept the record's id", () => {
    const bench = ready({ isDurable: true });
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.open(handshakeReply({ id: "record-a", runId: "run-b" }, { runId: "run-b" }));
    expect(bench.channel.state).to.equal("ready");
  });

  it("is not quarantined where quarantine is off", () => {
    const bench = ready({ isQuarantineOn: false });
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.open(handshakeReply({ id: "record-b", state: "forgot" }));
    expect(bench.channel.state).to.equal("ready");
  });
});

describe("NodeChannel: drain and close", () => {
  it("drains once everything is answered, or at the limit", async () => {
    const bench = ready();
    bench.send("release", "a", { mayHold: true });
    let drainedCount = 0;
    void bench.channel.drain(40).then(() => drainedCount++);
    await bench.clock.run(10);
    expect(drainedCount).to.equal(0);
    bench.connection.answer(0);
    await bench.clock.run(0);
    expect(drainedCount).to.equal(1);
    bench.send("release", "b", { mayHold: true });
    void bench.channel.drain(40).then(() => drainedCount++);
    await bench.clock.run(40);
    expect(drainedCount).to.equal(2);
  });

  it("answers everything: what waits, what is queued, what is on its way", () => {
    const bench = new ChannelBench();
    bench.submit("acquire", "parked");
    bench.channel.close();
    expect(bench.votes.get("acquire parked")).to.include({ fault: "closed", sent: false });

    const other = readyOfThree();
    other.send("acquire", "sent");
    other.submit("acquire", "queued");
    other.channel.close();
    expect(other.votes.get("acquire queued")).to.include({ fault: "closed", sent: false });
    expect(other.votes.get("acquire sent")).to.include({ fault: "closed", sent: true });
    expect(other.connection.isClosed).to.equal(true);
  });

  it("answers also the releases it kept for a node that is down: nothing more can come", () => {
    const bench = down();
    bench.send("release", "a", { mayHold: true });
    bench.channel.close();
    bench.clock.flush();
    expect(bench.votes.get("release a")).to.include({ fault: "closed" });
  });

  it("answers what is submitted behind it, connects no more, and leaves no timer", () => {
    for (const make of [ready, down]) {
      const bench = make();
      const connectionCount = bench.transport.connections.length;
      bench.channel.close();
      bench.channel.close();
      bench.send("acquire", "a");
      bench.send("release", "b", { mayHold: true });
      for (const key of ["acquire a", "release b"]) {
        expect(bench.votes.get(key)).to.include({ fault: "closed", sent: false });
      }
      bench.clock.advance(10_000);
      expect(bench.transport.connections).to.have.length(connectionCount);
      expect(bench.clock.timerCount).to.equal(0);
      expect(bench.channel.state).to.equal("closed");
    }
  });

  it("ignores what the connection still has to say", () => {
    const bench = ready();
    bench.send("acquire", "a");
    bench.channel.close();
    bench.connection.answer(0);
    bench.connection.fail();
    expect(bench.votes.get("acquire a")).to.include({ fault: "closed" });
    expect(bench.channel.state).to.equal("closed");
  });
});

describe("NodeChannel: keys that live longer than the record says", () => {
  const LONG = { ttlMs: 90_000 };
  const handshakesOf = ({ connection }: ChannelBench): number[] =>
    connection.handshakes.map(({ request }) => request.maxTtlMs);

  it("are not sent, but their releases and shorter ones are", () => {
    const bench = ready();
    for (const kind of ["acquire", "extend", "heal"] as const) {
      bench.send(kind, "a", LONG);
      expect(bench.votes.get(`${kind} a`)).to.include({ kind: "fault", sent: false });
    }
    bench.send("release", "a", LONG);
    bench.send("acquire", "b");
    expect(bench.connection.sent).to.deep.equal([["release a"], ["acquire b"]]);
  });

  it("are sent once they are on record, over the same connection", async () => {
    const bench = ready();
    bench.send("acquire", "before");
    const recorded = bench.channel.allowTtl(90_000);
    expect(handshakesOf(bench)).to.deep.equal([10_000, 90_000]);
    expect(await stateOf(recorded)).to.equal("pending");
    bench.send("acquire", "too soon", LONG);
    expect(bench.votes.get("acquire too soon")).to.include({ sent: false });
    bench.connection.answerHandshake(handshakeReply({ maxTtlMs: 90_000 }));
    await recorded;
    bench.send("acquire", "a", LONG);
    bench.connection.answer(0);
    expect(bench.votes.get("acquire before")).to.deep.equal(granted(1));
    expect(bench.connection.sent).to.deep.equal([["acquire before"], ["acquire a"]]);
  });

  it("are asked for only once, and in every later handshake", async () => {
    const bench = ready();
    void bench.channel.allowTtl(90_000);
    void bench.channel.allowTtl(80_000);
    bench.connection.answerHandshake(handshakeReply({ maxTtlMs: 90_000 }));
    await bench.channel.allowTtl(90_000);
    expect(handshakesOf(bench)).to.deep.equal([10_000, 90_000]);
    bench.connection.fail();
    bench.clock.advance(0);
    bench.connection.open(handshakeReply({ maxTtlMs: 90_000 }));
    expect(handshakesOf(bench)).to.deep.equal([90_000]);
  });

  it("also lengthen the quarantine of a node that forgets them", async () => {
    const bench = ready();
    void bench.channel.allowTtl(90_000);
    bench.connection.answerHandshake(handshakeReply({ maxTtlMs: 90_000 }));
    bench.client.deployment.quarantine.onForgot(0);
    expect(bench.channel.quarantineLeftMs).to.be.above(90_000);
  });

  it("are not waited for where the node cannot be asked", async () => {
    await down().channel.allowTtl(90_000);
    await new ChannelBench().channel.allowTtl(90_000);
    for (const end of ["fail", "close", "silence"] as const) {
      const bench = ready();
      const recorded = bench.channel.allowTtl(90_000);
      if (end === "fail") bench.connection.fail();
      else if (end === "close") bench.channel.close();
      else bench.clock.advance(100);
      await recorded;
    }
  });
});

describe("NodeChannel: acquires that it defers to its node", () => {
  const deferred = { ownerId: "next", ttlMs: 1_000, maxAgeMs: 100 };
  const waiter: Waiter = { inbox: "inbox", ticket: 5, turnMs: 20, deferred };

  /** What the node would write after the last call. */
  function grantIn(bench: ChannelBench, fence = 7): NodeGrant {
    const { number, recordId } = bench.connection.batch(-1).batch;
    const proof = createHash("sha1").update(`next ${recordId} ${number} ${fence}`).digest("hex");
    return { lockKey: "lock:invoice", fence, number, isWaitedFor: true, proof };
  }
  const sentWaiter = (bench: ChannelBench): Waiter | undefined =>
    (bench.connection.batch(-1).batch.operations[0] as AnyOperation).waiter;

  it("makes a proven message the node's vote, from the moment of the call that it names", () => {
    const bench = ready();
    const sentMs = bench.clock.now();
    bench.send("release", "a", { waiter });
    bench.clock.advance(30);
    const vote = { kind: "granted", fence: 7, isWaitedFor: true };
    const [channel, grant] = [bench.channel, grantIn(bench)];
    expect(channel.voteOf(grant, "next")).to.deep.equal({ vote, sentMs });
    expect(channel.voteOf(grant, "another"), "another's").to.equal(undefined);
  });

  it("relies on a call that only refreshes places, too", () => {
    const bench = ready();
    bench.send("acquire", "a", { waiter });
    bench.clock.advance(30);
    const sentMs = bench.clock.now();
    const { keys } = bench.connection.batch(-1).batch.operations[0] ?? {};
    if (keys === undefined) throw new Error("nothing was sent");
    bench.send("refresh", "inbox", { places: [{ keys, waiter }] });
    expect(bench.channel.voteOf(grantIn(bench), "next")).to.include({ sentMs });
  });

  it("relies on no call that says nothing of waiting", () => {
    const bench = ready();
    bench.send("extend", "a");
    expect(bench.channel.voteOf(grantIn(bench), "next")).to.equal(undefined);
  });

  it("takes no vote with an implausible fence", () => {
    const bench = ready();
    bench.send("release", "a", { waiter });
    const ahead = (bench.clock.wallUs() * 3) / 2;
    expect(bench.channel.voteOf(grantIn(bench, Math.floor(ahead)), "next")).to.equal(undefined);
    expect(bench.channel.voteOf(grantIn(bench, bench.clock.wallUs()), "next")).to.not.equal(
      undefined,
    );
  });

  it("takes a vote without a fence where there is no fencing", () => {
    const bench = ready();
    bench.send("release", "a", { waiter });
    expect(bench.channel.voteOf(grantIn(bench, 0), "next")).to.have.nested.property(
      "vote.fence",
      0,
    );
  });

  it("takes no vote of a connection that has closed, nor later for one of its calls", () => {
    const bench = ready();
    bench.send("release", "a", { waiter });
    const grant = grantIn(bench);
    bench.connection.fail();
    expect(bench.channel.voteOf(grant, "next")).to.equal(undefined);
    bench.clock.advance(0);
    bench.connection.open();
    expect(bench.channel.state).to.equal("ready");
    expect(bench.channel.voteOf(grant, "next")).to.equal(undefined);
  });

  it("takes no vote of a node in quarantine, and defers nothing to it by a release", () => {
    const bench = ready();
    bench.send("release", "a", { waiter });
    expect(sentWaiter(bench)).to.deep.equal(waiter);
    const before = grantIn(bench);
    bench.send("acquire", "b");
    bench.connection.answer(0);
    bench.connection.answer(1, [fault("quarantined", false)], false);
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "forgot" }));
    expect(bench.channel.voteOf(before, "next"), "of a call before").to.equal(undefined);
    bench.send("release", "c", { waiter });
    expect(sentWaiter(bench), "its place only").to.deep.equal({ ...waiter, deferred: undefined });
    const within = grantIn(bench);
    bench.connection.answer(2);
    bench.clock.advance(QUARANTINE_MS);
    bench.send("acquire", "x");
    bench.connection.answerHandshake(handshakeReply({ id: "record-b", state: "attested" }));
    expect(bench.channel.votesCount).to.equal(true);
    expect(bench.channel.voteOf(within, "next"), "of a call within").to.equal(undefined);
    bench.send("release", "d", { waiter });
    expect(sentWaiter(bench)).to.deep.equal(waiter);
    expect(bench.channel.voteOf(grantIn(bench), "next"), "of a call after").to.not.equal(undefined);
  });

  it("defers nothing that would live longer than the node's record allows", () => {
    const bench = ready();
    const long = { ...waiter, deferred: { ...deferred, ttlMs: 1e9 } };
    bench.send("release", "a", { waiter: long });
    expect(sentWaiter(bench), "its place only").to.deep.equal({ ...waiter, deferred: undefined });
    const within = { ...waiter, deferred: { ...deferred, ttlMs: 1e9, marginMs: 1e9 - 1 } };
    bench.send("release", "b", { waiter: within });
    expect(sentWaiter(bench)).to.deep.equal(within);
  });

  it("defers nothing again with a release that met NOSCRIPT: it may be over", () => {
    const bench = ready();
    bench.send("acquire", "a");
    bench.connection.answer(0);
    bench.send("release", "a", { waiter });
    bench.connection.batch(1).reply({ kind: "noScript" });
    expect(bench.connection.sent).to.have.length(3);
    expect(sentWaiter(bench), "its place only").to.deep.equal({ ...waiter, deferred: undefined });
  });

  it("defers nothing where records are not compared: a vote could not be proven", () => {
    const bench = ready({ isQuarantineOn: false });
    bench.send("release", "a", { waiter });
    expect(sentWaiter(bench)).to.deep.equal({ ...waiter, deferred: undefined });
    expect(bench.channel.voteOf(grantIn(bench), "next")).to.equal(undefined);
  });
});
