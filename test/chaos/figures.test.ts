import { expect } from "chai";
import type { ChaosRecord } from "../../chaos/history/records.js";
import { figuresOf } from "../../chaos/verdict/figures.js";
import { rowOf, TABLE_HEAD } from "../../chaos/verdict/table.js";
import { verdictOf } from "../../chaos/verdict/verdict.js";
import { sampleHistory } from "./sample-history.js";

const { settings, records } = sampleHistory();

/** An acquire of a name of its own by the client that is cut off from 8 to 9.5 s, without success. */
function failedAcquire(atMs: number): ChaosRecord[] {
  const about = { process: "c0.0", call: 1_000 + atMs };
  const asked = { ...about, atUs: atMs * 1_000, steadyMs: atMs };
  const told = { ...about, atUs: (atMs + 100) * 1_000, steadyMs: atMs + 100 };
  return [
    { kind: "call", ...asked, what: "acquire", name: "own:c0.0", withinMs: 1_000 },
    { kind: "settle", ...told, result: "QUORATE_UNREACHABLE" },
  ];
}

function write(store: "fenced" | "unfenced", base: number): ChaosRecord {
  const about = { process: "c0.0", name: "job:0", ownerId: "a", token: 1, base };
  return { kind: "store", atUs: 1, store, what: "write", ...about };
}

describe("The figures of a campaign", () => {
  it("count the acquires without rivals that found no quorum", () => {
    const { ownCount, availability } = figuresOf(records, settings);
    expect(ownCount).to.equal(50);
    expect(availability).to.equal(49 / 50);
  });

  for (const [atMs, isCounted] of [
    [7_700, true],
    [7_950, false],
    [9_000, false],
    [10_900, false],
    [11_100, true],
  ] as const) {
    const word = isCounted ? "count" : "leave out";
    it(`${word} what a client could not acquire at ${atMs} ms, cut off from 8 to 9.5 s`, () => {
      const { ownCount } = figuresOf([...records, ...failedAcquire(atMs)], settings);
      expect(ownCount).to.equal(isCounted ? 51 : 50);
    });
  }

  it("count updates that were written over, for each store", () => {
    const stores = [
      ...[write("unfenced", 0), write("unfenced", 1), write("unfenced", 1), write("unfenced", 2)],
      ...[write("fenced", 0), write("fenced", 1)],
    ];
    const { lostUpdateCount } = figuresOf([...records, ...stores], settings);
    expect(lostUpdateCount).to.deep.equal({ unfenced: 1, fenced: 0 });
  });

  it("make a row that fits the head of the table", () => {
    const row = rowOf(settings, figuresOf(records, settings), verdictOf(records, settings));
    const columns = (line: string): number => line.split("|").length;
    for (const line of TABLE_HEAD.split("\n")) expect(columns(line)).to.equal(columns(row));
    expect(row).to.include("| 4711 | 0.2 |").and.include("2.00 % of 50").and.include("1 `S1`");
  });
});
