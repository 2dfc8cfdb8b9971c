import { expect } from "chai";
import type { Connection, HandshakeReply, HandshakeRequest } from "../../src/channel/transport.js";
import { MemoryServer } from "../../src/memory/memory-server.js";
import { memoryTransport } from "../../src/memory/memory-transport.js";
import { CommandedTransport } from "../../src/redis/command-transport.js";
import { operation } from "../support/channel-bench.js";
import { NO_LIST } from "../support/no-list.js";
import { eventually } from "../support/settle.js";

const REQUEST: HandshakeRequest = {
  ...{ number: 1, connectionName: "quorate-one", previous: undefined, newId: "new" },
  ...{ ifAbsent: "fresh", nodeCount: 1, maxTtlMs: 60_000, firstTtlMs: 60_000, clockStepMs: 5_000 },
  ...{ wallMs: Date.now(), isDurable: false, nodeList: NO_LIST, isLooking: false },
  order: undefined,
};

/** A connection, and what has become of it. */
class Opened {
  isOpen = false;
  closedBy: string | undefined;
  answeredCount = 0;
  readonly connection: Connection;

  constructor(server: MemoryServer) {
    this.connection = new CommandedTransport(memoryTransport(server), {
      fenceSlackUs: 1_000,
    }).connect({
      onOpen: () => (this.isOpen = true),
      onClose: ({ message }) => (this.closedBy = message),
    });
  }

  handshake(over: Partial<HandshakeRequest> = {}): Promise<HandshakeReply> {
    return new Promise((resolve) => this.connection.handshake({ ...REQUEST, ...over }, resolve));
  }

  /** Sets the lock key. */
  acquire(onReply = (): void => {}): void {
    const operations = [operation("acquire", "me", { ttlMs: 60_000 })];
    this.connection.send({ operations, recordId: "", number: 2, withScript: true }, () => {
      onReply();
      this.answeredCount++;
    });
  }
}

const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe("A server in memory", () => {
  let server: MemoryServer;
  let all: Opened[];
  beforeEach(() => {
    server = new MemoryServer("memory-0");
    all = [];
  });
  afterEach(() => {
    for (const { connection } of all) connection.close();
  });

  async function opened(): Promise<Opened> {
    const one = new Opened(server);
    all.push(one);
    await eventually("it is open", () => one.isOpen);
    return one;
  }

  const runIdOf = async (): Promise<string> => {
    const reply = await (await opened()).handshake();
    return reply.kind === "handshake" ? reply.runId : "";
  };

  for (const keeps of [true, false]) {
    it(`is another run after a restart, and has ${keeps ? "kept" : "lost"} its keys and its scripts`, async () => {
      const before = await runIdOf();
      server.command(["SET", "a", "1"]);
      const sha = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
      expect(server.command(["EVAL", "return 1", "0"])).to.equal(1);
      expect(server.command(["EVALSHA", sha, "0"])).to.equal(1);
      server.stop();
      expect(server.isRunning).to.equal(false);
      expect(() => server.command(["GET", "a"])).to.throw("memory-0 has crashed");
      expect(server.keys()).to.deep.equal([]);
      server.start(keeps);
      expect(server.command(["GET", "a"])).to.equal(keeps ? "1" : null);
      expect(() => server.command(["EVALSHA", sha, "0"])).to.throw(/^NOSCRIPT/);
      expect(await runIdOf()).to.not.equal(before);
    });
  }

  it("lets nobody in while it is frozen, and everybody who came when it is thawed", async () => {
    const early = await opened();
    server.freeze();
    const late = new Opened(server);
    all.push(late);
    early.acquire();
    await turns();
    expect([late.isOpen, late.closedBy]).to.deep.equal([false, undefined]);
    expect(server.keys()).to.not.include("lock:invoice");
    server.thaw();
    await eventually("it is open", () => late.isOpen);
    expect(server.keys()).to.include("lock:invoice");
  });

  it("ends the connection before that the new one names, and no other", async () => {
    const [first, second, third] = [await opened(), await opened(), await opened()];
    const shaken = await first.handshake();
    await second.handshake({ connectionName: "quorate-two" });
    if (shaken.kind !== "handshake") return expect.fail("no handshake");
    const previous = { name: "quorate-one", connectionId: shaken.connectionId };
    await third.handshake({ connectionName: "quorate-three", previous });
    await eventually("the first has ended", () => first.closedBy === "the connection was reset");
    await turns();
    expect([second.closedBy, third.closedBy]).to.deep.equal([undefined, undefined]);
  });

  it("executes what was sent before a connection was closed, however slow it is", async () => {
    const one = await opened();
    server.delayMs = 5;
    one.acquire();
    one.connection.close();
    await eventually("it has arrived", () => server.keys().includes("lock:invoice"));
  });

  it("is heard of what it answered before it crashed", async () => {
    const one = await opened();
    one.acquire(() => expect(one.closedBy).to.equal(undefined));
    process.nextTick(() => server.stop());
    await eventually("it is known", () => one.closedBy !== undefined);
    expect(one.answeredCount).to.equal(1);
  });

  it("executes nothing that is on its way when it crashes", async () => {
    const one = await opened();
    server.delayMs = 5;
    one.acquire();
    server.stop();
    await eventually("it is known", () => one.closedBy !== undefined);
    server.start(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.keys()).to.deep.equal([]);
  });
});
