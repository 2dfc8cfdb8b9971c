import { expect } from "chai";
import * as fc from "fast-check";
import {
  ageByClocksMs,
  isTrusted,
  oldAgeMs,
  quarantineLeftMs,
  type Sighting,
} from "../../src/protocol/quarantine.js";
import type { RecordState } from "../../src/protocol/record.js";
import { recordOf } from "../support/scripted-transport.js";

const NODE_TIME_MS = 1_000_000;
const WALL_MS = 7_000_000;

/** A record that is so old by the node's clock, and by those of its writer and of whoever sees it. */
function sighting(
  state: RecordState,
  {
    ageMs = 0,
    wallAgeMs = ageMs,
    sawChange = false,
  }: { ageMs?: number; wallAgeMs?: number; sawChange?: boolean } = {},
): Sighting {
  const writtenMs = NODE_TIME_MS - ageMs;
  return {
    record: recordOf({ state, writtenMs, writerMs: WALL_MS - wallAgeMs }),
    nodeTimeMs: NODE_TIME_MS,
    sentSteadyMs: 49_990,
    seenSteadyMs: 50_000,
    seenWallMs: WALL_MS,
    ownSinceMs: undefined,
    sawChange,
  };
}

describe("isTrusted", () => {
  const table: [RecordState, boolean, boolean][] = [
    ["fresh", false, false],
    ["opening", false, false],
    ["open", true, false],
    ["forgot", false, false],
    ["attested", true, true],
    ["unkept", true, true],
  ];
  for (const [state, ofAny, ofWitness] of table) {
    it(`${state}: ${ofAny}, and ${ofWitness} to one who was there when the node forgot`, () => {
      expect(isTrusted(sighting(state))).to.equal(ofAny);
      expect(isTrusted(sighting(state, { sawChange: true }))).to.equal(ofWitness);
    });
  }

  it("is false of a node without a record", () => {
    expect(isTrusted({ ...sighting("open"), record: undefined })).to.equal(false);
  });
});

describe("the age of a record by clocks", () => {
  const STEP_MS = 5_000;
  /** The longest lease with its drift, a guard, and what a clock may gain. */
  const OLD_MS = 10_000 + 102 + 1_000 + STEP_MS;
  const isOld = (ageMs: number, wallAgeMs = ageMs): boolean =>
    ageByClocksMs(sighting("forgot", { ageMs, wallAgeMs })) >= oldAgeMs(10_000, 0.01, STEP_MS);

  it("takes the longest lease, drift, a guard, and what a clock may gain", () => {
    expect([0, OLD_MS - 1, OLD_MS, 9 * OLD_MS].map((ms) => isOld(ms))).to.deep.equal([
      false,
      false,
      true,
      true,
    ]);
  });

  it("is not told by the node's clock alone, nor by those of clients alone", () => {
    expect(isOld(3_600_000, OLD_MS - 1), "a slow clock was set right").to.equal(false);
    expect(isOld(OLD_MS - 1, 3_600_000)).to.equal(false);
  });

  it("is false of what is from the future, and where there is none", () => {
    expect(isOld(-5_000)).to.equal(false);
    expect(ageByClocksMs({ ...sighting("forgot"), record: undefined })).to.equal(0);
  });

  it("is false of what no clock can read", () => {
    const broken = { ...sighting("forgot"), record: recordOf({ writtenMs: Number.NaN }) };
    expect(ageByClocksMs(broken)).to.equal(0);
  });
});

describe("quarantineLeftMs", () => {
  it("counts down from the start, and is over at its length", () => {
    expect(quarantineLeftMs(1_000, 60_000, 1_000)).to.equal(60_000);
    expect(quarantineLeftMs(1_000, 60_000, 60_999)).to.equal(1);
    expect(quarantineLeftMs(1_000, 60_000, 61_000)).to.equal(0);
    expect(quarantineLeftMs(1_000, 60_000, 99_000)).to.equal(0);
  });

  it("is never over before its length has passed", () => {
    fc.assert(
      fc.property(fc.nat(100_000), (laterMs) => {
        const isOver = quarantineLeftMs(50_000, 60_000, 50_000 + laterMs) === 0;
        expect(isOver).to.equal(laterMs >= 60_000);
      }),
    );
  });
});
