import { setTimeout as sleep } from "node:timers/promises";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { LockManager } from "../../../src/index.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { at } from "../../support/nodes.js";
import { eventually } from "../../support/settle.js";
import { outcomeOf, REDLOCKS, withClients } from "../../support/redlocks.js";

const HOLDER = fileURLToPath(new URL("../../support/redlock-holder.js", import.meta.url));
const NO_QUORUM =
  "ExecutionError: The operation was unable to achieve a quorum during its retry window.";

/** A process with redlock that locks a name when it is told to, and releases it when told so. */
class Holder {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor(urls: readonly string[]) {
    this.#child = spawn(process.execPath, [...process.execArgv, HOLDER], {
      env: { ...process.env, URLS: JSON.stringify(urls) },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("no output");
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  async ask(command: "acquire" | "release"): Promise<string> {
    this.#child.stdin?.write(`${command}\n`);
    const { value } = await this.#lines.next();
    return String(value);
  }

  async end(): Promise<void> {
    const ended = once(this.#child, "close");
    this.#child.stdin?.end();
    await ended;
  }
}

describe("a process with redlock and one with quorate/redlock", () => {
  let fleet: RedisFleet;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  after(() => fleet.stop());

  it("exclude each other, both ways", async () => {
    const holder = new Holder(fleet.urls);
    try {
      await withClients(fleet.nodes, async (clients) => {
        const redlock = new REDLOCKS.quorate.default(clients);
        expect(await holder.ask("acquire")).to.equal("granted");
        const once = { retryCount: 0 };
        expect(await outcomeOf(redlock.acquire(["name"], 5_000, once), 20_000)).to.equal(NO_QUORUM);
        expect(await holder.ask("release")).to.equal("released");
        const lock = await redlock.acquire(["name"], 60_000);
        expect(await holder.ask("acquire")).to.equal(NO_QUORUM);
        await lock.release();
        expect(await holder.ask("acquire")).to.equal("granted");
        expect(await holder.ask("release")).to.equal("released");
      });
    } finally {
      await holder.end();
    }
  });

  it("take turns under contention, and with a LockManager without a key prefix", async () => {
    let inside = 0;
    const turns: Record<string, number> = {};
    const endMs = performance.now() + 1_500;
    const settings = { retryCount: -1, retryDelay: 10, retryJitter: 8 };
    const enter = async (who: string): Promise<void> => {
      expect(++inside, who).to.equal(1);
      turns[who] = (turns[who] ?? 0) + 1;
      await sleep(2);
      inside--;
    };
    await using locks = new LockManager(fleet.urls, { keyPrefix: "", retry: { maxDelayMs: 20 } });
    await withClients(fleet.nodes, async (clients) => {
      const contend = async (who: string, run: () => Promise<void>): Promise<void> => {
        for (let count = 0; performance.now() < endMs || count < 2; count++) {
          await run();
          await sleep(5 + Math.random() * 15);
        }
        expect(turns[who], who).to.be.above(1);
      };
      const names = ["one", "two"];
      const ways = Object.entries(REDLOCKS).map(([who, module], at) => {
        const redlock = new module.default(clients);
        // In another order each: whoever has one of them never waits for the other with it.
        const resources = at === 0 ? names : names.toReversed();
        return contend(who, () => redlock.using(resources, 5_000, settings, () => enter(who)));
      });
      ways.push(contend("manager", () => locks.request("one", () => enter("manager"))));
      await Promise.all(ways);
    });
    expect(Object.keys(turns)).to.have.members(["redlock", "quorate", "manager"]);
  });

  it("leave no key behind", async () => {
    for (const node of fleet.nodes) {
      // A quorum of nodes has answered each release; the others get theirs a moment later.
      await eventually("no key is left", async () => {
        return (await node.command("EXISTS", "name", "one", "two")) === 0;
      });
    }
    expect(await at(fleet.nodes, 0).command("KEYS", "quorate:fence*")).to.have.length.below(2);
  });
});
