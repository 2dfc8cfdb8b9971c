import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { cliFile, environment } from "../support/cli.js";
import { howMany } from "../support/long.js";
import { allNodes } from "../support/nodes.js";
import { StampFolder } from "../support/watched-command.js";
import { Instances } from "./instances.js";
import { fencesOf } from "./markdown.js";
import { root } from "./project.js";

const MACHINES = [0, 1, 2];

/**
 * Calls the job at the same moment on each machine, but in some rounds on one of them so late that the run is over.
 * Then the machine is told to end.
 */
const ROUNDS = `
await locks.ready({ all: true });
const { START_MS, ROUND_COUNT, MACHINE } = process.env;
const runs = [];
for (let at = 0; at < ROUND_COUNT; at++) {
  const lateMs = at % 10 === Number(MACHINE) ? 1_000 : 0;
  const leftMs = Number(START_MS) + at * 25 + lateMs - Date.now();
  runs.push(sleep(leftMs).then(() => {
    round = at;
    return daily.trigger();
  }));
}
void Promise.all(runs).then(() => process.kill(process.pid, "SIGTERM"));
closeOnSignals(`;

describe("docs/how-to/cron.md, a job on one of several machines", function () {
  let fleet: RedisFleet;

  beforeEach(async () => (fleet = await RedisFleet.start({ nodes: 3 })));
  afterEach(() => fleet.stop());

  /** As one machine reaches the nodes: each message takes 1 to 5 ms, so they arrive in another order at each. */
  async function urlsOf(machine: number): Promise<string[]> {
    const links = await fleet.linksFor(`machine ${machine}`);
    for (const link of links) link.delay(1, { jitterMs: 4 });
    return links.map(({ url }) => url);
  }

  const namesUpTo = (count: number): string[] =>
    Array.from({ length: count }, (_, round) => `report:${round}`);

  it("runs once in each of 300 rounds, in a program", async function () {
    this.timeout(120_000);
    const count = 300;
    const urls = await Promise.all(MACHINES.map(urlsOf));
    const changes = [
      ["const daily", "let round = 0;\nconst daily"],
      ['"report:daily"', "`report:${round}`"],
      ["closeOnSignals(locks", `${ROUNDS}locks`],
    ] as const;
    // Processes take most of a second to start.
    const startMs = Date.now() + 5_000;
    await using instances = new Instances("cron", [], MACHINES.length, { changes }, (machine) => ({
      QUORATE_NODES: urls[machine]?.join(",") ?? "",
      MACHINE: String(machine),
      ROUND_COUNT: String(count),
      START_MS: String(startMs),
    }));
    const ends = await instances.ends();
    expect(ends, instances.lines.join("\n")).to.deep.equal(MACHINES.map(() => "SIGTERM"));
    const runs = instances.matches(/^(\d+) runs (.+)$/);
    expect(runs.map(([, name]) => name)).to.have.members(namesUpTo(count));
    // Each competed, and none complained.
    expect(new Set(runs.map(([pid]) => pid)).size).to.equal(MACHINES.length);
    expect(instances.lines).to.have.length(count);
  });

  const count = howMany(3, 100);
  it(`runs once in each of ${count} rounds as it is pasted into crontabs, and lets cron send no mail`, async function () {
    this.timeout(60_000 + count * 20_000);
    using stamps = new StampFolder();
    const [crontab, ...others] = fencesOf(join(root, "docs", "how-to", "cron.md")).filter(
      ({ language }) => language === "crontab",
    );
    expect(others).to.deep.equal([]);
    const [, line = ""] = /^0 3 \* \* \* (.+)$/.exec(crontab?.code ?? "") ?? [];
    expect(line).to.include("report:daily");
    const bin = stamps.file("bin");
    mkdirSync(bin);
    const program = `#!/bin/sh\nexec ${process.execPath} ${cliFile()} "$@"\n`;
    writeFileSync(join(bin, "quorate"), program, { mode: 0o755 });
    const report = stamps.script("report.sh", `echo $QUORATE_NAME >> ${stamps.file("runs")}`);
    // Where none waits for the servers' first start, a round is about the lock.
    await using locks = new LockManager(fleet.urls);
    await allNodes(locks);
    const urls = await Promise.all(MACHINES.map(urlsOf));

    const run = async (round: number, machine: number): Promise<string> => {
      const own = line
        .replace(/QUORATE_NODES=\S+/, `QUORATE_NODES=${urls[machine]?.join(",")}`)
        .replace("report:daily", `report:${round}`)
        .replace("./report.sh", report);
      const child = spawn("sh", ["-c", own], {
        env: environment({ PATH: `${bin}:${process.env["PATH"]}` }),
        stdio: ["ignore", "pipe", "pipe"],
      });
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
      const [code] = (await once(child, "close")) as [number | null];
      return `${code} ${text}`;
    };
    const runsOf = (round: number): number =>
      stamps
        .text("runs")
        .split("\n")
        .filter((name) => name === `report:${round}`).length;
    let next = 0;
    // Those that do not run it wait for seconds: several rounds at once.
    const lane = async (): Promise<void> => {
      for (let round = next++; round < count; round = next++) {
        const said = await Promise.all(MACHINES.map((machine) => run(round, machine)));
        expect(said, `round ${round}`).to.deep.equal(MACHINES.map(() => "0 "));
        expect(runsOf(round), `round ${round}`).to.equal(1);
      }
    };
    await Promise.all([lane(), lane(), lane()]);
  });
});
