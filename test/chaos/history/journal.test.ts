import { expect } from "chai";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal, readJournals } from "../../../chaos/history/journal.js";
import type { ChaosRecord } from "../../../chaos/history/records.js";

describe("the journals of a campaign", () => {
  let dir = "";
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), "quorate-journal-"))));
  afterEach(() => rmSync(dir, { recursive: true }));
  const at = (atUs: number): ChaosRecord => ({ kind: "phase", atUs, what: "heal" });
  const written = (name: string, atsUs: readonly number[]): string => {
    const path = join(dir, name);
    const journal = new Journal(path);
    for (const atUs of atsUs) journal.write(at(atUs));
    journal.close();
    return path;
  };

  it("are read as one history, in order of time", () => {
    const paths = [written("a", [1, 5, 5]), written("b", [0, 3])];
    expect(readJournals(paths)).to.deep.equal([0, 1, 3, 5, 5].map(at));
  });

  it("lose the line that a killed process was writing, and no other", () => {
    const path = written("a", [1, 2]);
    writeFileSync(path, readFileSync(path, "utf8") + '{"kind":"pha');
    expect(readJournals([path])).to.deep.equal([at(1), at(2)]);
  });

  it("drop what comes after their end, also where another file has their number by then", () => {
    const journal = new Journal(join(dir, "a"));
    journal.write(at(1));
    journal.close();
    const other = new Journal(join(dir, "b"));
    journal.write(at(2));
    journal.close();
    other.write(at(3));
    other.close();
    expect(readJournals([join(dir, "a"), join(dir, "b")])).to.deep.equal([at(1), at(3)]);
  });
});
