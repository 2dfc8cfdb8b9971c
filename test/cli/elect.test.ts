import { expect } from "chai";
import { isLast, Reruns } from "../../src/cli/elect.js";
import type { Outcome } from "../../src/cli/exec/run.js";

const RUNS: readonly (readonly [
  title: string,
  runs: readonly (readonly [ranMs: number, pauseMs: number])[],
])[] = [
  [
    "twice as long each time, up to 30 s",
    [
      [0, 1_000],
      [0, 2_000],
      [29_999, 4_000],
      [30_000, 8_000],
      [0, 16_000],
      [0, 30_000],
      [30_000, 30_000],
    ],
  ],
  [
    "a second again after one that ran for longer than that",
    [
      [0, 1_000],
      [0, 2_000],
      [30_001, 1_000],
      [0, 2_000],
    ],
  ],
  ["a second after the first, even if it ran for days", [[1e9, 1_000]]],
];

describe("The pause before a command of quorate elect runs again", () => {
  for (const [title, runs] of RUNS) {
    it(`is ${title}`, () => {
      const reruns = new Reruns();
      const pauses = runs.map(([ranMs]) => reruns.pauseAfter(ranMs));
      expect(pauses).to.deep.equal(runs.map(([, pauseMs]) => pauseMs));
    });
  }
});

const ENDINGS: readonly Outcome["ending"][] = [
  { kind: "exit", code: 0 },
  { kind: "exit", code: 1 },
  { kind: "exit", code: 255 },
  { kind: "signal", signal: "SIGTERM" },
];

describe("A command of quorate elect", () => {
  for (const ending of ENDINGS) {
    for (const isLost of [false, true]) {
      const isDone = ending.kind === "exit" && ending.code === 0 && !isLost;
      const how = `${JSON.stringify(ending)}${isLost ? ", as the lock was lost" : ""}`;
      it(`${isDone ? "is done" : "runs again"} after ${how}, unless --on-exit says otherwise`, () => {
        expect(isLast({ ending, isLost }, undefined)).to.equal(isDone);
        expect(isLast({ ending, isLost }, "stop")).to.equal(true);
        expect(isLast({ ending, isLost }, "again")).to.equal(false);
      });
    }
  }
});
