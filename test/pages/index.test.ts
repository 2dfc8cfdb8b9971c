import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { fillMarks, reference } from "../../pages/index.js";
import { marksOf } from "../../pages/marks.js";
import { fencesOf } from "../docs/markdown.js";
import { pages, root } from "../docs/project.js";

const textOf = (page: string): string => readFileSync(join(root, page), "utf8");
const codeOf = (page: string): string =>
  fencesOf(join(root, page))
    .filter(({ language }) => language === "ts")
    .map((fence) => fence.code)
    .join("\n");

/** First cells below the head, which are code or a link of it. */
const namesIn = (table: string): string[] =>
  [...table.matchAll(/^\| \[?`([^`]+)`/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "code");

describe("the reference", () => {
  const made = reference();
  const tableIn = (page: string, name: string): string => made[page]?.[name] ?? "";

  for (const [page, texts] of Object.entries(made)) {
    it(`is that of the sources in ${page}: \`npm run reference\` would change nothing`, () => {
      expect(fillMarks(textOf(page), texts)).to.equal(textOf(page));
    });
  }

  it("has no table that would not be written", () => {
    for (const page of pages) {
      const marks = marksOf(textOf(page)).filter((name) => !/^(?:bench|chaos):/.test(name));
      expect(marks, page).to.have.members(Object.keys(made[page] ?? {}));
    }
  });

  it("has marks that Markdown leaves alone: at the start of a line, they are alone there", () => {
    for (const page of pages) {
      const begun = textOf(page).match(/^<!-- [\w:.-]+ -->.*$/gm) ?? [];
      for (const line of begun) expect(line, page).to.match(/^<!-- [\w:.-]+ -->$/);
    }
  });

  it("shows an example of each option, event and entry", () => {
    const api = codeOf("docs/reference/api.md");
    for (const part of ["everyday", "more", "manager"]) {
      const names = namesIn(tableIn("docs/reference/api.md", `options:${part}`));
      expect(names.length).to.be.above(5);
      for (const name of names) expect(api, name).to.match(new RegExp(`\\b${name}\\b`));
    }
    const entries = tableIn("docs/reference/api.md", "entries");
    const manual = pages.map(codeOf).join("\n");
    for (const [, entry] of entries.matchAll(/^\| `([^`]+)`: \[/gm)) {
      expect(manual).to.include(`from "${entry}"`);
    }
    const events = namesIn(tableIn("docs/reference/events.md", "events"));
    expect(events).to.have.length(4);
    const listeners = codeOf("docs/reference/events.md");
    for (const name of events) expect(listeners).to.include(`locks.on("${name}"`);
  });

  it("leaves nothing out", () => {
    const errors = namesIn(tableIn("docs/reference/errors.md", "errors"));
    expect(errors).to.have.length(18);
    expect(tableIn("docs/reference/errors.md", "errors:fields")).to.match(/[|>] ?`freeInMs`: /);
  });
});
