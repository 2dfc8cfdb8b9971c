import { expect } from "chai";
import {
  MAX_HAND_OVERS,
  MAX_RUN_MS,
  mayHandOver,
  type Run,
} from "../../src/protocol/hand-over-run.js";

const RUN: Run = { startedMs: 1_000, isWaitedFor: true, lastTicket: 50, handOverCount: 0 };

describe("mayHandOver", () => {
  for (const { title, run = {}, ticket = 50, nowMs = 1_000, may } of [
    { title: "to the last one that was there", may: true },
    { title: "to one that came later", ticket: 51, may: false },
    {
      title: "to one that came later, where nobody else waits",
      run: { isWaitedFor: false },
      ticket: 51,
      may: true,
    },
    { title: "as the last of a run", run: { handOverCount: MAX_HAND_OVERS - 1 }, may: true },
    { title: "as one too many", run: { handOverCount: MAX_HAND_OVERS }, may: false },
    {
      title: "as one too many, where nobody else waits",
      run: { isWaitedFor: false, handOverCount: MAX_HAND_OVERS },
      may: true,
    },
    { title: "just in time", nowMs: 1_000 + MAX_RUN_MS - 0.001, may: true },
    { title: "too late", nowMs: 1_000 + MAX_RUN_MS, may: false },
    {
      title: "too late, where nobody was known to wait",
      run: { isWaitedFor: false },
      nowMs: 1_000 + MAX_RUN_MS,
      may: false,
    },
  ]) {
    it(`${may ? "allows" : "refuses"} a hand-over ${title}`, () => {
      expect(mayHandOver({ ...RUN, ...run }, ticket, nowMs)).to.equal(may);
    });
  }
});
