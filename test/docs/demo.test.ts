import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const DEMO = fileURLToPath(new URL("../../examples/demo/main.js", import.meta.url));

describe("the demo", () => {
  it("sees everything that it shows", async function () {
    this.timeout(300_000);
    // The lock is not to be lost because a machine stands still for a moment.
    const env = { ...process.env, CI: "true", QUORATE_DEMO_TTL_MS: "6000" };
    const demo = spawn(process.execPath, [DEMO], { env, stdio: ["ignore", "pipe", "pipe"] });
    const code = new Promise<number | null>((resolve) => demo.once("close", resolve));
    const [out, err] = await Promise.all([text(demo.stdout), text(demo.stderr)]);
    expect({ code: await code, err }).to.deep.equal({ code: 0, err: "" });
    expect(out).to.match(/\n(?:ok {2}.+\n){5,}\nEverything was seen\.\n$/);
  });
});
