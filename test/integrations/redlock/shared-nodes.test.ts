import { expect } from "chai";
import { memoryNodes } from "../../../src/memory/index.js";
import type { RedisClient } from "../../../src/redis/client-types.js";
import Redlock, { ExecutionError } from "../../../src/integrations/redlock/index.js";
import type { NodeSettings } from "../../../src/integrations/redlock/settings.js";
import { SharedNodes } from "../../../src/integrations/redlock/shared-nodes.js";
import { rejectionWith } from "../../support/settle.js";

const clientsOf = (count: number): RedisClient[] => memoryNodes(count) as unknown as RedisClient[];

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
      const nodes = SharedNodes.of(clients, 0.01, settings);
      expect(SharedNodes.of([...clients], 0.01, { ...settings })).to.equal(nodes);
    }
  });

  it("are kept apart by every setting, and by the clients and their order", () => {
    const clients = clientsOf(3);
    const [a, b, c] = clients as [RedisClient, RedisClient, RedisClient];
    const all = [
      SharedNodes.of(clients, 0.01, {}),
      SharedNodes.of(clients, 0.02, {}),
      ...Object.values(OTHERS).map((settings) => SharedNodes.of(clients, 0.01, settings)),
      ...[[a], [a, b], [a, c], [a, c, b], [b, a, c], [a, b, c, clientsOf(1)[0] as RedisClient]].map(
        (some) => SharedNodes.of(some, 0.01, {}),
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
      await first.quit();
    }
  });
});
