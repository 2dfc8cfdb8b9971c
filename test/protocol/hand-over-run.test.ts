import { expect } from "chai";
import {
  MAX_HAND_OVERS,
  MAX_RUN_MS,
  mayHandOver,
  nextRun,
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

describe("nextRun", () => {
  const begun: Run = { startedMs: 2_000, isWaitedFor: true, lastTicket: 70, handOverCount: 0 };

  it("begins with a grant that was no hand-over", () => {
    expect(nextRun(undefined, true, 2_000, 70)).to.deep.equal(begun);
    expect(nextRun(undefined, false, 2_000, 70)).to.deep.equal({ ...begun, isWaitedFor: false });
  });

  it("goes on for as long as others wait", () => {
    const before = { ...RUN, handOverCount: 3 };
    expect(nextRun(before, true, 2_000, 70)).to.deep.equal({ ...RUN, handOverCount: 4 });
  });

  it("begins anew when others begin to wait, and when they no longer do", () => {
    const alone = { ...RUN, isWaitedFor: false, handOverCount: 3 };
    expect(nextRun(alone, true, 2_000, 70)).to.deep.equal({ ...begun, handOverCount: 1 });
    const none = { ...begun, isWaitedFor: false, handOverCount: 1 };
    expect(nextRun(RUN, false, 2_000, 70)).to.deep.equal(none);
  });
});
