import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect } from "chai";
import { accepts, until } from "./raw-client.js";

const TESTING = new URL("../../src/testing/index.js", import.meta.url).href;
const CLEANUP = new URL("../../src/testing/child-cleanup.js", import.meta.url).href;

interface Parent {
  readonly child: ChildProcess;
  readonly ports: readonly number[];
  readonly root: string;
}

/** A process that starts two servers, pauses one, and then does what `ending` says. */
async function parentThat(ending: string): Promise<Parent> {
  const script = `
    import { RedisFleet } from ${JSON.stringify(TESTING)};
    import { cleanupRoot } from ${JSON.stringify(CLEANUP)};
    const fleet = await RedisFleet.start({ nodes: 2 });
    await fleet.nodes[1].pause();
    const ports = fleet.nodes.map((node) => node.port);
    process.stdout.write(JSON.stringify({ ports, root: cleanupRoot() }) + "\\n");
    ${ending}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await until(() => text.endsWith("\n"));
  const report: { ports: number[]; root: string } = JSON.parse(text);
  return { child, ...report };
}

async function expectNothingLeft(parent: Parent): Promise<void> {
  for (const port of parent.ports) await until(async () => !(await accepts(port)), 2000);
  await until(() => !existsSync(parent.root));
}

describe("the servers of a process", () => {
  it("end when it is killed with SIGKILL", async () => {
    const parent = await parentThat("setInterval(() => {}, 1000);");
    expect(await accepts(parent.ports[0] ?? 0)).to.equal(true);
    parent.child.kill("SIGKILL");
    await expectNothingLeft(parent);
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`end with ${signal}, which keeps its effect`, async () => {
      const parent = await parentThat("setInterval(() => {}, 1000);");
      const exit = once(parent.child, "exit");
      parent.child.kill(signal);
      expect(await exit).to.deep.equal([null, signal]);
      await expectNothingLeft(parent);
    });
  }

  it("end when it throws", async () => {
    const parent = await parentThat("setTimeout(() => { throw new Error('crash'); }, 10);");
    await expectNothingLeft(parent);
  });

  it("do not keep it from ending", async () => {
    const parent = await parentThat("");
    if (parent.child.exitCode === null) await once(parent.child, "exit");
    expect(parent.child.exitCode).to.equal(0);
    await expectNothingLeft(parent);
  });
});
