import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { helpOf } from "../../src/api/help.js";
import { anchorsOf } from "./markdown.js";
import { root } from "./project.js";

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const page = read("docs/operate/troubleshooting.md");

/** A code with a section or a row of its own, and the anchor of the row. */
const ENTRY = /^(?:### (QUORATE_\w+)|\| <a id="quorate_\w+"><\/a>`(QUORATE_\w+)` \|.*)$/gm;

/** Texts in quotes of a union of a source file, from its first line to the first line that ends it. */
function unionIn(file: string, begin: string): string[] {
  const source = read(file);
  const from = source.indexOf(begin);
  expect(from, `${begin} in ${file}`).to.be.above(-1);
  const union = source.slice(from + begin.length, source.indexOf(";", from));
  return [...union.matchAll(/"(\w+)"/g)].map(([, text = ""]) => text);
}

/** First cells of a table below a heading. */
function firstCells(heading: string): string[] {
  const section = page.split(/^#+ +/m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const cells = [...section.matchAll(/^\| (?:<a id="\w+"><\/a>)?`?([\w ]+?)`? +\|/gm)].map(
    ([, cell = ""]) => cell,
  );
  return cells.slice(1);
}

describe("docs/operate/troubleshooting.md", () => {
  const errors = unionIn("src/api/errors.ts", "export type QuorateErrorCode =");
  const warnings = unionIn("src/api/events.ts", "readonly code:");
  const anchors = anchorsOf(join(root, "docs/operate/troubleshooting.md"));
  const ofTests = unionIn("src/testing/unavailable-error.ts", "export type UnavailableCode =");

  it("has an entry for every code of an error and of a warning, and for no other", () => {
    expect(errors).to.have.length.above(10);
    expect(warnings).to.have.length.above(3);
    const sections = [...page.matchAll(ENTRY)].map(([, section, row]) => section ?? row ?? "");
    const all = [...errors, ...warnings, ...ofTests, "QUORATE_TELEMETRY_GROUP"];
    expect(sections.toSorted()).to.deep.equal(all.toSorted());
  });

  it("has an entry for every code that is given where it is used", () => {
    const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
    const codes = files
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [...read(join("src", file)).matchAll(/\bcode: "(QUORATE_\w+)"/g)])
      .map(([, code = ""]) => code);
    expect(codes).to.include("QUORATE_TELEMETRY_GROUP");
    for (const code of codes) expect(anchors).to.include(code.toLowerCase());
  });

  it("is where the help of each code leads", () => {
    for (const code of [...errors, ...warnings]) {
      const [file, anchor] = helpOf(code).split("#");
      expect(file).to.equal("docs/operate/troubleshooting.md");
      expect(anchors).to.include(anchor);
    }
  });

  it("has a row for every state of a node", () => {
    const states = unionIn("src/channel/channel-state.ts", "export type ChannelState =");
    expect(states).to.have.length.above(5);
    expect(firstCells("States of a node").toSorted()).to.deep.equal(states.toSorted());
    for (const state of states) expect(anchors).to.include(state);
  });

  it("explains every reason of a loss", () => {
    const reasons = unionIn("src/coordinator/loss.ts", "export type LossReason =");
    const all = [...reasons, "released", "handedOver"];
    expect(firstCells("QUORATE_LOST").toSorted()).to.deep.equal(all.toSorted());
  });

  it("explains every word of a tally", () => {
    const source = read("src/api/tally.ts");
    const from = source.indexOf("const FAULT_TEXT");
    const texts = source.slice(from, source.indexOf("};", from));
    const words = [...texts.matchAll(/: "([\w ]+)"/g)].map(([, word = ""]) => word);
    const all = [...words, "granted", "refused", "not waited for"];
    expect(firstCells("Words in a tally").toSorted()).to.deep.equal(all.toSorted());
  });
});
