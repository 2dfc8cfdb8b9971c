import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { RedisFleet } from "../../src/testing/index.js";
import { allHold, noLockKeys } from "../support/nodes.js";
import { eventually } from "../support/settle.js";
import { accepts } from "../testing/raw-client.js";

const FILE = fileURLToPath(new URL("../../examples/http-server.js", import.meta.url));

describe("the example of an HTTP server", () => {
  let fleet: RedisFleet;
  let child: ChildProcess | undefined;
  let dir: string;

  before(async () => {
    dir = mkdtempSync(join(tmpdir(), "quorate-service-"));
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  after(async () => {
    child?.kill("SIGKILL");
    await fleet.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The example, but a payment takes until there is the file, and those who wait for it have time. */
  function programOf(paidFile: string): string {
    const changes: readonly (readonly [shown: RegExp, run: string])[] = [
      [
        /await sleep\(500, undefined, \{ signal \}\);/,
        `const { existsSync } = await import("node:fs");
         while (!existsSync(${JSON.stringify(paidFile)})) await sleep(10, undefined, { signal });`,
      ],
      [/waitMs: 2_000/, "waitMs: 60_000"],
    ];
    const shown = readFileSync(FILE, "utf8").replaceAll(
      /redis:\/\/127\.0\.0\.1:700(\d)/g,
      (_, index: string) => fleet.urls[Number(index) - 1] ?? "",
    );
    return changes.reduce((program, [part, run]) => {
      expect(program).to.match(part);
      return program.replace(part, run);
    }, shown);
  }

  it("on SIGTERM answers the requests under way, takes no more, releases, and ends", async () => {
    const paidFile = join(dir, "paid");
    child = spawn(process.execPath, ["--input-type=module"], {
      cwd: fileURLToPath(new URL(".", `file://${FILE}`)),
      env: { ...process.env, PORT: "0" },
    });
    child.stdin?.end(programOf(paidFile));
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await eventually("it listens", () => /port: (\d+)/.test(output));
    const port = Number(/port: (\d+)/.exec(output)?.[1]);
    const ended = once(child, "close");
    const answers = [1, 2, 2].map((order) => fetch(`http://127.0.0.1:${port}/${order}`));
    await allHold(fleet.nodes, "order:/1");
    await allHold(fleet.nodes, "order:/2");
    child.kill("SIGTERM");
    await eventually("takes no more", async () => !(await accepts(port)));
    writeFileSync(paidFile, "");
    for (const answer of await Promise.all(answers)) {
      // The second for the same order had to wait for a lock that was acquired after the signal.
      expect([answer.status, await answer.text()]).to.deep.equal([200, "paid\n"]);
    }
    expect(await ended).to.deep.equal([null, "SIGTERM"]);
    await noLockKeys(fleet.nodes);
    expect(output).to.match(/^listening .*\n$/);
  });
});
