import { EventEmitter } from "node:events";
import { expect } from "chai";
import { memoryNodes } from "../../src/memory/index.js";
import type { RedisClient } from "../../src/redis/client-types.js";
import Redlock, { ExecutionError } from "../../src/integrations/redlock/index.js";
import type { NodeSettings } from "../../src/integrations/redlock/settings.js";
import { SharedNodes } from "../../src/nodes/shared-nodes.js";
import { rejectionWith } from "../support/settle.js";

const clientsOf = (count: number): RedisClient[] => memoryNodes(count) as unknown as RedisClient[];

const sharedBy = (clients: readonly RedisClient[], settings = {}): SharedNodes =>
  SharedNodes.of(clients, { driftFactor: 0.01, ...settings });

/** Of each node setting, one that differs from the default. */
const OTHERS: Readonly<Record<keyof NodeSettings, NodeSettings>> = {
  maxTtlMs: { maxTtlMs: 120_000 },
  quarantine: { quarantine: "off" },
  allowEviction: { allowEviction: true },
};

describe("SharedNodes", () => {
  it("are one for the same clients with the same settings", () => {
    const clients = clientsOf(3);
    for (const settings of [{}, ...Object.values(OTHERS)]) {
      const nodes = sharedBy(clients, settings);
      expect(sharedBy([...clients], { ...settings })).to.equal(nodes);
    }
  });

  it("are kept apart by every setting, and by the clients and their order", () => {
    const clients = clientsOf(3);
    const [a, b, c] = clients as [RedisClient, RedisClient, RedisClient];
    const all = [
      sharedBy(clients),
      sharedBy(clients, { driftFactor: 0.02 }),
      ...Object.values(OTHERS).map((settings) => sharedBy(clients, settings)),
      ...[[a], [a, b], [a, c], [a, c, b], [b, a, c], [a, b, c, clientsOf(1)[0] as RedisClient]].map(
        (some) => sharedBy(some),
      ),
    ];
    expect(new Set(all).size).to.equal(all.length);
  });

  it("give each Redlock on the same clients what it was told, whichever comes first", async () => {
    for (const isStrictFirst of [true, false]) {
      const nodes = memoryNodes(3);
      const create = (quarantine: boolean): Redlock =>
        new Redlock(nodes, { retryCount: 0, quarantine: quarantine ? "auto" : "off" });
      const first = create(isStrictFirst);
      const second = create(!isStrictFirst);
      const [strict, lax] = isStrictFirst ? [first, second] : [second, first];
      // New nodes are opened by clients with quarantine.
      for (const redlock of [strict, lax]) await (await redlock.acquire(["a"], 5_000)).release();
      for (const node of nodes) node.restart();
      // A restart is seen when it has been connected to again.
      const settings = { retryCount: 20, retryDelay: 100 };
      await (await lax.acquire(["a"], 5_000, settings)).release();
      await rejectionWith(ExecutionError, strict.acquire(["a"], 5_000, settings));
      for (const redlock of [first, second]) await redlock.quit();
    }
  });
});

/** A client of ioredis, as far as it shows how it ended. */
class EndingClient extends EventEmitter {
  status = "ready";
  manuallyClosing = false;
  retryAttempts = 0;
  readonly options: { readonly retryStrategy?: unknown };

  constructor(retryStrategy: unknown) {
    super();
    this.options = { retryStrategy };
  }

  duplicate(): void {}

  async quit(): Promise<void> {
    this.end(true);
  }

  end(isManual: boolean, retryAttempts = 0): void {
    Object.assign(this, { status: "end", manuallyClosing: isManual, retryAttempts });
  }

  connect(): void {
    Object.assign(this, { status: "ready", manuallyClosing: false, retryAttempts: 0 });
  }
}

describe("SharedNodes of clients that end", () => {
  const retry = (): number => 1_000;

  function opened(count = 2, retryStrategy: unknown = retry) {
    const clients = Array.from({ length: count }, () => new EndingClient(retryStrategy));
    const nodes = sharedBy(clients as unknown as RedisClient[]);
    return { clients, nodes };
  }

  const ENDS: readonly (readonly [
    what: string,
    end: (client: EndingClient) => void,
    isClosed: boolean,
    retryStrategy?: unknown,
  ])[] = [
    ["are connected", () => {}, false],
    ["were closed", (client) => client.end(true), true],
    ["were disconnected while connected", (client) => client.end(false), true],
    ["gave up on their server", (client) => client.end(false, 5), false],
    ["gave up at once, as they were told", (client) => client.end(false, 0), false, null],
    ["were closed without a strategy", (client) => client.end(true), true, null],
    [
      "reconnect, and were closed meanwhile",
      (client) => Object.assign(client, { status: "reconnecting", manuallyClosing: true }),
      true,
    ],
    ["reconnect", (client) => Object.assign(client, { status: "reconnecting" }), false],
  ];
  for (const [what, end, isClosed, retryStrategy = retry] of ENDS) {
    it(`are ${isClosed ? "" : "not "}closed when all clients ${what}`, () => {
      const { clients, nodes } = opened(2, retryStrategy);
      const [first, second] = clients;
      if (first === undefined || second === undefined) throw new Error("there are two");
      end(first);
      expect(nodes.checkClosed(), "one of them").to.equal(false);
      end(second);
      expect(nodes.checkClosed()).to.equal(isClosed);
    });
  }

  it("are closed once they were quit, and open again where a client was connected again", async () => {
    const { clients, nodes } = opened();
    await nodes.quit();
    expect(nodes.checkClosed()).to.equal(true);
    expect(nodes.checkClosed(), "asked again").to.equal(true);
    clients[1]?.connect();
    expect(nodes.checkClosed()).to.equal(false);
    clients[1]?.end(true);
    expect(nodes.checkClosed()).to.equal(true);
  });

  it("are closed while they are being quit, though their clients seem to be connected", async () => {
    const { clients, nodes } = opened();
    let quit = (): void => {};
    for (const client of clients) {
      client.quit = () => new Promise<void>((resolve) => (quit = resolve));
    }
    const quitting = nodes.quit();
    expect(nodes.checkClosed()).to.equal(true);
    for (const client of clients) client.end(true);
    expect(nodes.checkClosed()).to.equal(true);
    for (const client of clients) client.connect();
    expect(nodes.checkClosed()).to.equal(false);
    quit();
    void quitting;
  });
});
