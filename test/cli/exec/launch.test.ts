import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { launch } from "../../../src/cli/exec/launch.js";
import type { Ending } from "../../../src/cli/exec/ending.js";

/** How a shell with that script ends. */
async function endingOf(script: string): Promise<Ending> {
  const options = { env: process.env, detached: true, stdio: ["ignore" as const, 1, 2] };
  const { pid, ended } = await launch("sh", ["-c", script], options);
  expect(pid).to.be.above(0);
  return await ended;
}

describe("A process that was launched", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  for (const code of [0, 1, 127, 255]) {
    it(`ends with its exit code: ${code}`, async () => {
      expect(await endingOf(`exit ${code}`)).to.deep.equal({ kind: "exit", code });
    });
  }

  for (const signal of ["SIGTERM", "SIGKILL", "SIGHUP"] as const) {
    it(`ends by its signal: ${signal}`, async () => {
      const script = `kill -s ${signal.slice(3)} $$`;
      expect(await endingOf(script)).to.deep.equal({ kind: "signal", signal });
    });
  }

  for (const number of [34, 40, 64]) {
    it(`has the exit code of a shell after signal ${number}, which has no name`, async function () {
      // Elsewhere, there are none, or they cannot be told from a success.
      if (process.platform !== "linux") this.skip();
      const ending = await endingOf(`kill -${number} $$`);
      expect(ending).to.deep.equal({ kind: "exit", code: 128 + number });
    });
  }

  it("ends also if it has ended before anybody looks", async () => {
    const endings = await Promise.all(Array.from({ length: 8 }, (_, at) => endingOf(`exit ${at}`)));
    expect(endings.map((each) => each.kind === "exit" && each.code)).to.deep.equal([
      ...[0, 1, 2, 3, 4, 5, 6, 7],
    ]);
  });

  it("starts where the working directory was removed", async () => {
    const before = process.cwd();
    const dir = mkdtempSync(join(tmpdir(), "quorate-gone-"));
    process.chdir(dir);
    try {
      rmSync(dir, { recursive: true });
      const { ended } = await launch("false", [], { env: process.env, detached: true, stdio: [] });
      expect(await ended).to.deep.equal({ kind: "exit", code: 1 });
    } finally {
      process.chdir(before);
    }
  });

  it("fails with the error of the system where there is none", async () => {
    const options = { env: {}, detached: false, stdio: [] };
    await launch("/nowhere/at/all", [], options).then(
      () => expect.fail("it was started"),
      (error: NodeJS.ErrnoException) => expect(error.code).to.equal("ENOENT"),
    );
  });
});
