import { expect } from "chai";
import { Cluster } from "ioredis";
import Redlock, { ExecutionError } from "../../../src/integrations/redlock/index.js";
import type { RedisProcess } from "../../../src/testing/index.js";
import { startCluster } from "../../support/cluster.js";
import { rejectionWith } from "../../support/settle.js";

const ONCE = { retryCount: 0 };

describe("quorate/redlock on a Cluster", () => {
  let server: RedisProcess;
  let client: Cluster;
  let redlock: Redlock;

  before(async () => {
    server = await startCluster();
    client = new Cluster([server.url]);
    redlock = new Redlock([client]);
  });
  after(async () => {
    await redlock?.quit();
    await server?.stop();
  });

  for (const { what, names } of [
    { what: "of one hash slot", names: ["{a}1", "{a}2", "{a}3"] },
    { what: "of several", names: ["a", "b", "{a}1"] },
  ]) {
    it(`locks, extends and releases resources ${what}, all or none`, async () => {
      const valuesOf = (): Promise<(string | null)[]> =>
        Promise.all(names.map((name) => client.get(name)));
      let lock = await redlock.acquire(names, 20_000);
      expect(new Set(await valuesOf())).to.deep.equal(new Set([lock.value]));
      lock = await lock.extend(60_000);
      for (const name of names) expect(await client.pttl(name)).to.be.above(20_000);
      await lock.release();
      expect(new Set(await valuesOf())).to.deep.equal(new Set([null]));

      const [first = "", ...others] = names;
      for (const held of names) {
        await client.set(held, "other", "PX", 60_000);
        await rejectionWith(ExecutionError, redlock.acquire([...others, first], 20_000, ONCE));
        expect((await valuesOf()).filter((value) => value !== null)).to.deep.equal(["other"]);
        await client.del(held);
      }
    });
  }
});
