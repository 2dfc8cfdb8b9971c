import { expect } from "chai";
import { defineCommand } from "../../src/cli/command.js";
import { ConfigError, ExitError, UsageError } from "../../src/cli/exit-codes.js";
import { callCli } from "../support/cli.js";

/** A command that fails with that. */
function failing(error: unknown) {
  return defineCommand({
    ...{ name: "try", summary: "Fail", synopsis: "", options: {}, examples: [] },
    words: { min: 0, max: 0, title: "no arguments" },
    run: async () => {
      throw error;
    },
  });
}

const ofLibrary = (code: string): Error => Object.assign(new Error("of the library"), { code });

const ERRORS: readonly (readonly [what: string, error: Error, exitCode: number, code?: string])[] =
  [
    ["a wrong command line", new UsageError("wrong"), 64],
    ["a wrong file", new ConfigError("wrong"), 78],
    ["an exit code of its own", new ExitError("held", 75), 75],
    ["that of the caller", new ExitError("held", 3), 3],
    ["no quorum", ofLibrary("QUORATE_UNREACHABLE"), 69, "QUORATE_UNREACHABLE"],
    ["a loss", ofLibrary("QUORATE_LOST"), 76, "QUORATE_LOST"],
    ["a wrong node", ofLibrary("QUORATE_MISCONFIGURED"), 78, "QUORATE_MISCONFIGURED"],
  ];

describe("A command that fails", () => {
  for (const [what, error, exitCode, code] of ERRORS) {
    it(`says why, and exits ${exitCode} for ${what}, whether --quiet or not`, async () => {
      const hint = exitCode === 64 ? "quorate: try: quorate try --help\n" : "";
      const text = `quorate: ${error.message}\n`;
      const loud = await callCli(["try"], {}, [failing(error)]);
      expect(loud).to.deep.equal({ code: exitCode, stdout: "", stderr: text + hint });
      const quiet = await callCli(["try", "-q"], {}, [failing(error)]);
      expect(quiet).to.deep.equal({ code: exitCode, stdout: "", stderr: text });
    });

    it(`says why as JSON, with the code of the error: ${what}`, async () => {
      const { message } = error;
      const about = { exitCode, ...(code !== undefined && { code }), message };
      for (const args of [
        ["try", "--json"],
        ["--json", "try"],
        ["try", "--json", "-q"],
      ]) {
        const { stderr } = await callCli(args, {}, [failing(error)]);
        expect(stderr, args.join(" ")).to.equal(`${JSON.stringify({ error: about })}\n`);
      }
    });
  }

  it("says nothing with --quiet where its caller has said that it is no error", async () => {
    const command = failing(new ExitError("held", 0));
    expect((await callCli(["try"], {}, [command])).stderr).to.equal("quorate: held\n");
    const quiet = { code: 0, stdout: "", stderr: "" };
    expect(await callCli(["try", "-q"], {}, [command])).to.deep.equal(quiet);
    expect(await callCli(["try", "-q", "--json"], {}, [command])).to.deep.equal(quiet);
  });

  it("calls anything else a bug, with the place in the code", async () => {
    for (const error of [new TypeError("of nobody"), "a text", undefined]) {
      const { code, stderr } = await callCli(["try", "-q"], {}, [failing(error)]);
      expect(code).to.equal(70);
      expect(stderr).to.match(/^quorate: this is a bug in quorate: /);
      if (error instanceof Error) expect(stderr).to.match(/main\.test\.[jt]s/);
    }
  });
});
