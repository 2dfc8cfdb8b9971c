import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { RedisFleet } from "../../../src/testing/index.js";
import { fencesOf } from "../../docs/markdown.js";
import { root } from "../../docs/project.js";
import { at } from "../../support/nodes.js";

const OURS = new URL("../../../src/integrations/redlock/index.js", import.meta.url).href;
const HERE = fileURLToPath(new URL(".", import.meta.url));

/** The examples as the README of the installed redlock has them. */
const EXAMPLES = fencesOf(join(root, "node_modules", "redlock", "README.md"))
  .filter(({ language }) => language === "ts")
  .map(({ code }) => code)
  .filter((code) => !code.includes("require("));

/**
 * One program of all examples. Only what cannot be as it stands is another: the import, the hosts,
 * and how many clients there are; what the examples leave open (`something`) is filled in.
 */
function program(urls: readonly string[]): string {
  const imports = `import Redlock, { ResourceLockedError } from "${OURS}";`;
  const clients = urls.map((url) => `new Client("${url}", { disconnectTimeout: 100 })`).join(", ");
  const [setUp = "", ...uses] = EXAMPLES;
  const changed = setUp
    .replace('import Redlock from "./redlock";', imports)
    .replaceAll(/const redis[ABC] = .*\n/g, "")
    .replace("[redisA, redisB, redisC]", "clients");
  // The listener first, which stands last there.
  const body = uses
    .toReversed()
    .map((code) => `{\n${code}\n}\n`)
    .join("");
  return `
    ${changed.replace("const redlock", `const clients = [${clients}];\nconst redlock`)}
    for (const client of clients) client.on("error", () => {});
    const [senderId, recipientId] = ["sender", "recipient"];
    const something = async () => console.log("something");
    const somethingElse = async () => console.log("something else");
    ${body}
    for (const client of clients) client.disconnect();
  `;
}

/** Runs it to its end, which it comes to by itself once its clients are closed. */
async function run(urls: readonly string[]): Promise<{ output: string; code: number | null }> {
  const child = spawn(process.execPath, ["--input-type=module"], { cwd: HERE });
  child.stdin.end(program(urls));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { output: stdout + stderr, code };
}

/** Without what it says of a node that was asked again, since it did not answer within a second. */
function patient({ output, code }: { output: string; code: number | null }): object {
  return { output: output.replaceAll(/^Error: \S+: no answer .*\n/gm, ""), code };
}

const BOTH_RAN = "something\nsomething else\n".repeat(2);

describe("the examples of redlock's README", () => {
  it("are those that are known", () => {
    expect(EXAMPLES).to.have.length(4);
    expect(at(EXAMPLES, 1)).to.include("redlock.using([senderId, recipientId], 5000");
    expect(at(EXAMPLES, 2)).to.include("lock = await lock.extend(5000)");
    expect(at(EXAMPLES, 3)).to.include("error instanceof ResourceLockedError");
  });

  it("run on one node, and end", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    expect(patient(await run(fleet.urls))).to.deep.equal({ output: BOTH_RAN, code: 0 });
    expect(await at(fleet.nodes, 0).command("EXISTS", "a", "sender", "recipient")).to.equal(0);
  });

  it("run on five nodes, all there and one killed", async () => {
    await using fleet = await RedisFleet.start({ nodes: 5 });
    expect(patient(await run(fleet.urls))).to.deep.equal({ output: BOTH_RAN, code: 0 });
    await at(fleet.nodes, 2).kill();
    const { output, code } = await run(fleet.urls);
    // Its error listener tells of the node that is missing, and that is all.
    expect(output.replaceAll(/^(?!something).*\n/gm, "")).to.equal(BOTH_RAN);
    expect(output).to.include("Error: 127.0.0.1:");
    expect(code).to.equal(0);
  });
});
