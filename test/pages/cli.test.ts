import { expect } from "chai";
import { cliTables } from "../../pages/cli.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { EXIT } from "../../src/cli/exit-codes.js";

const tables = cliTables();
const rowsOf = (name: string): string[] => (tables[name] ?? "").split("\n").slice(2);

describe("the tables of the command line", () => {
  for (const { name, options } of COMMANDS) {
    it(`have the options of ${name}`, () => {
      const isLocking = name === "exec" || name === "elect";
      const text = isLocking
        ? (tables[`cli:${name}`] ?? "")
        : rowsOf("cli")
            .filter((row) => row.startsWith(`| [\`${name}\`]`))
            .join("\n");
      for (const option of Object.keys(options)) {
        expect(text).to.match(new RegExp(`\`--${option}[ \`]`));
      }
    });
  }

  it("take the default out of the help", () => {
    expect(rowsOf("cli:exec")).to.include(
      "| `--grace D` | a third of `--ttl` | time between the signal and SIGKILL when the lock is lost |",
    );
  });

  it("have every exit code, and an example of every command", () => {
    const codes = rowsOf("cli:exit").map((row) => Number(row.split(" | ")[0]?.slice(2)));
    expect(codes).to.deep.equal(Object.values(EXIT));
    for (const row of rowsOf("cli")) expect(row).to.match(/ \| `.*quorate .+` \|$/);
  });
});
