import { expect } from "chai";
import { existsSync } from "node:fs";
import { runCli } from "../support/cli.js";

/** Runs `quorate WORD` in a shell that does something with its output. */
function run(word: string, shell: string) {
  return runCli([word], { before: ["bash", "-o", "pipefail", "-c", shell] });
}

describe("The program quorate", () => {
  it("ends well where its reader has seen enough", async () => {
    expect(await run("--help", `"$0" "$@" | true`)).to.include({ code: 0, stderr: "" });
  });

  it("says so where its output cannot be written", async function () {
    if (!existsSync("/dev/full")) this.skip();
    const { code, stderr } = await run("--help", `"$0" "$@" > /dev/full`);
    expect(stderr).to.equal(
      "quorate: cannot write the output: ENOSPC: no space left on device, write\n",
    );
    expect(code).to.equal(74);
  });

  for (const shell of [`"$0" "$@" | true`, `"$0" "$@" > /dev/full`, `"$0" "$@" >&-`]) {
    it(`keeps its exit code where it prints nothing: ${shell}`, async function () {
      if (shell.includes("/dev/full") && !existsSync("/dev/full")) this.skip();
      expect(await run("nonsense", shell)).to.include({ code: 64 });
    });
  }
});
