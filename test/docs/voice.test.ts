import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { BANNED } from "./banned-words.js";
import { pages, root } from "./project.js";

/** Files whose documentation comments users read in their editor and on the page of options. */
const DOCUMENTED = [
  ...["lock-manager", "close-on-signals"].map((name) => `src/manager/${name}.ts`),
  ...filesIn("src/api"),
];

describe("the words that are used", () => {
  for (const page of pages)
    it(`are plain English in ${page}`, () => expectPlain(proseOf(read(page))));

  for (const file of DOCUMENTED) {
    it(`are plain English in the documentation of ${file}`, () =>
      expectPlain(commentsOf(read(file))));
  }

  it("are plain English in messages and in help", () => {
    for (const file of filesIn("src")) expectPlain(messagesOf(read(file)), file);
  });

  it("would be found", () => {
    expect(() => expectPlain(proseOf("A node.\n\nWaits for ever."))).to.throw("line 3: for ever");
    expect(() => expectPlain(commentsOf("/** Who waits. */"))).to.throw("Who waits");
    expect(() => expectPlain(messagesOf('fail("it is to be had");'))).to.throw("to be had");
    expectPlain(proseOf("`for ever`\n\n```js\n// for ever\n```\n"));
    expectPlain(commentsOf('fail("it is to be had");'));
  });
});

function expectPlain(text: string, file = "line"): void {
  const found = text.split("\n").flatMap((line, at) =>
    BANNED.flatMap(([banned, better]) => {
      const [words] = banned.exec(line) ?? [];
      return words === undefined ? [] : `${file} ${at + 1}: ${words} (better: ${better})`;
    }),
  );
  expect(found, found.join("\n")).to.deep.equal([]);
}

/** Of Markdown, without what is code; of the changelog only what has not been released. */
function proseOf(markdown: string): string {
  return blank(markdown, /^```[^]*?^```|`[^`\n]*`|^## \d[^]*/gm);
}

function commentsOf(source: string): string {
  return keep(source, /\/\*\*[^]*?\*\//g);
}

/** What is written in quotes and has several words. */
function messagesOf(source: string): string {
  const code = blank(source, /\/\*\*?[^]*?\*\/|^\s*\/\/.*$/gm);
  return keep(code, /"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)* (?:[^`\\]|\\.)*`/g);
}

/** With lines where they were. */
function blank(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (part) => part.replaceAll(/[^\n]/g, " "));
}

function keep(text: string, pattern: RegExp): string {
  let [kept, end] = ["", 0];
  for (const { 0: part, index } of text.matchAll(pattern)) {
    kept += blank(text.slice(end, index), /[^]/g) + part;
    end = index + part.length;
  }
  return kept;
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith("embedded-lua.ts"))
    .map((name) => join(folder, name));
}

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
