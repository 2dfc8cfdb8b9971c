import { expect } from "chai";
import * as fc from "fast-check";
import type { Handshake, NodeConnection } from "../../src/channel/node-connection.js";
import {
  NodeConnections,
  type ConnectedNode,
  type HandshakeQuestion,
} from "../../src/channel/node-connections.js";
import type {
  ConnectionFailure,
  HandshakeRequest,
  RecordOrder,
} from "../../src/channel/transport.js";
import { ManualClock } from "../support/manual-clock.js";
import { at } from "../support/nodes.js";
import { handshakeReply, ScriptedTransport } from "../support/scripted-transport.js";
import { seededEntropy } from "../support/seeded-entropy.js";
import { NO_LIST } from "../support/no-list.js";

/** A node that writes down what its connections report. */
class Bench implements ConnectedNode {
  readonly clock = new ManualClock();
  readonly transport = new ScriptedTransport();
  readonly connections: NodeConnections;
  readonly ends: ConnectionFailure[] = [];
  /** By handshake: the id of its connection, and since when the record is ours. */
  readonly handshakes: (readonly [connectionId: string, ownSinceMs: number | undefined])[] = [];
  tryCount = 0;
  problem: ConnectionFailure | undefined;
  isPrompt = false;
  whenEnded = (): void => {};

  constructor(seed = 1) {
    const entropy = seededEntropy(seed);
    this.connections = new NodeConnections(this.transport, this.clock, entropy, 100, this);
  }

  request(order: RecordOrder | undefined): HandshakeQuestion {
    return {
      ...{ ifAbsent: undefined, nodeCount: 3, clockStepMs: 0 },
      ...{ maxTtlMs: 10_000, firstTtlMs: 10_000 },
      ...{ isDurable: false, nodeList: NO_LIST, isLooking: false, order },
    };
  }

  onHandshake(connection: NodeConnection, { connectionId }: Handshake, ownSinceMs?: number): void {
    if (this.problem === undefined) this.handshakes.push([connectionId, ownSinceMs]);
    else connection.end(this.problem);
  }

  onEnd(_: NodeConnection, failure: ConnectionFailure): boolean {
    this.ends.push(failure);
    this.whenEnded();
    return this.isPrompt;
  }

  onTry(): void {
    this.tryCount++;
  }

  /** The last handshake that was sent. */
  get sent(): HandshakeRequest {
    return at(this.transport.last.handshakes, this.transport.last.handshakes.length - 1).request;
  }

  /** Lets time pass until there is another connection. Returns how long that took, ms. */
  toNext(): number {
    const { connections } = this.transport;
    const [startMs, before] = [this.clock.steady(), connections.length];
    while (connections.length === before) this.clock.advance(1);
    return this.clock.steady() - startMs;
  }
}

describe("NodeConnections", () => {
  it("reconnects after delays that double, with jitter of up to half, until one is in use", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const bench = new Bench(seed);
        bench.connections.connect();
        const capsMs = [50, 100, 200, 400, 800, 1_000, 1_000];
        for (const capMs of [...capsMs, ...capsMs.slice(0, 2)]) {
          if (bench.tryCount === capsMs.length + 1) bench.connections.onUsed();
          bench.transport.last.fail();
          expect(bench.connections.current).to.equal(undefined);
          expect(bench.toNext()).to.be.within(capMs / 2, capMs + 1);
        }
        expect(bench.tryCount).to.equal(bench.transport.connections.length);
      }),
      { numRuns: 20 },
    );
  });

  it("reconnects at once where the node asks for it, which does not count as a failure", () => {
    const bench = new Bench();
    bench.connections.connect();
    bench.isPrompt = true;
    for (let time = 0; time < 10; time++) {
      bench.transport.last.fail();
      bench.clock.advance(0);
    }
    expect(bench.tryCount).to.equal(11);
    bench.isPrompt = false;
    bench.transport.last.fail();
    expect(bench.toNext()).to.be.at.most(51);
  });

  it("tells the server which connection it replaces: the last one that shook hands", () => {
    const bench = new Bench();
    bench.connections.connect();
    bench.transport.last.open(handshakeReply({}, { connectionId: "17", runId: "run-b" }));
    expect(bench.sent.previous).to.equal(undefined);
    const name = bench.sent.connectionName;
    bench.transport.last.fail();
    bench.toNext();
    // This one never gets so far.
    bench.transport.last.fail();
    bench.toNext();
    bench.transport.last.open();
    expect(bench.sent.previous).to.deep.equal({ name, connectionId: "17" });
  });

  it("gives each connection a name that a server takes, the same at every handshake on it", () => {
    const bench = new Bench();
    bench.connections.connect();
    const names = [0, 1, 2].map(() => {
      bench.transport.last.open();
      const { connectionName } = bench.sent;
      bench.connections.current?.handshake(undefined);
      expect(bench.sent.connectionName).to.equal(connectionName);
      bench.transport.last.fail();
      bench.toNext();
      return connectionName;
    });
    expect(new Set(names).size).to.equal(3);
    for (const name of names) expect(name).to.match(/^quorate-[\w-]+$/);
  });

  it("sends what the node asks, this client's wall clock, and a new id with every handshake", () => {
    const bench = new Bench();
    bench.connections.connect();
    bench.transport.last.open();
    const first = bench.sent;
    expect(first).to.include({ nodeCount: 3, maxTtlMs: 10_000, order: undefined });
    expect(first.wallMs).to.equal(bench.clock.wallUs() / 1_000);
    const order = { becomes: "open", id: "record-a" } as const;
    bench.connections.current?.handshake(order);
    expect(bench.sent.order).to.equal(order);
    expect(bench.sent.newId).to.not.equal(first.newId);
  });

  it("ends the connection to a server that cannot be used, and says why", () => {
    const bench = new Bench();
    bench.problem = { message: "not a master", isMisconfigured: true, isListedTwice: true };
    bench.connections.connect();
    bench.transport.last.open(handshakeReply({}, { connectionId: "17" }));
    expect(bench.handshakes).to.deep.equal([]);
    expect(bench.ends).to.deep.equal([bench.problem]);
    expect(at(bench.transport.connections, 0).isClosed).to.equal(true);
    bench.problem = undefined;
    bench.toNext();
    bench.transport.last.open();
    expect(bench.sent.previous?.connectionId).to.equal("17");
  });

  describe("of a record with an id that it has offered", () => {
    const offer = (bench: Bench): string => {
      bench.connections.connect();
      bench.transport.last.open(handshakeReply({ id: "record-a" }));
      bench.clock.advance(250);
      bench.connections.current?.handshake({ becomes: "fresh" });
      return bench.sent.newId;
    };
    const ownSince = (bench: Bench): number | undefined => bench.handshakes.at(-1)?.[1];

    it("says since when it can have been written, at every handshake", () => {
      const bench = new Bench();
      const id = offer(bench);
      const offeredMs = bench.clock.now();
      for (const connectionId of ["1", "2"]) {
        bench.clock.advance(40);
        bench.transport.last.answerHandshake(handshakeReply({ id }, { connectionId }));
        expect(ownSince(bench)).to.equal(offeredMs);
        bench.connections.current?.handshake(undefined);
      }
    });

    it("says so too if the connection broke before its answer", () => {
      const bench = new Bench();
      const id = offer(bench);
      const offeredMs = bench.clock.now();
      bench.transport.last.fail();
      bench.toNext();
      bench.transport.last.open(handshakeReply({ id }));
      expect(ownSince(bench)).to.equal(offeredMs);
    });

    it("says nothing of another client's record, after which the offers are void", () => {
      const bench = new Bench();
      const id = offer(bench);
      bench.transport.last.answerHandshake(handshakeReply({ id: "record-b" }));
      expect(ownSince(bench)).to.equal(undefined);
      bench.connections.current?.handshake(undefined);
      bench.transport.last.answerHandshake(handshakeReply({ id }));
      expect(ownSince(bench)).to.equal(undefined);
    });

    it("says nothing of a record with an id that was sent without that order", () => {
      const bench = new Bench();
      bench.connections.connect();
      bench.transport.last.events.onOpen();
      bench.transport.last.answerHandshake(handshakeReply({ id: bench.sent.newId }));
      expect(bench.handshakes).to.deep.equal([["1", undefined]]);
    });
  });

  it("closes the connection, and opens no other", () => {
    const bench = new Bench();
    bench.connections.connect();
    bench.transport.last.open();
    bench.connections.close();
    expect(bench.transport.last.isClosed).to.equal(true);
    expect(bench.connections.current).to.equal(undefined);
    expect(bench.ends).to.deep.equal([]);
    expect(bench.clock.timerCount).to.equal(0);
  });

  for (const [when, act] of [
    [
      "while it waits for the next attempt",
      (bench: Bench) => {
        bench.transport.last.fail();
        bench.connections.close();
      },
    ],
    [
      "from within the report of an end",
      (bench: Bench) => {
        bench.whenEnded = () => bench.connections.close();
        bench.transport.last.fail();
      },
    ],
  ] as const) {
    it(`opens no other connection if it is closed ${when}`, () => {
      const bench = new Bench();
      bench.connections.connect();
      act(bench);
      expect(bench.clock.timerCount).to.equal(0);
      bench.clock.advance(10_000);
      expect(bench.tryCount).to.equal(1);
    });
  }
});
