import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { cliFile, environment } from "../support/cli.js";
import { allNodes } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { StampFolder } from "../support/watched-command.js";
import { fencesOf } from "./markdown.js";
import { root } from "./project.js";

const MACHINES = 3;

/** What the page has below a heading, in one language. */
function recipe(language: string, part: string): string {
  const found = fencesOf(join(root, "docs", "how-to", "cron.md")).filter(
    (fence) => fence.language === language && fence.code.includes(part),
  );
  expect(found, `recipes with ${part}`).to.have.length(1);
  return found[0]?.code ?? "";
}

describe("docs/how-to/cron.md, a job on one of several machines", function () {
  this.timeout(60_000);
  let fleet: RedisFleet;

  beforeEach(async () => (fleet = await RedisFleet.start({ nodes: 3 })));
  afterEach(() => fleet.stop());

  /** Each machine reaches another node first: a single attempt of each splits the votes. */
  async function urlsOf(machine: number, label: string): Promise<string[]> {
    const links = await fleet.linksFor(`${label} ${machine}`);
    for (const [node, link] of links.entries()) {
      if (node !== machine) link.delay(40, { direction: "toServer" });
    }
    return links.map(({ url }) => url);
  }

  const machines = async (label: string): Promise<string[][]> =>
    await Promise.all(
      Array.from({ length: MACHINES }, async (_, machine) => await urlsOf(machine, label)),
    );

  it("runs once as it is pasted into a program, however the votes are split", async () => {
    const code = recipe("ts", '"report:daily"');
    const AsyncFunction = (async () => {}).constructor as new (
      ...parts: readonly string[]
    ) => (locks: LockManager, sendReport: () => Promise<void>) => Promise<void>;
    const job = new AsyncFunction("locks", "sendReport", code);
    const managers = (await machines("program")).map((urls) => new LockManager(urls, PATIENT));
    await Promise.all(managers.map(async (locks) => await allNodes(locks)));
    let ranCount = 0;
    await Promise.all(managers.map(async (locks) => await job(locks, async () => void ranCount++)));
    expect(ranCount).to.equal(1);
    // A machine whose clock is late.
    await job(managers[0] as LockManager, async () => void ranCount++);
    expect(ranCount).to.equal(1);
    await Promise.all(managers.map((locks) => locks.close()));
  });

  it("runs once as it is pasted into crontabs, and lets cron send no mail", async () => {
    using stamps = new StampFolder();
    const [, line = ""] = /^0 3 \* \* \* (.+)$/.exec(recipe("crontab", "quorate exec")) ?? [];
    const bin = stamps.file("bin");
    mkdirSync(bin);
    const program = `#!/bin/sh\nexec ${process.execPath} ${cliFile()} "$@"\n`;
    writeFileSync(join(bin, "quorate"), program, { mode: 0o755 });
    const report = stamps.script("report.sh", `echo run >> ${stamps.file("runs")}`);
    const said = await Promise.all(
      (await machines("crontab")).map(async (urls) => {
        const nodes = line.replace(/QUORATE_NODES=\S+/, `QUORATE_NODES=${urls.join(",")}`);
        const child = spawn("sh", ["-c", nodes.replace("./report.sh", report)], {
          env: environment({ PATH: `${bin}:${process.env["PATH"]}` }),
          stdio: ["ignore", "pipe", "pipe"],
        });
        let text = "";
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
        const [code] = (await once(child, "close")) as [number | null];
        return `${code} ${text}`;
      }),
    );
    expect(said).to.deep.equal(Array.from({ length: MACHINES }, () => "0 "));
    expect(stamps.text("runs")).to.equal("run\n");
  });
});
