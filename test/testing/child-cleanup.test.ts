import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect } from "chai";
import { parentThat } from "./parent-process.js";
import type { Parent } from "./parent-process.js";
import { accepts, until } from "./raw-client.js";

const CLEANUP = new URL("../../src/testing/child-cleanup.js", import.meta.url).href;

/** A process that reports where its servers keep their files. */
function started(ending: string): Promise<Parent<string>> {
  const imports = `import { cleanupRoot } from ${JSON.stringify(CLEANUP)};`;
  return parentThat({ provider: "process", imports, report: "cleanupRoot()", ending });
}

async function expectNothingLeft(parent: Parent<string>): Promise<void> {
  for (const port of parent.ports) await until(async () => !(await accepts(port)));
  await until(() => !existsSync(parent.report));
}

describe("the servers of a process", () => {
  it("end when it is killed with SIGKILL", async () => {
    const parent = await started("setInterval(() => {}, 1000);");
    expect(await accepts(parent.ports[0] ?? 0)).to.equal(true);
    parent.child.kill("SIGKILL");
    await expectNothingLeft(parent);
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    it(`end with ${signal}, which keeps its effect`, async () => {
      const parent = await started("setInterval(() => {}, 1000);");
      const exit = once(parent.child, "exit");
      parent.child.kill(signal);
      expect(await exit).to.deep.equal([null, signal]);
      await expectNothingLeft(parent);
    });
  }

  it("end when it throws", async () => {
    const parent = await started("setTimeout(() => { throw new Error('crash'); }, 10);");
    await expectNothingLeft(parent);
  });

  it("do not keep it from ending", async () => {
    const parent = await started("");
    if (parent.child.exitCode === null) await once(parent.child, "exit");
    expect(parent.child.exitCode).to.equal(0);
    await expectNothingLeft(parent);
  });
});
