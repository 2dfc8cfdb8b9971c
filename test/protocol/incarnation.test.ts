import { expect } from "chai";
import * as fc from "fast-check";
import {
  isConfirmedNew,
  lookAt,
  quarantineLeftMs,
  quarantineStart,
  type IncarnationRecord,
  type RecordState,
  type Sighting,
} from "../../src/protocol/incarnation.js";

const WINDOW_MS = 2_000;
const NODE_TIME_MS = 1_000_000;

function sighting(
  state: RecordState,
  {
    ageMs = 0,
    sawChange = false,
    id = "a",
  }: { ageMs?: number; sawChange?: boolean; id?: string } = {},
): Sighting {
  const record: IncarnationRecord = {
    id,
    runId: "run",
    state,
    writtenMs: NODE_TIME_MS - ageMs,
    nodeCount: 3,
    maxTtlMs: 60_000,
  };
  return { record, nodeTimeMs: NODE_TIME_MS, seenSteadyMs: 50_000, sawChange };
}

const fresh = sighting("fresh");
const open = sighting("open");
const forgot = sighting("forgot");
const unkept = sighting("unkept");

describe("lookAt", () => {
  const table: [string, (Sighting | undefined)[], ReturnType<typeof lookAt>][] = [
    ["all fresh", [fresh, fresh, fresh], "new"],
    ["one fresh node alone", [fresh], "new"],
    [
      "a fresh record as old as the window",
      [fresh, sighting("fresh", { ageMs: WINDOW_MS })],
      "new",
    ],
    [
      "a fresh record older than the window",
      [fresh, sighting("fresh", { ageMs: WINDOW_MS + 1 })],
      "old",
    ],
    [
      "an open record older than the window",
      [fresh, sighting("open", { ageMs: WINDOW_MS + 1 })],
      "old",
    ],
    [
      "an open record as old as the window",
      [fresh, sighting("open", { ageMs: WINDOW_MS })],
      "maybe",
    ],
    ["one that forgot", [fresh, fresh, forgot], "old"],
    ["one that was seen to change", [fresh, fresh, sighting("fresh", { sawChange: true })], "old"],
    ["an open one that was seen to change", [open, sighting("open", { sawChange: true })], "old"],
    ["a node missing", [fresh, fresh, undefined], "maybe"],
    ["nothing seen", [undefined, undefined], "maybe"],
    ["open ones and a node missing", [open, open, undefined], "maybe"],
    ["fresh and open ones", [fresh, open, open], "maybe"],
    ["all open", [open, open, open], "open"],
    ["Clusters only", [unkept, unkept], "open"],
    ["a Cluster among fresh ones", [fresh, unkept, fresh], "new"],
    ["a Cluster among open ones", [open, unkept], "open"],
    ["an old one and a node missing", [undefined, forgot], "old"],
  ];
  for (const [title, sightings, expected] of table) {
    it(`says ${expected} of ${title}`, () => {
      expect(lookAt(sightings, WINDOW_MS)).to.equal(expected);
      expect(lookAt(sightings.toReversed(), WINDOW_MS)).to.equal(expected);
    });
  }

  it("never calls new what has a node missing, open, changed, or with a past", () => {
    const any = fc.option(
      fc
        .record({
          state: fc.constantFrom<RecordState>("fresh", "forgot", "open", "unkept"),
          ageMs: fc.constantFrom(0, WINDOW_MS, WINDOW_MS + 1),
          sawChange: fc.boolean(),
        })
        .map(({ state, ...over }) => sighting(state, over)),
      { nil: undefined },
    );
    fc.assert(
      fc.property(fc.array(any, { minLength: 1, maxLength: 5 }), (sightings) => {
        const isNew = lookAt(sightings, WINDOW_MS) === "new";
        const kept = sightings.filter((seen) => seen?.record.state !== "unkept");
        const isAllFresh = kept.every(
          (seen) =>
            seen?.record.state === "fresh" &&
            !seen.sawChange &&
            seen.nodeTimeMs - seen.record.writtenMs <= WINDOW_MS,
        );
        expect(isNew).to.equal(isAllFresh && kept.length > 0);
      }),
    );
  });
});

describe("isConfirmedNew", () => {
  it("takes two looks at the same fresh records", () => {
    expect(isConfirmedNew([fresh, fresh], [fresh, fresh], WINDOW_MS)).to.equal(true);
  });

  const other = sighting("fresh", { id: "b" });
  const table: [string, (Sighting | undefined)[], (Sighting | undefined)[]][] = [
    ["a record was written anew in between", [fresh, fresh], [fresh, other]],
    ["a node was opened in between", [fresh, fresh], [fresh, open]],
    ["the first look was not complete", [fresh, undefined], [fresh, fresh]],
    ["the second look is not complete", [fresh, fresh], [fresh, undefined]],
    ["a record grew too old in between", [fresh], [sighting("fresh", { ageMs: WINDOW_MS + 1 })]],
    ["nothing was fresh at all", [open, open], [open, open]],
  ];
  for (const [title, first, second] of table) {
    it(`is false where ${title}`, () => {
      expect(isConfirmedNew(first, second, WINDOW_MS)).to.equal(false);
    });
  }
});

describe("quarantineStart", () => {
  it("is the sighting itself for one who saw the change, whatever the record says", () => {
    for (const state of ["fresh", "forgot", "open"] as const) {
      expect(quarantineStart(sighting(state, { sawChange: true, ageMs: 90_000 }))).to.equal(50_000);
    }
  });

  it("goes by the node's own time for one who comes later, less a guard of a second", () => {
    for (const state of ["fresh", "forgot"] as const) {
      const startAt = (ageMs: number): number | undefined =>
        quarantineStart(sighting(state, { ageMs }));
      expect([0, 999, 1_000, 1_001, 31_000].map(startAt)).to.deep.equal([
        50_000, 50_000, 50_000, 49_999, 20_000,
      ]);
    }
  });

  it("never lies in the future, also where the node's clock was set back", () => {
    expect(quarantineStart(sighting("forgot", { ageMs: -5_000 }))).to.equal(50_000);
  });

  it("is undefined for an open record, and for a node that keeps none", () => {
    expect(quarantineStart(open)).to.equal(undefined);
    expect(quarantineStart(unkept)).to.equal(undefined);
    expect(quarantineStart(sighting("unkept", { sawChange: true }))).to.equal(undefined);
  });
});

describe("quarantineLeftMs", () => {
  it("counts down from the start, and is over at its length", () => {
    expect(quarantineLeftMs(1_000, 60_000, 1_000)).to.equal(60_000);
    expect(quarantineLeftMs(1_000, 60_000, 60_999)).to.equal(1);
    expect(quarantineLeftMs(1_000, 60_000, 61_000)).to.equal(0);
    expect(quarantineLeftMs(1_000, 60_000, 99_000)).to.equal(0);
  });

  it("is 0 where there is none", () => {
    expect(quarantineLeftMs(undefined, 60_000, 0)).to.equal(0);
  });

  it("is never over before a whole length has passed since the record was written", () => {
    const age = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(age, fc.nat(100_000), (ageMs, laterMs) => {
        const start = quarantineStart(sighting("forgot", { ageMs }));
        const left = quarantineLeftMs(start, 60_000, 50_000 + laterMs);
        if (left === 0) expect(ageMs + laterMs).to.be.at.least(60_000);
      }),
    );
  });
});
