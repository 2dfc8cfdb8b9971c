import { expect } from "chai";
import * as fc from "fast-check";
import { firstNumber, NodeConnection } from "../../src/channel/node-connection.js";
import type { Entry, Refusal } from "../../src/channel/entry.js";
import { Pipeline } from "../../src/channel/pipeline.js";
import type { BatchReply } from "../../src/channel/transport.js";
import type { Operation, OperationKind, Vote } from "../../src/protocol/operation.js";
import { operation } from "../support/channel-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import {
  ITS_OWN,
  ScriptedTransport,
  type ScriptedConnection,
} from "../support/scripted-transport.js";
import { NO_LIST } from "../support/no-list.js";
import { granted, held } from "../support/votes.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { severalLock } from "../../src/kinds/several.js";
import { nameKeys } from "../../src/protocol/keys.js";

const ENTROPY = { unit: () => 0.9, id: () => "one" };

/** The number of the first operation of a connection, after its handshake. */
const FIRST = firstNumber(ENTROPY) + 1;

const QUESTION = {
  ...{ previous: undefined, newId: "new", ifAbsent: undefined, nodeCount: 1, wallMs: 0 },
  ...{ maxTtlMs: 1_000, firstTtlMs: 1_000, clockStepMs: 0, isDurable: false, isLooking: false },
  nodeList: NO_LIST,
};

/** Of the node, which every vote has to name. */
const INDEX = 3;

class PipelineBench {
  readonly clock = new ManualClock();
  readonly events: string[] = [];
  readonly votes = new Map<string, Vote>();
  readonly pipeline: Pipeline;
  connection: ScriptedConnection;

  /** Why it must get no acquires. */
  problem: Refusal | undefined;
  /** How often that was asked. */
  askedCount = 0;

  constructor(nodeCount = 3) {
    const settings = { nodeCount, driftFactor: 0.01, suspectAfterMs: 50, giveUpAfterMs: 500 };
    const votes = {
      pass: ({ receiver, index }: Entry, vote: Vote): void => receiver.onVote(index, vote),
    };
    this.pipeline = new Pipeline(this.clock, settings, votes, {
      problemOf: ({ kind }) => {
        this.askedCount++;
        return kind === "acquire" ? this.problem : undefined;
      },
      votesCount: true,
      onForgot: () => this.events.push("forgot"),
      onFault: ({ operation }) => this.events.push(`fault of ${operation.ownerId}`),
      onCheckDue: () => this.events.push("check"),
      onNodeTime: () => this.events.push("time"),
      onSuspicion: () =>
        this.events.push(this.pipeline.suspicion.isSuspected ? "suspected" : "trusted"),
    });
    this.connection = this.connect();
  }

  connect(): ScriptedConnection {
    const transport = new ScriptedTransport();
    this.pipeline.connection = new NodeConnection(transport, this.clock, ENTROPY, 100, {
      request: (order) => ({ ...QUESTION, order }),
      onHandshake: () => {},
      onEnd: () => this.events.push("broken"),
    });
    transport.last.open();
    return (this.connection = transport.last);
  }

  /** One whose server knows the script; what that took is forgotten. */
  static loaded(): PipelineBench {
    const bench = new PipelineBench();
    bench.send("extend", "first");
    bench.connection.answer(0);
    bench.connection.batches.length = 0;
    bench.votes.clear();
    return bench;
  }

  push(kind: OperationKind, ownerId: string, over: Partial<Operation> = {}, mayHold = false): void {
    const key = `${kind} ${ownerId}`;
    const receiver = {
      onVote: (index: number, vote: Vote): void => {
        if (index !== INDEX) throw new Error(`${key} was answered as by node ${index}`);
        this.votes.set(key, vote);
      },
    };
    const about = { receiver, index: INDEX, mayHold, wasSent: false };
    const entry = { operation: operation(kind, ownerId, over), ...about };
    this.pipeline.push(entry);
  }

  /** One tick of its own. */
  send(kind: OperationKind, ownerId: string, over: Partial<Operation> = {}, mayHold = false): void {
    this.push(kind, ownerId, over, mayHold);
    this.clock.flush();
  }

  noScript(index: number): void {
    this.connection.batch(index).reply({ kind: "noScript" });
  }
}

const owners = (entries: readonly { operation: Operation }[]): string[] =>
  entries.map(({ operation: { kind, ownerId } }) => `${kind} ${ownerId}`);

describe("Pipeline", () => {
  it("sends all operations of one tick as one call, in order", () => {
    const bench = new PipelineBench();
    bench.push("acquire", "a");
    bench.push("extend", "b");
    bench.push("release", "c");
    expect(bench.connection.sent).to.deep.equal([]);
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["acquire a", "extend b", "release c"]]);
  });

  it("sends to a single node in parts, each at once, and the rest at the end of the tick", () => {
    const bench = new PipelineBench(1);
    const sizes = (): number[] => bench.connection.sent.map((batch) => batch.length);
    for (let n = 0; n < 20; n++) bench.push("extend", `${n}`);
    // Each is as large as what is on its way: the node is never without work.
    expect(sizes()).to.deep.equal([1, 1, 2, 4, 8]);
    bench.clock.flush();
    expect(sizes()).to.deep.equal([1, 1, 2, 4, 8, 4]);
    const several = new PipelineBench(3);
    for (let n = 0; n < 20; n++) several.push("extend", `${n}`);
    expect(several.connection.sent).to.deep.equal([]);
  });

  it("carries no caller's async context to the node, also where it sends from within a push", () => {
    for (const nodeCount of [1, 3]) {
      const bench = new PipelineBench(nodeCount);
      const { connection, clock } = bench;
      const send = connection.send.bind(connection);
      const areDetached: boolean[] = [];
      connection.send = (batch, reply) => {
        areDetached.push(clock.isDetached);
        send(batch, reply);
      };
      for (let n = 0; n < 20; n++) bench.push("extend", `${n}`);
      clock.flush();
      expect(areDetached).to.deep.equal(nodeCount === 1 ? Array(6).fill(true) : [true]);
    }
  });

  it("counts as on its way what is not answered, and nothing else", () => {
    const bench = new PipelineBench(1);
    for (let n = 0; n < 4; n++) bench.push("extend", `${n}`);
    expect(bench.connection.sent).to.have.length(3);
    bench.push("extend", "waits");
    expect(bench.connection.sent).to.have.length(3);
    for (let at = 0; at < 3; at++) bench.connection.answer(at, [granted(), granted()]);
    bench.clock.flush();
    expect(bench.connection.sent).to.have.length(4);
    bench.connection.answer(3, [granted()]);
    bench.push("extend", "alone");
    expect(bench.connection.sent.at(-1)).to.deep.equal(["extend alone"]);
    const isOver = bench.pipeline.reset();
    expect([isOver.sent.length, isOver.unsent.length]).to.deep.equal([1, 0]);
    bench.connect();
    bench.push("extend", "first");
    expect(bench.connection.sent.at(-1)).to.deep.equal(["extend first"]);
  });
  it("answers nobody from within a push, also where a full batch has somebody to refuse", () => {
    const bench = new PipelineBench(1);
    bench.push("acquire", "late", { sendBeforeMs: bench.clock.now() - 1 });
    for (let n = 0; n < 20; n++) bench.push("extend", `${n}`);
    expect(bench.votes.size).to.equal(0);
    bench.clock.flush();
    expect(bench.votes.get("acquire late")).to.include({ fault: "late", sent: false });
  });

  it("blames the node for what waited for its answers, and itself for what it did not come to send", () => {
    const bench = new PipelineBench();
    for (let n = 0; n < 16; n++) bench.send("extend", `x${n}`);
    const sendBeforeMs = bench.clock.now() + 10;
    bench.send("acquire", "behind", { sendBeforeMs });
    bench.clock.stall(11);
    bench.push("acquire", "later", { sendBeforeMs });
    bench.connection.answer(0, [granted(7)]);
    bench.clock.flush();
    expect(bench.votes.get("acquire behind")).to.include({ fault: "timeout", sent: false });
    expect(bench.votes.get("acquire later")).to.include({ fault: "late", sent: false });
  });

  it("ends overdue holders before an acquire, and before nothing else", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.connection.answer(0, [{ ...held(), signs: "1000~aaaaaa@1" }]);
    bench.clock.advance(2_000);
    for (const kind of ["release", "extend", "acquire"] as const) bench.push(kind, "b");
    bench.clock.flush();
    expect(bench.connection.sent.at(-1)).to.deep.equal([
      "release b",
      "extend b",
      "expire 1000~aaaaaa@1",
      "acquire b",
    ]);
  });

  it("ends nobody before an acquire that it does not send", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.connection.answer(0, [{ ...held(), signs: "1000~aaaaaa@1" }]);
    bench.clock.advance(2_000);
    bench.problem = { fault: "quarantined", message: "restarted" };
    bench.send("acquire", "b");
    expect(bench.votes.get("acquire b")).to.include({ fault: "quarantined", sent: false });
    expect(bench.connection.sent.at(-1)).to.deep.equal(["acquire a"]);
  });

  it("gives each operation its own vote", () => {
    const bench = new PipelineBench();
    bench.push("acquire", "a");
    bench.push("acquire", "b");
    bench.clock.flush();
    bench.connection.answer(0, [granted(7), held()]);
    expect([...bench.votes.values()]).to.deep.equal([granted(7), held()]);
  });

  it("answers an operation that the reply left out as unknown", () => {
    const bench = new PipelineBench();
    bench.push("acquire", "a");
    bench.push("acquire", "b");
    bench.clock.flush();
    bench.connection.answer(0, [granted(7)]);
    expect(bench.votes.get("acquire b")).to.include({ fault: "server", sent: true });
  });

  it("names the incarnation it knows, and tells when the node's is another", () => {
    const bench = new PipelineBench();
    bench.pipeline.onRecord("record-a");
    bench.send("acquire", "a");
    expect(bench.connection.batch(0).batch.recordId).to.equal("record-a");
    bench.connection.answer(0, [granted(7)], false);
    expect(bench.events).to.deep.equal(["forgot"]);
  });

  it("sends nothing behind its deadline, and says that it was not sent", () => {
    const bench = new PipelineBench();
    bench.push("acquire", "late", { sendBeforeMs: bench.clock.now() - 0.5 });
    bench.push("acquire", "due", { sendBeforeMs: bench.clock.now() });
    bench.clock.flush();
    expect(bench.connection.sent).to.deep.equal([["acquire due"]]);
    expect(bench.votes.get("acquire late")).to.include({ fault: "late", sent: false });
  });

  it("bounds the size of a call, and the calls on the way; the rest gathers", () => {
    const bench = new PipelineBench();
    for (let index = 0; index < 300; index++) bench.push("acquire", `x${index}`);
    bench.clock.flush();
    expect(bench.connection.sent.map((batch) => batch.length)).to.deep.equal([256, 44]);
    for (let index = 0; index < 30; index++) bench.send("acquire", `y${index}`);
    expect(bench.connection.batches).to.have.length(16);
    bench.connection.answer(0);
    bench.clock.flush();
    expect(bench.connection.sent[16]).to.have.length(16);
    expect(bench.connection.sent[16]?.[0]).to.equal("acquire y14");
  });

  for (const nodeCount of [1, 3]) {
    it(`does not look through what gathers behind them at each push, with ${nodeCount} nodes`, () => {
      const bench = new PipelineBench(nodeCount);
      for (let index = 0; index < 16; index++) bench.send("extend", `x${index}`);
      bench.askedCount = 0;
      for (let index = 0; index < 1_000; index++) bench.push("release", `y${index}`);
      expect(bench.askedCount).to.equal(0);
    });
  }

  it("counts a refresh as often as it has places", () => {
    const bench = new PipelineBench();
    const place = { keys: keysOf("lock:", "a"), waiter: { inbox: "i", ticket: 1, turnMs: 20 } };
    for (const count of [1, 100, 100, 100, 256, 256, 1]) {
      bench.push("refresh", `${count}`, { places: Array.from({ length: count }, () => place) });
    }
    bench.clock.flush();
    expect(bench.connection.sent.map((batch) => batch.join(" "))).to.deep.equal([
      "refresh 1 refresh 100 refresh 100",
      "refresh 100",
      "refresh 256",
      "refresh 256",
      "refresh 1",
    ]);
  });

  it("counts a set as often as it has names: a node looks at each", () => {
    const bench = new PipelineBench();
    for (const [at, count] of [2, 100, 100, 100, 100, 2].entries()) {
      const names = Array.from({ length: count }, (_, n) => nameKeys("lock:", `${n}`));
      bench.push("acquire", `${at}`, { keys: severalLock(names) });
    }
    bench.clock.flush();
    expect(bench.connection.sent.map((batch) => batch.length)).to.deep.equal([3, 3]);
  });

  it("sends the script itself with the first call of each connection only", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.send("acquire", "b");
    bench.pipeline.reset();
    const before = bench.connection;
    bench.connect();
    bench.send("acquire", "c");
    const withScript = [...before.batches, ...bench.connection.batches].map(
      ({ batch }) => batch.withScript,
    );
    expect(withScript).to.deep.equal([true, false, true]);
  });

  it("hands back what was sent and what was not when the connection is gone, in order", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.push("acquire", "b");
    bench.push("release", "a");
    const { sent, unsent } = bench.pipeline.reset();
    expect(owners(sent)).to.deep.equal(["acquire a"]);
    expect(owners(unsent)).to.deep.equal(["acquire b", "release a"]);
    expect(bench.pipeline.isIdle).to.equal(true);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("is drained when nothing is queued or on the way any more, or after a while", async () => {
    const bench = new PipelineBench();
    const drained: string[] = [];
    const drain = (what: string): void => {
      void bench.pipeline.drain(100).then(() => drained.push(what));
    };
    const seen = async (): Promise<string[]> => {
      await Promise.resolve();
      await Promise.resolve();
      return drained;
    };
    drain("idle");
    expect(await seen()).to.deep.equal(["idle"]);
    bench.push("acquire", "a");
    drain("answered");
    bench.clock.flush();
    expect(await seen()).to.deep.equal(["idle"]);
    bench.connection.answer(0);
    expect(await seen()).to.deep.equal(["idle", "answered"]);
    bench.push("acquire", "b");
    drain("late");
    bench.clock.advance(99);
    expect(await seen()).to.have.length(2);
    bench.clock.advance(1);
    expect(await seen()).to.deep.equal(["idle", "answered", "late"]);
  });
});

describe("Pipeline: replies out of step", () => {
  const OTHERS: BatchReply = {
    ...{ kind: "votes", number: FIRST - 1, votes: [granted(99)], isSameIncarnation: true },
  };
  const STRAY: BatchReply = { ...OTHERS, number: undefined, votes: [] };

  /** What becomes of the replies to so many calls, by place: whose reply each call gets. */
  const disturbance = fc.oneof(
    fc.record({ kind: fc.constant("none" as const) }),
    fc.record({ kind: fc.constant("shifted" as const), by: fc.integer({ min: -3, max: 3 }) }),
    fc.record({ kind: fc.constant("swapped" as const), at: fc.nat(9) }),
    fc.record({ kind: fc.constant("doubled" as const), at: fc.nat(9) }),
    fc.record({ kind: fc.constant("lost" as const), at: fc.nat(9) }),
    fc.record({ kind: fc.constant("another client's" as const), at: fc.nat(9) }),
    fc.record({ kind: fc.constant("no batch's" as const), at: fc.nat(9) }),
  );

  const disturbed = (
    replies: readonly BatchReply[],
    how: typeof disturbance extends fc.Arbitrary<infer How> ? How : never,
  ): readonly BatchReply[] => {
    if (how.kind === "none") return replies;
    if (how.kind === "shifted") {
      return how.by < 0
        ? replies.slice(-how.by)
        : [...Array.from({ length: how.by }, () => OTHERS), ...replies];
    }
    const at = how.at % replies.length;
    const own = replies.slice(at, at + 1);
    const [before, after] = [replies.slice(0, at), replies.slice(at + 1)];
    switch (how.kind) {
      case "swapped":
        return [...before, ...after.slice(0, 1), ...own, ...after.slice(1)];
      case "doubled":
        return [...before, ...own, ...own, ...after];
      case "lost":
        return [...before, ...after];
      case "another client's":
        return [...before, OTHERS, ...after];
      case "no batch's":
        return [...before, STRAY, ...after];
    }
  };

  it("gives an operation no other's vote, and the connection up at the first reply that is not its own", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), disturbance, (count, how) => {
        const bench = new PipelineBench();
        const replies = Array.from({ length: count }, (_, n): BatchReply => {
          bench.send("acquire", `${n}`);
          const { number } = bench.connection.batch(n).batch;
          return { kind: "votes", number, votes: [granted(n + 1)], isSameIncarnation: true };
        });
        const got = disturbed(replies, how).slice(0, count);
        const isBroken = (): boolean => bench.events.includes("broken");
        for (const [n, reply] of got.entries()) {
          if (isBroken()) break;
          bench.connection.batch(n).reply(reply);
          expect(isBroken(), `after reply ${n}`).to.equal(reply !== replies[n]);
        }
        const { sent } = bench.pipeline.reset();
        const unanswered = new Set(owners(sent));
        for (let n = 0; n < count; n++) {
          const key = `acquire ${n}`;
          const vote = unanswered.has(key) ? undefined : granted(n + 1);
          expect(bench.votes.get(key), key).to.deep.equal(vote);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("has a number for each operation, from the first one of the connection", () => {
    const bench = new PipelineBench();
    bench.push("acquire", "a");
    bench.push("acquire", "b");
    bench.clock.flush();
    bench.send("acquire", "c");
    expect(bench.connection.batches.map(({ batch }) => batch.number)).to.deep.equal([
      FIRST,
      FIRST + 2,
    ]);
  });

  it("gives the connection up for NOSCRIPT in reply to the script itself", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.noScript(0);
    expect(bench.events).to.deep.equal(["broken"]);
    expect(owners(bench.pipeline.reset().sent)).to.deep.equal(["acquire a"]);
  });
});

describe("Pipeline: NOSCRIPT", () => {
  it("sends the call again, with the script", () => {
    const bench = PipelineBench.loaded();
    bench.send("acquire", "a");
    bench.noScript(0);
    expect(bench.connection.sent).to.deep.equal([["acquire a"], ["acquire a"]]);
    expect(bench.connection.batch(1).batch.withScript).to.equal(true);
    bench.connection.answer(1, [granted(7)]);
    expect(bench.votes.get("acquire a")).to.deep.equal(granted(7));
  });

  it("stops, drains the replies, sends all that was turned away in order, and goes on", () => {
    const bench = PipelineBench.loaded();
    bench.send("acquire", "a");
    bench.connection.answer(0);
    for (const owner of ["b", "c", "d"]) bench.send("acquire", owner);
    bench.noScript(1);
    bench.send("acquire", "e");
    bench.noScript(2);
    expect(bench.connection.batches, "nothing new while draining").to.have.length(4);
    bench.noScript(3);
    bench.clock.flush();
    expect(bench.connection.sent.slice(4)).to.deep.equal([
      ["acquire b", "acquire c", "acquire d", "acquire e"],
    ]);
    expect(bench.connection.batch(4).batch.withScript).to.equal(true);
  });

  it("keeps what was executed meanwhile out of it", () => {
    const bench = PipelineBench.loaded();
    for (const owner of ["a", "b", "c"]) bench.send("acquire", owner);
    bench.noScript(0);
    bench.connection.answer(1, [granted(7)]);
    bench.noScript(2);
    expect(bench.connection.sent[3]).to.deep.equal(["acquire a", "acquire c"]);
    expect(bench.votes.get("acquire b")).to.deep.equal(granted(7));
  });

  it("does not send an acquire again that its own release has overtaken", () => {
    const bench = PipelineBench.loaded();
    bench.send("acquire", "a");
    bench.send("acquire", "b");
    bench.send("release", "a");
    bench.noScript(0);
    bench.noScript(1);
    bench.connection.answer(2, [held()]);
    expect(bench.connection.sent[3]).to.deep.equal(["acquire b"]);
    expect(bench.votes.get("acquire a")).to.include({ kind: "fault", sent: false });
  });

  it("sends nothing again whose deadline has passed by then", () => {
    const bench = PipelineBench.loaded();
    bench.send("acquire", "a", { sendBeforeMs: bench.clock.now() + 10 });
    bench.clock.advance(11);
    bench.noScript(0);
    expect(bench.connection.batches).to.have.length(1);
    expect(bench.votes.get("acquire a")).to.include({ fault: "timeout", sent: false });
  });

  it("sends all of it with the script, in how many calls ever, and what comes behind with its hash", () => {
    const bench = PipelineBench.loaded();
    for (let n = 0; n < 300; n++) bench.push("extend", `${n}`);
    bench.clock.flush();
    bench.noScript(0);
    bench.push("extend", "behind");
    bench.noScript(1);
    const shape = (): [number, boolean][] =>
      bench.connection.batches
        .slice(2)
        .map(({ batch }) => [batch.operations.length, batch.withScript]);
    expect(shape()).to.deep.equal([
      [256, true],
      [45, true],
    ]);
    bench.send("extend", "last");
    expect(shape().at(-1)).to.deep.equal([1, false]);
  });

  it("executes everything on a server that loses the script after every call", () => {
    const bench = PipelineBench.loaded();
    for (let n = 0; n < 300; n++) bench.push("release", `${n}`, {}, true);
    bench.clock.flush();
    // More calls than may be in flight at once.
    for (let n = 0; n < 20; n++) bench.send("extend", `later ${n}`);
    for (let n = 0; n < bench.connection.batches.length; n++) {
      if (bench.connection.batch(n).batch.withScript) bench.connection.answer(n);
      else bench.noScript(n);
      bench.clock.flush();
    }
    expect(bench.votes.size).to.equal(320);
    expect(bench.events).to.not.include("broken");
    const counts = new Map<string, number>();
    for (const key of bench.connection.sent.flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
    expect(Math.max(...counts.values())).to.equal(2);
  });

  it("sends nothing again before every reply in flight was its own", () => {
    const bench = PipelineBench.loaded();
    for (const owner of ["a", "b", "c"]) bench.send("acquire", owner);
    bench.noScript(0);
    bench.noScript(1);
    // Both were replies to others: c's own is still to come.
    bench.connection.answer(2, [granted(7)], true, bench.connection.batch(0).batch.number);
    bench.clock.flush();
    expect(bench.connection.batches).to.have.length(3);
    expect(bench.events).to.deep.equal(["broken"]);
    const { sent, unsent } = bench.pipeline.reset();
    expect(owners(sent)).to.deep.equal(["acquire a", "acquire b", "acquire c"]);
    expect(unsent).to.deep.equal([]);
  });

  it("forgets no overtaking release when the connection closes while draining", () => {
    const bench = PipelineBench.loaded();
    bench.send("acquire", "a");
    bench.send("release", "a");
    bench.send("acquire", "b");
    bench.noScript(0);
    bench.connection.answer(1, [held()]);
    const { unsent } = bench.pipeline.reset();
    expect(owners(unsent), "to be sent on the next connection").to.not.include("acquire a");
  });
});

describe("Pipeline: NOSCRIPT, and the connection closes", () => {
  it("hands back as sent what may have been executed: not every reply in flight has come", () => {
    const bench = PipelineBench.loaded();
    for (const owner of ["a", "b", "c"]) bench.send("acquire", owner);
    bench.send("release", "b", {}, true);
    for (const index of [0, 1, 2]) bench.noScript(index);
    bench.push("acquire", "d");
    const { sent, unsent } = bench.pipeline.reset();
    expect(owners(sent)).to.deep.equal(["acquire a", "acquire b", "acquire c", "release b"]);
    expect(owners(unsent)).to.deep.equal(["acquire d"]);
    expect(bench.votes.size).to.equal(0);
  });

  it("hands back as unsent what was to be sent again", () => {
    const bench = PipelineBench.loaded();
    for (let n = 0; n < 16 * 256 + 2; n++) bench.push("extend", `${n}`);
    bench.clock.flush();
    for (let n = 0; n < 16; n++) bench.noScript(n);
    // Sixteen calls are in flight again.
    const { sent, unsent } = bench.pipeline.reset();
    expect(sent).to.have.length(16 * 256);
    expect(owners(unsent)).to.deep.equal(["extend 4096", "extend 4097"]);
  });

  it("keeps nothing in mind for the next connection", () => {
    const bench = PipelineBench.loaded();
    bench.send("acquire", "a");
    bench.send("release", "b", {}, true);
    bench.noScript(0);
    bench.pipeline.reset();
    bench.connect();
    bench.send("acquire", "a");
    bench.connection.answer(0);
    bench.send("acquire", "b");
    bench.noScript(1);
    expect(bench.connection.sent.slice(1)).to.deep.equal([["acquire b"], ["acquire b"]]);
  });

  it("executes no acquire behind its own release, wherever the script is lost, a key is forbidden and the line breaks", () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant("acquire" as const) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant("release" as const), at: fc.nat(9) }) },
      { weight: 5, arbitrary: fc.record({ do: fc.constant("execute" as const) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant("answer" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("lose script" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("ask for a forbidden key" as const) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant("break" as const) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const bench = new PipelineBench();
        const executed: string[] = [];
        const replies: (() => void)[] = [];
        const released = new Set<number>();
        let [ownerCount, executedCount, hasScript] = [0, 0, false];
        const execute = (): void => {
          const sent = bench.connection.batches[executedCount];
          if (sent === undefined) return;
          executedCount++;
          if (sent.batch.operations.some(({ ownerId }) => ownerId === "bad")) {
            replies.push(() => sent.reply({ kind: "forbidden", message: "NOPERM" }));
            return;
          }
          hasScript ||= sent.batch.withScript;
          const isNoScript = !hasScript;
          const votes = sent.batch.operations.map(() => granted(1));
          if (!isNoScript) {
            for (const { kind, ownerId } of sent.batch.operations) {
              executed.push(`${kind} ${ownerId}`);
            }
          }
          replies.push(() =>
            sent.reply(
              isNoScript
                ? { kind: "noScript" }
                : { kind: "votes", number: ITS_OWN, votes, isSameIncarnation: true },
            ),
          );
        };
        // As the channel does: what is owed and may be executed goes first, then what was not sent.
        const reconnect = (): void => {
          const { sent, unsent } = bench.pipeline.reset();
          [replies.length, executedCount] = [0, 0];
          bench.connect();
          for (const entry of sent) if (entry.mayHold) bench.pipeline.push(entry);
          for (const entry of unsent) bench.pipeline.push(entry);
          bench.clock.flush();
        };
        for (const todo of steps) {
          if (todo.do === "acquire") bench.send("acquire", `${ownerCount++}`);
          else if (todo.do === "release") {
            const owner = todo.at % Math.max(1, ownerCount);
            if (owner < ownerCount && !released.has(owner)) {
              released.add(owner);
              bench.send("release", `${owner}`, {}, true);
            }
          } else if (todo.do === "execute") execute();
          else if (todo.do === "answer") replies.shift()?.();
          else if (todo.do === "lose script") hasScript = false;
          else if (todo.do === "ask for a forbidden key") bench.push("extend", "bad");
          else reconnect();
          bench.clock.flush();
        }
        for (let rest = 0; rest < 200; rest++) {
          execute();
          replies.shift()?.();
          bench.clock.flush();
        }
        expect(bench.pipeline.isIdle, "all is answered").to.equal(true);
        expect(bench.events.filter((event) => event !== "fault of bad")).to.deep.equal([]);
        for (const owner of released) {
          expect(executed, `${owner} was released`).to.include(`release ${owner}`);
          const last = executed.findLast((one) => one.endsWith(` ${owner}`));
          expect(last, executed.join(", ")).to.equal(`release ${owner}`);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("Pipeline: errors of a whole call", () => {
  for (const { isExecuted, sent } of [
    { isExecuted: "no", sent: false },
    { isExecuted: "unknown", sent: true },
  ] as const) {
    it(`answers its operations as ${sent ? "unknown" : "not sent"} and gives the connection up`, () => {
      const bench = new PipelineBench();
      bench.push("acquire", "a");
      bench.push("extend", "b");
      bench.clock.flush();
      bench.connection.batch(0).reply({ kind: "error", message: "BUSY", isExecuted });
      for (const key of ["acquire a", "extend b"]) {
        expect(bench.votes.get(key)).to.include({ fault: "server", sent, message: "BUSY" });
      }
      expect(bench.events).to.deep.equal(["broken"]);
    });
  }

  it("keeps a release that is owed, to be sent again on the next connection", () => {
    const bench = new PipelineBench();
    bench.push("acquire", "a");
    bench.push("release", "b", {}, true);
    bench.clock.flush();
    bench.connection.batch(0).reply({ kind: "error", message: "BUSY", isExecuted: "unknown" });
    expect(bench.votes.has("release b")).to.equal(false);
    expect(owners(bench.pipeline.reset().sent)).to.deep.equal(["release b"]);
  });
});

describe("Pipeline: a key that the user may not use", () => {
  const FORBIDDEN = { kind: "forbidden", message: "NOPERM" } as const;

  it("E2: sends each of the call alone, in order, and tells only the one that has the key", () => {
    const bench = PipelineBench.loaded();
    for (const owner of ["a", "bad", "c"]) bench.push("acquire", owner);
    bench.clock.flush();
    bench.connection.batch(0).reply(FORBIDDEN);
    expect(bench.connection.sent.slice(1)).to.deep.equal([
      ["acquire a"],
      ["acquire bad"],
      ["acquire c"],
    ]);
    expect(bench.connection.batch(2).batch.withScript, "the server has it").to.equal(false);
    bench.connection.answer(1, [granted(7)]);
    bench.connection.batch(2).reply(FORBIDDEN);
    bench.connection.answer(3, [granted(9)]);
    expect(bench.votes.get("acquire a")).to.deep.equal(granted(7));
    expect(bench.votes.get("acquire bad")).to.include({
      ...{ kind: "fault", fault: "misconfigured", sent: false, message: "NOPERM" },
    });
    expect(bench.votes.get("acquire c")).to.deep.equal(granted(9));
    expect(bench.events).to.deep.equal(["fault of bad"]);
    bench.push("extend", "a");
    bench.push("extend", "c");
    bench.clock.flush();
    expect(bench.connection.sent.at(-1), "later ones go together").to.have.length(2);
  });

  it("sends the script again that was rejected with it, so that others go on beside callers that ask for it all the time", () => {
    const bench = new PipelineBench();
    for (const owner of ["a", "b", "bad", "bad"]) bench.push("extend", owner);
    bench.clock.flush();
    // Of a server: permissions come first, then the script, which it has once a call with it was executed.
    let isLoaded = false;
    for (let at = 0; at < bench.connection.batches.length && at < 20; at++) {
      const { operations, withScript } = bench.connection.batch(at).batch;
      if (operations.some(({ ownerId }) => ownerId === "bad")) {
        if (bench.votes.size < 3) bench.push("extend", "bad");
        bench.connection.batch(at).reply(FORBIDDEN);
      } else if (isLoaded || withScript) {
        isLoaded = true;
        bench.connection.answer(at);
      } else bench.noScript(at);
    }
    expect(bench.connection.batch(1).batch.withScript).to.equal(true);
    expect([...bench.votes.keys()]).to.include.members(["extend a", "extend b"]);
    expect(bench.events).to.not.include("broken");
  });

  it("drains the replies first, and sends no acquire that its own release has overtaken", () => {
    const bench = PipelineBench.loaded();
    bench.push("acquire", "a");
    bench.push("acquire", "bad");
    bench.clock.flush();
    bench.send("release", "a");
    bench.connection.batch(0).reply(FORBIDDEN);
    bench.send("acquire", "later");
    expect(bench.connection.batches).to.have.length(2);
    bench.connection.answer(1, [held()]);
    expect(bench.connection.sent.slice(2)).to.deep.equal([["acquire bad"], ["acquire later"]]);
    expect(bench.votes.get("acquire a")).to.include({ kind: "fault", sent: false });
  });

  it("sends it with no end of an overdue holder, which would be told as well, and for ever", () => {
    const bench = PipelineBench.loaded();
    bench.send("acquire", "a");
    bench.connection.answer(0, [{ ...held(), signs: "1000~aaaaaa@1" }]);
    bench.clock.advance(2_000);
    bench.send("acquire", "b");
    expect(bench.connection.sent[1]).to.deep.equal(["expire 1000~aaaaaa@1", "acquire b"]);
    for (let at = 1; at < bench.connection.batches.length && at < 10; at++)
      bench.connection.batch(at).reply(FORBIDDEN);
    expect(bench.connection.sent.slice(2)).to.deep.equal([["expire 1000~aaaaaa@1"], ["acquire b"]]);
    expect(bench.votes.get("acquire b")).to.include({ fault: "misconfigured" });
  });

  it("finds it among many in parts, each rejected one in smaller parts, and tells only its caller", () => {
    const bench = PipelineBench.loaded();
    for (let n = 0; n < 256; n++) bench.push("extend", `${n}`);
    bench.clock.flush();
    bench.push("extend", "x");
    bench.push("extend", "y");
    bench.connection.batch(0).reply(FORBIDDEN);
    const executed: string[] = [];
    for (let at = 1; at < bench.connection.batches.length; at++) {
      const sent = bench.connection.sent[at] ?? [];
      if (sent.includes("extend 7")) bench.connection.batch(at).reply(FORBIDDEN);
      else {
        executed.push(...sent);
        bench.connection.answer(at);
      }
      bench.clock.flush();
    }
    expect(bench.connection.sent.slice(1).map((call) => call.length)).to.deep.equal([
      ...Array.from({ length: 16 }, () => 16),
      ...Array.from({ length: 16 }, () => 1),
      2,
    ]);
    expect(bench.events).to.deep.equal(["fault of 7"]);
    expect(bench.votes.size).to.equal(258);
    expect(new Set(executed).size, "each once").to.equal(executed.length);
  });

  it("looks for it in a part no less because a later call is rejected too", () => {
    const bench = PipelineBench.loaded();
    for (let n = 0; n < 40; n++) bench.push("extend", n === 0 ? "bad" : `${n}`);
    bench.clock.flush();
    let asked = 0;
    for (let at = 0; at < bench.connection.batches.length && at < 60; at++) {
      // Somebody asks for it as soon as anything is answered.
      if (asked++ < 40) bench.push("extend", "bad");
      if (bench.connection.sent[at]?.includes("extend bad"))
        bench.connection.batch(at).reply(FORBIDDEN);
      else bench.connection.answer(at);
      bench.clock.flush();
    }
    expect(bench.votes.size).to.equal(40);
  });

  it("tells of a release that is owed, which is sent again as where the node cannot write", () => {
    const bench = PipelineBench.loaded();
    bench.send("release", "bad", {}, true);
    bench.connection.batch(0).reply(FORBIDDEN);
    expect(bench.votes.get("release bad")).to.include({ fault: "misconfigured" });
    expect(bench.events).to.deep.equal(["fault of bad"]);
  });
});

describe("Pipeline: suspicion", () => {
  it("suspects the node when its oldest call is unanswered, and gives it up in the end", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.clock.advance(49);
    expect(bench.events).to.deep.equal([]);
    bench.clock.advance(1);
    expect(bench.events).to.deep.equal(["suspected"]);
    bench.clock.advance(449);
    expect(bench.events).to.deep.equal(["suspected"]);
    bench.clock.advance(1);
    expect(bench.events).to.deep.equal(["suspected", "broken"]);
  });

  it("judges by the oldest call, not by the first it ever watched", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.clock.advance(40);
    bench.send("acquire", "b");
    bench.connection.answer(0);
    bench.clock.advance(40);
    expect(bench.events).to.deep.equal([]);
    bench.clock.advance(10);
    expect(bench.events).to.deep.equal(["suspected"]);
  });

  it("trusts the node again with any answer", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.clock.advance(50);
    bench.connection.answer(0);
    expect(bench.events).to.deep.equal(["suspected", "trusted"]);
    bench.clock.advance(10_000);
    expect(bench.events).to.have.length(2);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("suspects a node in time that falls silent again right after it was trusted", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.clock.advance(50);
    bench.connection.answer(0);
    bench.send("acquire", "b");
    bench.clock.advance(51);
    expect(bench.events).to.deep.equal(["suspected", "trusted", "suspected"]);
  });

  it("gives a node up at once that was silent while the machine slept", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.clock.suspend(60_000);
    bench.clock.advance(50);
    expect(bench.events).to.deep.equal(["broken"]);
  });

  it("blames no node for a stall of this process: answers that have come are read first", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.clock.stall(5_000);
    // What is late is served first. The answer is read in the loop's next phase.
    bench.clock.setTimer(0, () => bench.connection.answer(0));
    bench.clock.advance(0);
    bench.clock.advance(10_000);
    expect(bench.events).to.deep.equal([]);
    expect(bench.votes.get("acquire a")).to.include({ kind: "granted" });
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("blames it right after the stall if there is no answer", () => {
    const bench = new PipelineBench();
    bench.send("acquire", "a");
    bench.clock.stall(100);
    bench.clock.advance(0);
    expect(bench.events).to.deep.equal(["suspected"]);
    bench.clock.stall(5_000);
    bench.clock.advance(0);
    expect(bench.events).to.deep.equal(["suspected", "broken"]);
  });
});
