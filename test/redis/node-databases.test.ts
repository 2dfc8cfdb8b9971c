import { expect } from "chai";
import { BatchWire } from "../../src/redis/batch-wire.js";
import { configureNode, type ConfiguredNode } from "../../src/redis/node-config.js";
import { checkDatabases } from "../../src/redis/node-databases.js";

const WIRE = new BatchWire({ fenceSlackUs: 1 });

describe("checkDatabases", () => {
  it("wants one database for all servers without a run id", () => {
    const node = (url: string, acceptNoRunId: boolean): ConfiguredNode =>
      configureNode({ url, acceptNoRunId }, 0, 1_000, WIRE);
    for (const [urls, isFine] of [
      [["redis://a", "redis://b"], true],
      [["redis://a/3", "redis://b/3"], true],
      [["redis://a", "redis://a/1"], false],
      [["redis://a/2", "redis://b"], false],
    ] as const) {
      const other = node("redis://c/7", false);
      const nodes = [other, ...urls.map((url) => node(url, true))];
      const check = (): void => checkDatabases(nodes);
      if (isFine) expect(check).not.to.throw();
      else
        expect(check).to.throw(TypeError, /`nodes\[2\]` is on database \d and `nodes\[1\]` on \d/);
      expect(() => checkDatabases([other, ...urls.map((url) => node(url, false))])).not.to.throw();
    }
  });
});
