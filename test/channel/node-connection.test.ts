import { expect } from "chai";
import * as fc from "fast-check";
import {
  firstNumber,
  NodeConnection,
  outOfStep,
  type Handshake,
} from "../../src/channel/node-connection.js";
import type {
  BatchReply,
  ConnectionFailure,
  HandshakeReply,
  RecordOrder,
} from "../../src/channel/transport.js";
import { systemEntropy } from "../../src/runtime/system.js";
import { operation } from "../support/channel-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import {
  handshakeReply,
  ScriptedTransport,
  type ScriptedConnection,
} from "../support/scripted-transport.js";
import { NO_LIST } from "../support/no-list.js";
import { unit } from "../support/uniform.js";
import { granted } from "../support/votes.js";

const ENTROPY = { unit: () => 0.9, id: () => "one" };

/** The number of its first request. */
const FIRST = firstNumber(ENTROPY);

class NodeConnectionBench {
  readonly clock = new ManualClock();
  readonly handshakes: Handshake[] = [];
  readonly ends: ConnectionFailure[] = [];
  readonly replies: BatchReply[] = [];
  readonly orders: (RecordOrder | undefined)[] = [];
  readonly subject: NodeConnection;
  readonly connection: ScriptedConnection;

  constructor() {
    const transport = new ScriptedTransport();
    this.subject = new NodeConnection(transport, this.clock, ENTROPY, 100, {
      request: (order) => {
        this.orders.push(order);
        return {
          previous: undefined,
          newId: "new",
          ifAbsent: "fresh",
          nodeCount: 1,
          ...{ maxTtlMs: 1_000, firstTtlMs: 1_000 },
          clockStepMs: 0,
          wallMs: 0,
          isDurable: false,
          nodeList: NO_LIST,
          isLooking: false,
          order,
        };
      },
      onHandshake: (handshake) => this.handshakes.push(handshake),
      onEnd: (failure) => this.ends.push(failure),
    });
    this.connection = transport.last;
  }

  send(count: number): void {
    const operations = Array.from({ length: count }, () => operation("acquire", "a"));
    const call = { operations, size: count, recordId: "r", withScript: true };
    this.subject.send(call, (_, reply) => this.replies.push(reply));
  }
}

describe("NodeConnection", () => {
  it("leaves no timer where its transport throws", () => {
    const clock = new ManualClock();
    const refused = new Error("refused");
    const transport = {
      name: "a:1",
      connect: () => {
        throw refused;
      },
    };
    const events = { request: () => expect.fail(), onHandshake: () => {}, onEnd: () => {} };
    expect(() => new NodeConnection(transport, clock, ENTROPY, 100, events)).to.throw(refused);
    expect(clock.timerCount).to.equal(0);
  });

  it("says handshake once open, and reports the answer", () => {
    const bench = new NodeConnectionBench();
    expect(bench.connection.handshakes).to.have.length(0);
    bench.connection.events.onOpen();
    expect(bench.subject.isHandshaking).to.equal(true);
    bench.connection.answerHandshake(handshakeReply());
    expect(bench.handshakes).to.have.length(1);
    expect(bench.subject).to.include({ isHandshaking: false, isHandshakeDone: true });
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("ends where connecting takes too long, or the handshake does, or a handshake again does", () => {
    for (const bring of [
      () => {},
      ({ connection }: NodeConnectionBench) => connection.events.onOpen(),
      ({ connection, subject }: NodeConnectionBench) => {
        connection.open();
        subject.handshake(undefined);
      },
    ]) {
      const bench = new NodeConnectionBench();
      bring(bench);
      bench.clock.advance(99);
      expect(bench.ends).to.deep.equal([]);
      bench.clock.advance(1);
      expect(bench.ends.map(({ isMisconfigured }) => isMisconfigured)).to.deep.equal([false]);
      expect(bench.connection.isClosed).to.equal(true);
    }
  });

  it("does not end for a stall of this process, in which an answer may have come", () => {
    const bench = new NodeConnectionBench();
    bench.connection.events.onOpen();
    bench.clock.stall(5_000);
    bench.clock.advance(0);
    expect(bench.ends).to.deep.equal([]);
    bench.connection.answerHandshake(handshakeReply());
    expect(bench.handshakes).to.have.length(1);
    const silent = new NodeConnectionBench();
    silent.clock.stall(90);
    silent.clock.advance(99);
    expect(silent.ends).to.deep.equal([]);
    silent.clock.advance(1);
    expect(silent.ends).to.have.length(1);
  });

  it("ends with the failure of a handshake, and closes the connection", () => {
    const bench = new NodeConnectionBench();
    const failure = { message: "WRONGPASS", isMisconfigured: true };
    bench.connection.open({ kind: "failed", failure });
    expect(bench.ends).to.deep.equal([{ ...failure, isOfHandshake: true }]);
    expect(bench.connection.isClosed).to.equal(true);
  });

  it("ends for a reply that is not that of its handshake, first or again", () => {
    for (const number of [FIRST - 1, undefined, FIRST + 2]) {
      const bench = new NodeConnectionBench();
      bench.connection.open({ ...handshakeReply(), number });
      expect(bench.handshakes).to.deep.equal([]);
      expect(bench.ends).to.have.length(1);
      expect(bench.ends[0]).to.include({ isOutOfStep: true, isMisconfigured: false });
      expect(bench.connection.isClosed).to.equal(true);
      const again = new NodeConnectionBench();
      again.connection.open();
      again.subject.handshake(undefined);
      again.connection.answerHandshake({ ...handshakeReply(), number: FIRST });
      expect(again.handshakes).to.have.length(1);
      expect(again.ends[0]).to.include({ isOutOfStep: true });
    }
  });

  it("numbers its requests one after another, each operation of a batch", () => {
    const bench = new NodeConnectionBench();
    bench.connection.open();
    for (const count of [3, 1, 2]) bench.send(count);
    bench.subject.handshake(undefined);
    const { handshakes, batches } = bench.connection;
    expect(handshakes.map(({ request }) => request.number)).to.deep.equal([FIRST, FIRST + 7]);
    expect(batches.map(({ batch }) => batch.number)).to.deep.equal([1, 4, 5].map((n) => FIRST + n));
  });

  it("reports the reply to a batch, and ends for one that is not its own", () => {
    // That of the handshake, of the batch before, and of one that was not sent.
    for (const number of [FIRST, FIRST + 1, FIRST + 3]) {
      const bench = new NodeConnectionBench();
      bench.connection.open();
      bench.send(1);
      bench.send(1);
      bench.connection.answer(0);
      expect(bench.replies).to.have.length(1);
      bench.connection.answer(1, undefined, true, number);
      expect(bench.replies).to.have.length(1);
      expect(bench.ends).to.have.length(1);
      expect(bench.ends[0]).to.include({ isOutOfStep: true, isMisconfigured: false });
      expect(bench.connection.isClosed).to.equal(true);
    }
  });

  it("ends once: nothing that comes behind the end is reported", () => {
    const bench = new NodeConnectionBench();
    bench.connection.events.onOpen();
    bench.send(1);
    bench.subject.end({ message: "enough", isMisconfigured: false });
    bench.connection.answerHandshake(handshakeReply());
    bench.connection.answer(0);
    expect(bench.replies).to.deep.equal([]);
    bench.connection.fail();
    bench.subject.handshake({ becomes: "fresh" });
    bench.clock.advance(1_000);
    expect(bench.handshakes).to.deep.equal([]);
    expect(bench.ends.map(({ message }) => message)).to.deep.equal(["enough"]);
    expect(bench.connection.handshakes).to.have.length(1);
  });

  it("believes no answer that may be older than the question behind it", () => {
    const bench = new NodeConnectionBench();
    bench.connection.events.onOpen();
    bench.subject.handshake({ becomes: "open", id: "me" });
    bench.subject.handshake(undefined);
    expect(bench.connection.handshakes).to.have.length(1);
    bench.connection.answerHandshake(handshakeReply({ id: "old" }));
    expect(bench.handshakes).to.deep.equal([]);
    expect(bench.orders).to.deep.equal([undefined, { becomes: "open", id: "me" }]);
    bench.connection.answerHandshake(handshakeReply({ id: "new" }));
    expect(bench.handshakes.map(({ record }) => record?.id)).to.deep.equal(["new"]);
  });

  it("waits with a greeting for the connection to open, where its handshake is new anyhow", () => {
    const bench = new NodeConnectionBench();
    bench.subject.handshake(undefined);
    expect(bench.connection.handshakes).to.have.length(0);
    bench.connection.open();
    expect(bench.handshakes).to.have.length(1);
    expect(bench.connection.handshakes).to.have.length(1);
  });
});

const NUMBER = 281_474_976_710_655;

const votes = (number: number | undefined): BatchReply => {
  return { kind: "votes", number, votes: [granted()], isSameIncarnation: true };
};
const handshake = (number: number | undefined): HandshakeReply => {
  return { ...handshakeReply(), number };
};
const error = { kind: "error", message: "BUSY", isExecuted: "no" } as const;
const failed = { kind: "failed", failure: { message: "NOPERM", isMisconfigured: true } } as const;

describe("outOfStep", () => {
  for (const [title, reply, withScript, found] of [
    ["votes with its number", votes(NUMBER), false, undefined],
    ["votes with its number, of a call with the script", votes(NUMBER), true, undefined],
    ["votes with the next number", votes(NUMBER + 1), false, NUMBER + 1],
    ["votes with the last number", votes(NUMBER - 1), true, NUMBER - 1],
    ["votes with its number negated", votes(-NUMBER), false, -NUMBER],
    ["votes without a number", votes(undefined), false, "something without a number"],
    ["votes whose number is none", votes(Number.NaN), false, Number.NaN],
    ["a handshake with its number", handshake(NUMBER), undefined, undefined],
    ["a handshake with another number", handshake(1), undefined, 1],
    ["a handshake without a number", handshake(undefined), undefined, "something without a number"],
    ["NOSCRIPT, for a call without the script", { kind: "noScript" }, false, undefined],
    [
      "NOSCRIPT, for a call that carried the script",
      { kind: "noScript" },
      true,
      "that of a call without the script",
    ],
    ["an error, which is a fault in any case", error, false, undefined],
    ["a failed handshake", failed, undefined, undefined],
  ] as const) {
    it(`${found === undefined ? "believes" : "ends the connection for"} ${title}`, () => {
      const request = { number: NUMBER, ...(withScript !== undefined && { withScript }) };
      expect(outOfStep(request, reply)).to.deep.equal(
        found === undefined
          ? undefined
          : {
              message: `replies out of step: the reply to request ${NUMBER} is ${found}`,
              isMisconfigured: false,
              isOutOfStep: true,
            },
      );
    });
  }
});

describe("numbers of requests", () => {
  it("begin at 48 random bits, are never 0, and stay exact", () => {
    fc.assert(
      fc.property(unit, unit, (high, low) => {
        const units = [high, low];
        const first = firstNumber({
          unit: () => units.shift() ?? expect.fail("a third"),
          id: String,
        });
        expect(first).to.be.within(1, 2 ** 48);
        // A number for each of a million operations a second, for a century.
        expect(Number.isSafeInteger(first + 1e6 * 100 * 366 * 86_400)).to.equal(true);
      }),
    );
  });

  it("differ between connections, in all of their bits", () => {
    const firsts = Array.from({ length: 1_000 }, () => firstNumber(systemEntropy()));
    expect(new Set(firsts).size).to.equal(1_000);
    for (let bit = 0; bit < 48; bit++) {
      const set = firsts.filter((first) => Math.floor((first - 1) / 2 ** bit) % 2 === 1).length;
      expect(set, `bit ${bit}`).to.be.within(350, 650);
    }
  });
});
