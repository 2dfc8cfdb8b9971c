import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { RedisFleet, type TcpLink } from "../../../src/testing/index.js";
import { at } from "../../support/nodes.js";
import { REDLOCKS, withClients } from "../../support/redlocks.js";
import { eventually } from "../../support/settle.js";

describe("a node that quorate/redlock cannot reach when a lock is released", () => {
  const CASES = [
    { what: "gets the release when it is back", extendedMs: undefined },
    { what: "gets that of a lock that was extended by less, too", extendedMs: 3_000 },
  ];
  for (const { what, extendedMs } of CASES) {
    it(what, async () => {
      await using fleet = await RedisFleet.start({ nodes: 3 });
      const links = await fleet.linksFor("a");
      await withClients(links, async (clients) => {
        const redlock = new REDLOCKS.quorate.default(clients);
        const lock = await redlock.acquire(["a"], 30_000);
        const third = at(fleet.nodes, 2);
        const isThere = async (): Promise<boolean> => (await third.command("EXISTS", "a")) === 1;
        await eventually("the third node has it", isThere);
        const last = extendedMs === undefined ? lock : await lock.extend(extendedMs);
        const link: TcpLink = at(links, 2);
        await link.refuse();
        await last.release();
        // Beyond the end of what it was extended to.
        await sleep((extendedMs ?? 0) + 200);
        expect(await isThere()).to.equal(true);
        await link.heal();
        await eventually("the key is gone", async () => !(await isThere()));
      });
    });
  }
});
