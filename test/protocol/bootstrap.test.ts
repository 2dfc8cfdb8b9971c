import { expect } from "chai";
import * as fc from "fast-check";
import {
  fellowsText,
  mayMark,
  nextStep,
  type BootstrapStep,
} from "../../src/protocol/bootstrap.js";
import type { Sighting } from "../../src/protocol/quarantine.js";
import type { RecordState } from "../../src/protocol/record.js";
import { recordOf } from "../support/scripted-transport.js";

const ALL = "a b c";

interface Over extends Partial<Omit<Sighting, "record">> {
  readonly fellows?: string;
}

function seen(id: string, state: RecordState | "absent", over: Over = {}): Sighting {
  const isMarked = state === "opening" || state === "open";
  const { fellows = isMarked ? ALL : "", ...rest } = over;
  return {
    record: state === "absent" ? undefined : recordOf({ id, state, fellows }),
    nodeTimeMs: 0,
    sentSteadyMs: 100,
    seenSteadyMs: 100,
    seenWallMs: 0,
    sawChange: false,
    ownSinceMs: undefined,
    ...rest,
  };
}

describe("nextStep", () => {
  const table: [string, (Sighting | undefined)[], BootstrapStep][] = [
    ["nothing seen", [undefined, undefined, undefined], "wait"],
    ["a node missing", [seen("a", "absent"), undefined, seen("c", "fresh")], "wait"],
    ["none with a record", [seen("a", "absent"), seen("b", "absent")], "write"],
    ["some with a record", [seen("a", "absent"), seen("b", "fresh")], "write"],
    ["one marked, and one without a record", [seen("a", "opening"), seen("b", "absent")], "wait"],
    ["all fresh", [seen("a", "fresh"), seen("b", "fresh"), seen("c", "fresh")], "mark"],
    ["one marked", [seen("a", "fresh"), seen("b", "opening"), seen("c", "fresh")], "mark"],
    [
      "one marked beside others than those that are there",
      [seen("a", "fresh"), seen("b", "opening"), seen("d", "fresh")],
      "wait",
    ],
    ["all marked", [seen("c", "opening"), seen("b", "opening"), seen("a", "opening")], "open"],
    ["one opened", [seen("a", "opening"), seen("b", "open"), seen("c", "opening")], "open"],
    ["one opened, and one missing", [seen("a", "opening"), seen("b", "open"), undefined], "open"],
    ["all open", [seen("a", "open"), seen("b", "open"), seen("c", "open")], "over"],
    ["open ones, and one missing", [seen("a", "open"), seen("b", "open"), undefined], "over"],
    ["an open one beside a fresh one", [seen("a", "open"), seen("b", "fresh")], "over"],
    [
      "an open one, and one that was asked before that was known",
      [seen("a", "open", { seenSteadyMs: 101 }), seen("b", "fresh")],
      "wait",
    ],
    ["an open one beside one without a record", [seen("a", "open"), seen("b", "absent")], "over"],
    [
      "an open one beside one that was marked another time",
      [seen("a", "open"), seen("b", "opening", { fellows: "b c d" })],
      "over",
    ],
    ["one that forgot", [seen("a", "fresh"), seen("b", "forgot"), undefined], "over"],
    ["one that is attested", [seen("a", "absent"), seen("b", "attested"), undefined], "over"],
    ["one seen to change", [seen("a", "fresh", { sawChange: true }), undefined], "over"],
    ["Clusters only", [seen("", "unkept"), seen("", "unkept")], "over"],
    [
      "a Cluster among fresh ones",
      [seen("a", "fresh"), seen("", "unkept"), seen("b", "fresh")],
      "mark",
    ],
  ];
  for (const [title, sightings, expected] of table) {
    it(`says ${expected} of ${title}, in whatever order nodes are named`, () => {
      expect(nextStep(sightings)).to.equal(expected);
      expect(nextStep(sightings.toReversed())).to.equal(expected);
    });
  }

  it("opens only what is marked alike, with the ids that are there or beside an open one", () => {
    const any = fc.option(
      fc
        .record({
          id: fc.constantFrom("a", "b", "c", "d"),
          state: fc.constantFrom<RecordState | "absent">("absent", "fresh", "opening", "open"),
          fellows: fc.constantFrom(ALL, "a b d", ""),
          sawChange: fc.boolean(),
        })
        .map(({ id, state, ...over }) => seen(id, state, over)),
      { nil: undefined },
    );
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 4 }), (sightings) => {
        if (nextStep(sightings) !== "open") return;
        const records = sightings.flatMap((each) => each?.record ?? []);
        expect(new Set(records.map(({ fellows }) => fellows)).size).to.equal(1);
        const isOpen = records.some(({ state }) => state === "open");
        const isAll = records.length === sightings.length;
        expect(isOpen || (isAll && records[0]?.fellows === fellowsText(sightings))).to.equal(true);
        expect(sightings.some((each) => each?.sawChange)).to.equal(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("fellowsText", () => {
  it("is the same in whatever order nodes are named, without those that keep no record", () => {
    expect(fellowsText([seen("b", "fresh"), seen("", "unkept"), seen("a", "fresh")])).to.equal(
      "a b",
    );
  });
});

describe("mayMark", () => {
  it("allows it to whoever wrote the record, within the window, while it is fresh", () => {
    const own = { ownSinceMs: 1_000 };
    const marks = (sighting: Sighting, nowMs: number): boolean => mayMark(sighting, nowMs, 500);
    expect(marks(seen("a", "fresh", own), 1_000)).to.equal(true);
    expect(marks(seen("a", "fresh", own), 1_500)).to.equal(true);
    expect(marks(seen("a", "fresh", own), 1_501)).to.equal(false);
    expect(marks(seen("a", "fresh"), 1_000)).to.equal(false);
    expect(marks(seen("a", "opening", own), 1_000)).to.equal(false);
    expect(marks(seen("a", "absent", own), 1_000)).to.equal(false);
  });
});
