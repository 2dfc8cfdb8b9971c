import { expect } from "chai";
import { GLOBAL_OPTIONS } from "../../src/cli/command.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { OPTION_NAMES } from "../../src/cli/connect.js";
import { callCli } from "../support/cli.js";

describe("The commands of quorate", () => {
  it("are in the help, with their lines", async () => {
    const { stdout, code } = await callCli(["--help"]);
    expect(code).to.equal(0);
    for (const { name, summary } of COMMANDS) {
      expect(stdout).to.match(new RegExp(`^  ${name} +${summary}$`, "m"));
    }
  });

  it("print a version", async () => {
    expect((await callCli(["--version"])).stdout).to.match(/^\d+\.\d+\.\d+\n$/);
  });

  it("are all that messages of the library are translated to", () => {
    const names = [GLOBAL_OPTIONS, ...COMMANDS.map(({ options }) => options)].flatMap((each) =>
      Object.keys(each),
    );
    const known = ["NAME", "NAME...", ...names.map((name) => `--${name}`)];
    expect(known).to.include.members(Object.values(OPTION_NAMES));
  });

  for (const command of COMMANDS) {
    it(`have options that no other option hides: ${command.name}`, () => {
      const all = [...Object.entries(command.options), ...Object.entries(GLOBAL_OPTIONS)];
      const names = all.map(([name]) => name);
      const letters = all.flatMap(([, { short = [] }]) => short);
      expect(names).to.have.length(new Set(names).size);
      expect(letters).to.have.length(new Set(letters).size);
      for (const [, { help }] of all) expect(help).to.match(/^[^A-Z].*[^.]$/);
    });

    it(`have help of lines that fit: ${command.name}`, async () => {
      const { stdout, code } = await callCli([command.name, "-h"]);
      expect(code).to.equal(0);
      for (const line of stdout.split("\n")) expect(line.length, line).to.be.at.most(110);
    });
  }
});
