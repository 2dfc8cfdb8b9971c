import { Ajv } from "ajv";
import { expect } from "chai";
import { COMMANDS } from "../../src/cli/commands.js";
import { SCHEMAS } from "../../src/cli/schemas.js";
import { callCli } from "../support/cli.js";

describe("quorate schema", () => {
  for (const name of Object.keys(SCHEMAS)) {
    it(`prints that of ${name}, which needs no other`, async () => {
      const { code, stdout } = await callCli(["schema", name]);
      expect(code).to.equal(0);
      expect(new Ajv({ strict: true }).compile(JSON.parse(stdout))({ unknown: 1 })).to.equal(false);
    });
  }

  it("knows each command that prints JSON", () => {
    // exec and elect print what their command prints; their own lines are status and observe.
    const silent = ["exec", "elect", "schema", "completion"];
    const names = COMMANDS.map(({ name }) => name).filter((name) => !silent.includes(name));
    expect(Object.keys(SCHEMAS)).to.have.members([...names, "error", "status", "observe"]);
  });

  it("says which there are", async () => {
    const { code, stderr } = await callCli(["schema", "lss"]);
    expect(code).to.equal(64);
    expect(stderr).to.include('got "lss": did you mean ls?');
  });
});
