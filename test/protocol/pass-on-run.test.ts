import { expect } from "chai";
import { FENCE_STEP } from "../../src/protocol/fencing.js";
import { MAX_PASS_ONS, MAX_RUN_MS, mayPassOn, type Run } from "../../src/protocol/pass-on-run.js";

const RUN: Run = { startedMs: 1_000, isWaitedFor: true, lastTicket: 50, passOnCount: 0 };

describe("mayPassOn", () => {
  for (const { title, run = {}, ticket = 50, ttlMs = 60_000, nowMs = 1_000, may } of [
    { title: "to the last one that was there", may: true },
    { title: "to one that came later", ticket: 51, may: false },
    {
      title: "to one that came later, where nobody else was known to wait",
      run: { isWaitedFor: false },
      ticket: 51,
      may: false,
    },
    { title: "as the last of a run", run: { passOnCount: MAX_PASS_ONS - 1 }, may: true },
    { title: "as one too many", run: { passOnCount: MAX_PASS_ONS }, may: false },
    { title: "just in time", nowMs: 1_000 + MAX_RUN_MS - 0.001, may: true },
    { title: "too late", nowMs: 1_000 + MAX_RUN_MS, may: false },
    { title: "with 99 % of its ttl left", ttlMs: 2_000, nowMs: 1_019.9, may: true },
    { title: "with less", ttlMs: 2_000, nowMs: 1_020, may: false },
  ]) {
    it(`${may ? "allows" : "refuses"} to pass a lock on ${title}`, () => {
      expect(mayPassOn({ ...RUN, ...run }, ticket, ttlMs, nowMs)).to.equal(may);
    });
  }

  it("ends before the tokens do that a fence stands for", () => {
    expect(MAX_PASS_ONS).to.be.below(FENCE_STEP);
  });
});
