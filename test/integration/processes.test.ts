import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { RedisFleet } from "../../src/testing/index.js";
import { at, noLockKeys } from "../support/nodes.js";

const DURATION_MS = Number(process.env["QUORATE_CONTENTION_MS"] ?? 10_000);
const CONTENDER = fileURLToPath(new URL("../support/contender.js", import.meta.url));

interface Tenure {
  readonly who: number;
  readonly from: bigint;
  readonly until: bigint;
  readonly token: number;
}

interface Report {
  readonly tenures: readonly Tenure[];
  readonly failures: readonly string[];
}

/** Resolves to what one contender had, when its process has ended by itself. */
function contend(who: number, urls: readonly string[]): Promise<Report> {
  const child = spawn(process.execPath, [...process.execArgv, CONTENDER], {
    env: {
      ...process.env,
      URLS: JSON.stringify(urls),
      DURATION_MS: String(DURATION_MS),
      SEED: String(who),
      WORKERS: "3",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`contender ${who} did not end by itself`));
    }, DURATION_MS + 60_000);
    child.once("close", (code) => {
      clearTimeout(timer);
      if (code !== 0) return reject(new Error(`contender ${who} ended with ${code}`));
      const lines = output.split("\n").filter((line) => line !== "");
      const said = lines.map((line) => JSON.parse(line) as Record<string, string | number>);
      resolve({
        tenures: said.filter(({ code }) => code === undefined).map((line) => tenure(who, line)),
        failures: said.flatMap(({ code }) => (code === undefined ? [] : [String(code)])),
      });
    });
  });
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

describe("Two processes whose workers want one name", () => {
  it("have it one at a time, with growing tokens, though a node freezes and another dies", async () => {
    await using fleet = await RedisFleet.start({ nodes: 5 });
    const contenders = [1, 2].map((who) => contend(who, fleet.urls));
    await sleep(DURATION_MS * 0.3);
    await at(fleet.nodes, 0).pause();
    await sleep(DURATION_MS * 0.2);
    await at(fleet.nodes, 0).resume();
    await at(fleet.nodes, 4).kill();
    await sleep(DURATION_MS * 0.1);
    await at(fleet.nodes, 4).restart();
    const reports = await Promise.all(contenders);

    for (const { tenures, failures } of reports) {
      expect(tenures.length, `failures: ${failures.join()}`).to.be.above(5);
      expect(new Set(failures)).to.not.include("QUORATE_FOREIGN_KEY");
      expect(failures.filter((code) => !code.startsWith("QUORATE_"))).to.deep.equal([]);
    }
    const tenures = reports.flatMap((report) => report.tenures);
    expectExclusive(tenures);
    const inOrder = tenures.toSorted((a, b) => (a.from < b.from ? -1 : 1));
    const changes = inOrder.filter(({ who }, n) => n > 0 && inOrder[n - 1]?.who !== who);
    expect(changes.length, "from one process to the other").to.be.above(5);
    expect(inOrder.length - changes.length, "within one").to.be.above(5);
    await noLockKeys(fleet.nodes);
  }).timeout(DURATION_MS + 90_000);

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
