import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { RedisFleet } from "../../src/testing/index.js";
import { at, noLockKeys } from "../support/nodes.js";
import { eventually } from "../support/settle.js";

const DURATION_MS = Number(process.env["QUORATE_CONTENTION_MS"] ?? 10_000);
/** For what has no pace of its own: on a machine that stalls. */
const END_MS = 60_000;
const CONTENDER = fileURLToPath(new URL("../support/contender.js", import.meta.url));

interface Tenure {
  readonly who: number;
  readonly from: bigint;
  readonly until: bigint;
  readonly token: number;
}

/** A process that wants the name until it is told to end. */
class Contender {
  readonly tenures: Tenure[] = [];
  readonly failures: string[] = [];
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #closed: Promise<unknown[]>;

  constructor(who: number, urls: readonly string[]) {
    const env = { ...process.env, URLS: JSON.stringify(urls), SEED: String(who), WORKERS: "3" };
    this.#child = spawn(process.execPath, [...process.execArgv, CONTENDER], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#closed = once(this.#child, "close");
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const said = JSON.parse(line) as Record<string, string | number>;
      if (said["code"] === undefined) this.tenures.push(tenure(who, said));
      else this.failures.push(String(said["code"]));
    });
  }

  /** Resolves when the process has ended by itself. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), END_MS);
    expect(await this.#closed).to.deep.equal([0, null]);
    clearTimeout(timer);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }
}

function tenure(who: number, { fromNs, untilNs, token }: Record<string, string | number>): Tenure {
  const from = BigInt(fromNs ?? 0);
  return { who, from, until: BigInt(untilNs ?? 0), token: Number(token) };
}

/** One lock at a time, and tokens in the order of the grants. */
function expectExclusive(tenures: readonly Tenure[]): void {
  const inOrder = tenures.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  inOrder.slice(1).forEach((next, index) => {
    const previous = at(inOrder, index);
    const about = `${previous.who} until ${previous.until}, ${next.who} from ${next.from}`;
    expect(next.from >= previous.until, `overlap: ${about}`).to.equal(true);
    expect(next.token, `token order: ${about}`).to.be.above(previous.token);
  });
}

const inOrderOf = (contenders: readonly Contender[]): Tenure[] =>
  contenders.flatMap(({ tenures }) => tenures).toSorted((a, b) => (a.from < b.from ? -1 : 1));

/** How often the name went from one process to the other, and how often it stayed in one. */
function countsIn(inOrder: readonly Tenure[]): { changeCount: number; stayCount: number } {
  const changeCount = inOrder.filter(({ who }, n) => n > 0 && inOrder[n - 1]?.who !== who).length;
  return { changeCount, stayCount: inOrder.length - changeCount };
}

describe("Two processes whose workers want one name", () => {
  it("have it one at a time, with growing tokens, though a node freezes and another dies", async () => {
    await using fleet = await RedisFleet.start({ nodes: 5 });
    const contenders = [1, 2].map((who) => new Contender(who, fleet.urls));
    try {
      await sleep(DURATION_MS * 0.3);
      await at(fleet.nodes, 0).pause();
      await sleep(DURATION_MS * 0.2);
      await at(fleet.nodes, 0).resume();
      await at(fleet.nodes, 4).kill();
      await sleep(DURATION_MS * 0.1);
      await at(fleet.nodes, 4).restart();
      await sleep(DURATION_MS * 0.4);
      // How much that is in any time is up to the machine.
      const isEnough = (): boolean => {
        const { changeCount, stayCount } = countsIn(inOrderOf(contenders));
        const least = Math.min(...contenders.map(({ tenures }) => tenures.length));
        return Math.min(least, changeCount, stayCount) > 5;
      };
      await eventually("each had it, one after the other and again and again", isEnough, END_MS);
      await Promise.all(contenders.map((contender) => contender.end()));
    } finally {
      for (const contender of contenders) contender.kill();
    }

    for (const { failures } of contenders) {
      expect(new Set(failures)).to.not.include("QUORATE_FOREIGN_KEY");
      expect(failures.filter((code) => !code.startsWith("QUORATE_"))).to.deep.equal([]);
    }
    expectExclusive(inOrderOf(contenders));
    await noLockKeys(fleet.nodes);
  }).timeout(DURATION_MS + 4 * END_MS);

  it("would be found out by this check, if they did not", () => {
    const alone = { who: 1, from: 0n, until: 10n, token: 1 };
    expect(() => expectExclusive([alone, { who: 2, from: 9n, until: 12n, token: 2 }])).to.throw(
      /overlap/,
    );
    expect(() => expectExclusive([alone, { who: 2, from: 10n, until: 12n, token: 1 }])).to.throw(
      /token order/,
    );
    expectExclusive([alone, { who: 2, from: 10n, until: 12n, token: 2 }]);
  });
});
