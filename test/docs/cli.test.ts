import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { GLOBAL_OPTIONS, type Options } from "../../src/cli/command.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { EXIT } from "../../src/cli/exit-codes.js";
import { root } from "./project.js";

const page = readFileSync(join(root, "docs", "reference", "cli.md"), "utf8");

function sectionOf(heading: string): string {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`no section ${heading}`);
  return section;
}

/** The rows of tables whose first cell has options: their names, and the second cell. */
function optionRows(section: string): { names: string[]; cell: string }[] {
  return [...section.matchAll(/^\| (`-.*?) \| (.*?) \|/gm)].map(([, first = "", cell = ""]) => ({
    names: [...first.matchAll(/--([a-z-]+)/g)].map(([, name = ""]) => name),
    cell,
  }));
}

function expectOptions(section: string, options: Options): void {
  const names = Object.keys(options);
  for (const name of names) expect(section).to.match(new RegExp(`\`[^\`\n]*--${name}\\b`));
  expect(names).to.include.members(optionRows(section).flatMap((row) => row.names));
}

describe("docs/reference/cli.md", () => {
  it("has the options of every command", () => {
    expectOptions(sectionOf("Nodes and options"), GLOBAL_OPTIONS);
  });

  for (const { name, options } of COMMANDS) {
    it(`has the options of ${name}, and no others`, () => expectOptions(sectionOf(name), options));

    it(`gives the options of ${name} the defaults of its help`, () => {
      for (const { names, cell } of optionRows(sectionOf(name))) {
        const [option = ""] = names;
        const { help = "" } = options[option] ?? {};
        const [, inHelp] = /\[(.+?)(?:: [^\]]*)?\]$/.exec(help) ?? [];
        // Where there is no default, the table has none, or has no column for them.
        if (inHelp !== undefined) expect(cell.replaceAll("`", ""), option).to.equal(inHelp);
      }
    });
  }

  it("lists every finding of the doctor, and no other", () => {
    const folder = join(root, "src", "cli", "doctor");
    const files = ["node-checks.ts", "fleet-checks.ts"].map((name) => join(folder, name));
    const text = files.map((file) => readFileSync(file, "utf8")).join("");
    const rows = [...sectionOf("doctor").matchAll(/^\| (`.*?`) \| (error|warning|note)/gm)];
    const listed = rows.flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(", "));
    expect(listed).to.have.length.above(30);
    for (const code of listed) expect(text, code).to.include(`"${code}"`);
    const found = text.matchAll(/(?:"(?:error|warning|note)",\s*|code: )"([a-z-]+)"/g);
    expect(listed).to.include.members([...found].map(([, code]) => code));
  });

  it("lists every exit code", () => {
    const codes = [...sectionOf("Exit codes").matchAll(/^\| ([\d, ]+) \|/gm)];
    const listed = codes.flatMap(([, cell = ""]) => cell.split(", ").map(Number));
    expect(listed).to.have.members(Object.values(EXIT));
  });
});
