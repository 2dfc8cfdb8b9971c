import { expect } from "chai";
import { EventEmitter } from "node:events";
import { keysOf } from "../../../src/kinds/exclusive.js";
import type { Vote } from "../../../src/protocol/operation.js";
import { leaseSettings } from "../../../src/integrations/redlock/lease-state.js";
import { Release, type Released } from "../../../src/integrations/redlock/release-all.js";
import { DEFAULT_SETTINGS } from "../../../src/integrations/redlock/settings.js";
import { Stats } from "../../../src/integrations/redlock/stats.js";
import type { RedisClient } from "../../../src/redis/client-types.js";
import { CoordinatorBench } from "../../support/coordinator-bench.js";
import { settle } from "../../support/manual-clock.js";
import { fault, free, granted } from "../../support/votes.js";

const SETTINGS = leaseSettings(1_000, DEFAULT_SETTINGS);

class ReleaseBench extends CoordinatorBench {
  readonly #release = new Release([keysOf("", "a")], "value", SETTINGS);

  /** One attempt, answered by all nodes. */
  async tried(...votes: Vote[]): Promise<Released> {
    const clients = this.nodes.map(() => new EventEmitter() as RedisClient);
    const attempt = this.#release.attempt(this.context, new Stats(clients, 1, () => {}));
    await settle();
    this.answer("release", votes);
    return attempt;
  }

  /** Of each release, node by node, whether it is kept for a node that is down. */
  get mayHold(): boolean[][] {
    return this.nodes.map((node) => node.all("release").map(({ mayHold }) => mayHold));
  }
}

describe("Release of quorate/redlock", () => {
  it("counts what each node said at any of its attempts", async () => {
    const table: readonly (readonly [first: Vote[], second: Vote[], result: Released])[] = [
      // Deleted at the first, and so gone at the second.
      [[granted(), fault(), fault()], [free(), granted(), fault()], "released"],
      [[granted(), fault(), fault()], [free(), fault(), fault()], "unknown"],
      [[free(), fault(), fault()], [free(), granted(), fault()], "unknown"],
      [[free(), fault(), fault()], [free(), free(), fault()], "lost"],
    ];
    for (const [first, second, result] of table) {
      const bench = new ReleaseBench();
      expect(await bench.tried(...first)).to.equal("unknown");
      expect(await bench.tried(...second)).to.equal(result);
    }
  });

  it("owes each node one release, however often it is asked", async () => {
    const bench = new ReleaseBench();
    for (let count = 0; count < 3; count++) await bench.tried(granted(), fault(), fault());
    expect(bench.mayHold).to.deep.equal([0, 1, 2].map(() => [true, false, false]));
  });
});
