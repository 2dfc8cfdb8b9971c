import { expect } from "chai";
import { LockManager } from "../../src/manager/lock-manager.js";
import type { CommandConnection, CommandTransport } from "../../src/redis/command-transport.js";
import { memoryNodes } from "../../src/memory/index.js";
import { eventually } from "../support/settle.js";

type Connect = CommandTransport["connect"];
type Events = Parameters<Connect>[0];

const NO_REPLY = (): Promise<unknown> => new Promise(() => {});
const refuses: Connect = (events) => {
  setTimeout(() => events.onClose(new Error("refused")), 1);
  return { call: NO_REPLY, close: () => {} };
};
const opens =
  (connection: Partial<CommandConnection>): Connect =>
  (events) => {
    queueMicrotask(() => events.onOpen());
    const close = (): void => queueMicrotask(() => events.onClose(new Error("closed")));
    return { call: NO_REPLY, close, ...connection };
  };
const throws = (message: string) => (): never => {
  throw new Error(message);
};
/** Against its type, as is an asynchronous one. */
const rejects = (message: string): (() => void) => Promise.reject.bind(Promise, new Error(message));
/** Against its type. */
const returns = (given: unknown): Connect => (() => given) as Connect;

const MUST_RETURN = "connect() of the transport must return an object with a `close`, got";

describe("A transport of a user's own that breaks", () => {
  /** Two nodes that vote, and that one. */
  function managerWith(transport: Pick<CommandTransport, "connect" | "subscribe">): LockManager {
    const broken = { transport: { name: "broken", ...transport } };
    const locks = new LockManager([...memoryNodes(2), broken], {
      nodeTimeoutMs: 100,
      quarantine: "off",
    });
    locks.on("warning", () => {});
    return locks;
  }

  const CASES: readonly (readonly [what: string, detail: string, connect: Connect])[] = [
    ["connect() throws", "no client", throws("no client")],
    ["connect() returns nothing", `${MUST_RETURN} undefined`, returns(undefined)],
    [
      "connect() returns a promise",
      `${MUST_RETURN} [object Promise]`,
      () => Promise.reject(new Error("late")) as never,
    ],
    ["call() throws", "ERR CLIENT|ID failed: no call", opens({ call: throws("no call") })],
    ["close() throws", "no handshake within 1000 ms", opens({ close: throws("no close") })],
    ["close() rejects", "no handshake within 1000 ms", opens({ close: rejects("no close") })],
  ];
  for (const [what, detail, connect] of CASES)
    it(`${what}: its node is down, is tried again, and the others go on`, async () => {
      let count = 0;
      const locks = managerWith({ connect: (events: Events) => (count++, connect(events)) });
      const lock = await locks.acquire("a");
      await eventually("it is tried again", () => count > 1);
      expect(locks.nodes[2]).to.include({ state: "down", detail });
      expect(lock.isHeld).to.equal(true);
      await locks.close();
    });

  it("connect() throws only at a reconnect", async () => {
    let count = 0;
    const connect = (events: Events): CommandConnection =>
      count++ === 0 ? refuses(events) : throws("no client")();
    const locks = managerWith({ connect });
    await eventually("it is tried again", () => count > 2);
    expect(locks.nodes[2]).to.include({ state: "down", detail: "no client" });
    await locks.close();
  });

  it("subscribe() throws: it is told why nobody is told of turns there", async () => {
    const warnings: string[] = [];
    const subscribe = throws("no subscription");
    const locks = managerWith({ connect: refuses, subscribe });
    locks.on("warning", ({ message }) => warnings.push(message));
    const lock = await locks.acquire("a");
    const waiting = locks.acquire("a");
    await eventually("it is told", () => warnings.join().includes("no subscription"));
    await lock.release();
    await waiting;
    await locks.close();
  });

  it("a connection that comes late is closed", async () => {
    let isClosed = false;
    const late = Promise.resolve({ call: NO_REPLY, close: () => (isClosed = true) });
    const locks = managerWith({ connect: returns(late) });
    await eventually("it is closed", () => isClosed);
    await locks.close();
  });
});
