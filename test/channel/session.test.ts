import { expect } from "chai";
import { Session, type Hello } from "../../src/channel/session.js";
import type { ConnectionFailure } from "../../src/channel/transport.js";
import { ManualClock } from "../support/manual-clock.js";
import {
  helloReply,
  ScriptedTransport,
  type ScriptedConnection,
} from "../support/scripted-transport.js";

class SessionBench {
  readonly clock = new ManualClock();
  readonly hellos: Hello[] = [];
  readonly ends: ConnectionFailure[] = [];
  readonly openIds: (string | undefined)[] = [];
  readonly session: Session;
  readonly connection: ScriptedConnection;

  constructor() {
    const transport = new ScriptedTransport();
    this.session = new Session(transport, this.clock, 100, {
      request: (openId) => {
        this.openIds.push(openId);
        return {
          previous: undefined,
          newId: "new",
          hadRecord: false,
          nodeCount: 1,
          maxTtlMs: 1_000,
          isDurable: false,
          openId,
        };
      },
      onHello: (hello) => this.hellos.push(hello),
      onEnd: (failure) => this.ends.push(failure),
    });
    this.connection = transport.last;
  }
}

describe("Session", () => {
  it("says hello once open, and reports the answer", () => {
    const bench = new SessionBench();
    expect(bench.connection.hellos).to.have.length(0);
    bench.connection.events.onOpen();
    expect(bench.session.isGreeting).to.equal(true);
    bench.connection.answerHello(helloReply());
    expect(bench.hellos).to.have.length(1);
    expect(bench.session).to.include({ isGreeting: false, isGreeted: true });
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("ends where connecting takes too long, or the hello does, or a hello again does", () => {
    for (const bring of [
      () => {},
      ({ connection }: SessionBench) => connection.events.onOpen(),
      ({ connection, session }: SessionBench) => {
        connection.open();
        session.greet(undefined);
      },
    ]) {
      const bench = new SessionBench();
      bring(bench);
      bench.clock.advance(99);
      expect(bench.ends).to.deep.equal([]);
      bench.clock.advance(1);
      expect(bench.ends.map(({ isMisconfigured }) => isMisconfigured)).to.deep.equal([false]);
      expect(bench.connection.isClosed).to.equal(true);
    }
  });

  it("does not end for a stall of this process, in which an answer may have come", () => {
    const bench = new SessionBench();
    bench.connection.events.onOpen();
    bench.clock.stall(5_000);
    bench.clock.advance(0);
    expect(bench.ends).to.deep.equal([]);
    bench.connection.answerHello(helloReply());
    expect(bench.hellos).to.have.length(1);
    const silent = new SessionBench();
    silent.clock.stall(90);
    silent.clock.advance(99);
    expect(silent.ends).to.deep.equal([]);
    silent.clock.advance(1);
    expect(silent.ends).to.have.length(1);
  });

  it("ends with the failure of a hello, and closes the connection", () => {
    const bench = new SessionBench();
    const failure = { message: "WRONGPASS", isMisconfigured: true };
    bench.connection.open({ kind: "failed", failure });
    expect(bench.ends).to.deep.equal([failure]);
    expect(bench.connection.isClosed).to.equal(true);
  });

  it("ends once: nothing that comes behind the end is reported", () => {
    const bench = new SessionBench();
    bench.connection.events.onOpen();
    bench.session.end({ message: "enough", isMisconfigured: false });
    bench.connection.answerHello(helloReply());
    bench.connection.fail();
    bench.session.greet("x");
    bench.clock.advance(1_000);
    expect(bench.hellos).to.deep.equal([]);
    expect(bench.ends.map(({ message }) => message)).to.deep.equal(["enough"]);
    expect(bench.connection.hellos).to.have.length(1);
  });

  it("believes no answer that may be older than the question behind it", () => {
    const bench = new SessionBench();
    bench.connection.events.onOpen();
    bench.session.greet("open-me");
    bench.session.greet(undefined);
    expect(bench.connection.hellos).to.have.length(1);
    bench.connection.answerHello(helloReply({ id: "old" }));
    expect(bench.hellos).to.deep.equal([]);
    expect(bench.openIds).to.deep.equal([undefined, "open-me"]);
    bench.connection.answerHello(helloReply({ id: "new" }));
    expect(bench.hellos.map(({ record }) => record.id)).to.deep.equal(["new"]);
  });

  it("waits with a greeting for the connection to open, where its hello is new anyhow", () => {
    const bench = new SessionBench();
    bench.session.greet(undefined);
    expect(bench.connection.hellos).to.have.length(0);
    bench.connection.open();
    expect(bench.hellos).to.have.length(1);
    expect(bench.connection.hellos).to.have.length(1);
  });
});
