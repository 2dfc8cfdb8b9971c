import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { RedisFleet } from "../../src/testing/index.js";
import { allHold, noLockKeys } from "../support/nodes.js";
import { eventually } from "../support/settle.js";

const FILE = fileURLToPath(new URL("../../examples/http-server.js", import.meta.url));

describe("the example of an HTTP server", function () {
  this.timeout(30_000);
  let fleet: RedisFleet;
  let child: ChildProcess | undefined;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  after(async () => {
    child?.kill("SIGKILL");
    await fleet.stop();
  });

  it("on SIGTERM answers the requests under way, takes no more, releases, and ends", async () => {
    const program = readFileSync(FILE, "utf8").replaceAll(
      /redis:\/\/127\.0\.0\.1:700(\d)/g,
      (_, index: string) => fleet.urls[Number(index) - 1] ?? "",
    );
    child = spawn(process.execPath, ["--input-type=module"], {
      cwd: fileURLToPath(new URL(".", `file://${FILE}`)),
      env: { ...process.env, PORT: "0" },
    });
    child.stdin?.end(program);
    let output = "";
    child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await eventually("it listens", () => /port: (\d+)/.test(output));
    const url = `http://127.0.0.1:${/port: (\d+)/.exec(output)?.[1]}`;
    const ended = once(child, "close");
    const answers = [1, 2, 2].map((order) => fetch(`${url}/${order}`));
    await allHold(fleet.nodes, "order:/1");
    await allHold(fleet.nodes, "order:/2");
    child.kill("SIGTERM");
    const refused = async (): Promise<boolean> => {
      return await fetch(`${url}/3`).then(
        () => false,
        () => true,
      );
    };
    await eventually("takes no more", refused);
    for (const answer of await Promise.all(answers)) {
      // The second for the same order had to wait for a lock that was acquired after the signal.
      expect([answer.status, await answer.text()]).to.deep.equal([200, "paid\n"]);
    }
    expect(await ended).to.deep.equal([null, "SIGTERM"]);
    await noLockKeys(fleet.nodes);
    expect(output).to.match(/^listening .*\n$/);
  });
});
