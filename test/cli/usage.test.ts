import { expect } from "chai";
import * as fc from "fast-check";
import { GLOBAL_OPTIONS, type Command, type Option } from "../../src/cli/command.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { usageOf, usageOfAll } from "../../src/cli/usage.js";

/** Where the texts of options begin. */
const TEXT_COLUMN = 30;
const LINE_WIDTH = 100;

const NOTHING = { read: () => undefined };

function commandWith(over: Partial<Command>): Command {
  return {
    ...{ name: "own", summary: "Does it", synopsis: "NAME" },
    words: { min: 1, max: 1, title: "NAME" },
    ...{ options: {}, examples: ["quorate own a"], run: () => Promise.resolve(0) },
    ...over,
  };
}

/** The lines of help between the one with the title and the next empty one. */
function section(usage: string, title: string): string[] {
  const lines = usage.split("\n");
  const from = lines.indexOf(title) + 1;
  expect(from, `${title} in ${usage}`).to.be.above(0);
  const end = lines.indexOf("", from);
  return lines.slice(from, end === -1 ? undefined : end);
}

function linesOf(options: Record<string, Omit<Option<unknown>, "read">>): string[] {
  const all = Object.entries(options).map(([name, option]) => [name, { ...NOTHING, ...option }]);
  const command = commandWith({ options: Object.fromEntries(all) as Command["options"] });
  return section(usageOf(command), "Options:");
}

describe("The help of a command", () => {
  it("has its parts in order, each after an empty line", () => {
    const usage = usageOf(
      commandWith({
        options: { fast: { ...NOTHING, short: "f", help: "no pauses" } },
        notes: "\nA note.\nIts end.\n",
        examples: ["quorate own a", "quorate own b"],
      }),
    );
    expect(usage.replace(/(?<=every command:\n)(?: .*\n)+/, "...\n")).to.equal(
      `Usage: quorate own NAME

Does it.

Options:
  -f, --fast                  no pauses

Options of every command:
...

A note.
Its end.

Examples:
  quorate own a
  quorate own b`,
    );
  });

  it("leaves out what a command does not have", () => {
    const usage = usageOf(commandWith({ synopsis: "" }));
    expect(usage.split("\n")[0]).to.equal("Usage: quorate own");
    expect(usage).to.not.match(/^Options:$/m);
    expect(usage).to.not.match(/\n\n\n/);
    expect(section(usage, "Example:")).to.deep.equal(["  quorate own a"]);
  });

  it("has the options of every command, as the help of all has them", () => {
    const title = "Options of every command:";
    const ofAll = section(usageOfAll(COMMANDS), title);
    for (const name of Object.keys(GLOBAL_OPTIONS)) {
      expect(ofAll.filter((line) => line.includes(`--${name} `))).to.have.length(1);
    }
    for (const command of COMMANDS) {
      expect(section(usageOf(command), title), command.name).to.deep.equal(ofAll);
    }
  });
});

describe("The lines of an option", () => {
  it("show letter, name and value, in columns", () => {
    expect(
      linesOf({
        fast: { short: "f", help: "no pauses" },
        wait: { value: "D", help: "how long" },
        label: { short: "l", value: "TEXT", help: "for others" },
      }),
    ).to.deep.equal([
      "  -f, --fast                  no pauses",
      "      --wait D                how long",
      "  -l, --label TEXT            for others",
    ]);
  });

  it("begin the text in the next one where the name leaves no room for it", () => {
    const fits = "x".repeat(20);
    expect(linesOf({ [fits]: { help: "first" } })).to.deep.equal([`      --${fits}  first`]);
    expect(linesOf({ [`${fits}y`]: { help: "next" } })).to.deep.equal([
      `      --${fits}y`,
      `${" ".repeat(TEXT_COLUMN)}next`,
    ]);
  });

  it("have all words of the text in order, and no more than fit, unless one is too long by itself", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "é", "-"), minLength: 1, maxLength: 80 });
    const words = fc.array(word, { minLength: 1, maxLength: 40 });
    const name = fc.integer({ min: 1, max: 40 }).map((length) => "n".repeat(length));
    fc.assert(
      fc.property(words, name, (texts, long) => {
        const head = `      --${long}`;
        const lines = linesOf({ [long]: { help: texts.join(" ") } });
        expect(lines[0]?.startsWith(head)).to.equal(true);
        const shown = lines
          .map((line, index) => (index === 0 ? line.slice(head.length).trim() : line))
          .filter((line) => line !== "");
        const rows = shown.map((line) => line.trim().split(" "));
        expect(rows.flat()).to.deep.equal(texts);
        const widths = rows.map((row) => row.join(" ").length);
        const width = LINE_WIDTH - TEXT_COLUMN;
        rows.forEach((row, index) => {
          if (row.length > 1) expect(widths[index]).to.be.at.most(width);
          // The first word of the next one had no room.
          const [next] = rows[index + 1] ?? [];
          if (next !== undefined) {
            expect((widths[index] ?? 0) + 1 + next.length).to.be.above(width);
          }
        });
        for (const line of lines.slice(1)) {
          expect(line.search(/\S/)).to.equal(TEXT_COLUMN);
        }
      }),
    );
  });
});

describe("The help of all commands", () => {
  it("lists them in their order, with what they do in one column", () => {
    const [short, long] = [commandWith({ name: "a" }), commandWith({ name: "longer" })];
    expect(section(usageOfAll([short, long]), "Commands:")).to.deep.equal([
      "  a       Does it",
      "  longer  Does it",
    ]);
    const names = section(usageOfAll(COMMANDS), "Commands:").map((line) => line.split(/ +/)[1]);
    expect(names).to.deep.equal(COMMANDS.map(({ name }) => name));
  });
});
