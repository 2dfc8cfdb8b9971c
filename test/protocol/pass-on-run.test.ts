import { expect } from "chai";
import {
  MAX_PASS_ONS,
  MAX_RUN_MS,
  mayPassOn,
  nextRun,
  type Run,
} from "../../src/protocol/pass-on-run.js";

const RUN: Run = { startedMs: 1_000, isWaitedFor: true, lastTicket: 50, passOnCount: 0 };

describe("mayPassOn", () => {
  for (const { title, run = {}, ticket = 50, nowMs = 1_000, may } of [
    { title: "to the last one that was there", may: true },
    { title: "to one that came later", ticket: 51, may: false },
    {
      title: "to one that came later, where nobody else waits",
      run: { isWaitedFor: false },
      ticket: 51,
      may: true,
    },
    { title: "as the last of a run", run: { passOnCount: MAX_PASS_ONS - 1 }, may: true },
    { title: "as one too many", run: { passOnCount: MAX_PASS_ONS }, may: false },
    {
      title: "as one too many, where nobody else waits",
      run: { isWaitedFor: false, passOnCount: MAX_PASS_ONS },
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
      expect(mayPassOn({ ...RUN, ...run }, ticket, nowMs)).to.equal(may);
    });
  }
});

describe("nextRun", () => {
  const begun: Run = { startedMs: 2_000, isWaitedFor: true, lastTicket: 70, passOnCount: 0 };

  it("begins with a grant that was no hand-over", () => {
    expect(nextRun(undefined, true, 2_000, 70)).to.deep.equal(begun);
    expect(nextRun(undefined, false, 2_000, 70)).to.deep.equal({ ...begun, isWaitedFor: false });
  });

  it("goes on for as long as others wait", () => {
    const before = { ...RUN, passOnCount: 3 };
    expect(nextRun(before, true, 2_000, 70)).to.deep.equal({ ...RUN, passOnCount: 4 });
  });

  it("begins anew when others begin to wait, and when they no longer do", () => {
    const alone = { ...RUN, isWaitedFor: false, passOnCount: 3 };
    expect(nextRun(alone, true, 2_000, 70)).to.deep.equal({ ...begun, passOnCount: 1 });
    const none = { ...begun, isWaitedFor: false, passOnCount: 1 };
    expect(nextRun(RUN, false, 2_000, 70)).to.deep.equal(none);
  });
});
