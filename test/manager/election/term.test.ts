import { expect } from "chai";
import { LeasedTerm } from "../../../src/manager/election/term.js";
import { LockLostError } from "../../../src/index.js";
import { LeasedLock } from "../../../src/manager/lock.js";
import { CoordinatorBench, nodesOfLock } from "../../support/coordinator-bench.js";
import { listenOften, warningsOf } from "../../support/warnings-of.js";

describe("LeasedTerm", () => {
  function heldTerm() {
    const bench = new CoordinatorBench();
    const lease = bench.lease({ renew: false });
    const lock = new LeasedLock(lease, nodesOfLock(bench));
    return { bench, term: new LeasedTerm(lock) };
  }

  const ends: Readonly<Record<string, (of: ReturnType<typeof heldTerm>) => void>> = {
    "lasts still": () => {},
    "was resigned": ({ term }) => void term.resign(),
    "ran out": ({ bench }) => bench.clock.advance(1_000),
    "ran out before it was resigned": ({ bench, term }) => {
      bench.clock.advance(1_000);
      void term.resign();
    },
  };
  const LOST = new Set(["ran out", "ran out before it was resigned"]);
  for (const [title, end] of Object.entries(ends)) {
    it(`that ${title} is ${LOST.has(title) ? "" : "not "}lost`, () => {
      const held = heldTerm();
      end(held);
      expect(held.term.isLost).to.equal(LOST.has(title));
      expect(held.term.isHeld).to.equal(title === "lasts still");
      expect(held.term.signal.aborted).to.equal(title !== "lasts still");
    });
  }

  it("has a signal that any number may listen to without a warning of Node.js", async () => {
    expect(await warningsOf(() => listenOften(heldTerm().term.signal))).to.deep.equal([]);
  });

  it("tells of its end when it is asked, though no timer has fired yet", () => {
    const { bench, term } = heldTerm();
    const { signal } = term;
    bench.clock.stall(1_000);
    expect(signal.aborted, "nobody has asked").to.equal(false);
    expect(term.signal.aborted).to.equal(true);
    expect(signal.aborted).to.equal(true);
  });

  for (const [title, reason] of [
    ["ran out", "expired"],
    ["was resigned", "released"],
    ["ran out before it was resigned", "expired"],
  ] as const) {
    it(`that ${title} has that for the reason of its signal: ${reason}`, () => {
      const held = heldTerm();
      ends[title]?.(held);
      expect(held.term.signal.reason).to.be.instanceOf(LockLostError).and.to.include({ reason });
      expect(() => held.term.assertHeld()).to.throw(LockLostError);
    });
  }
});
