import { expect } from "chai";
import { CoordinatorBench, heardInbox, KEYS } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, held } from "../support/votes.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { reservedBy } from "../../src/kinds/reserved.js";
import { severalLock } from "../../src/kinds/several.js";

const SET = severalLock([KEYS, keysOf("lock:", "zero")]);
const WAIT = { waitMs: 10_000, maxDelayMs: 2_000 };
const HELD = [held(60_000), held(60_000), held(60_000)];
const SILENT = [fault("timeout"), fault("timeout"), fault("timeout")];

/** Three nodes, whose messages come to an inbox. */
function setsBench() {
  const inbox = heardInbox();
  const bench = new CoordinatorBench(3, new ManualClock(), inbox);
  const attempts = () => bench.nodes[0]?.all("acquire") ?? [];
  return {
    bench,
    set: (wait = {}) => bench.acquire({}, { ...WAIT, ...wait }, SET),
    plain: (wait = {}) => bench.acquire({}, { ...WAIT, ...wait }),
    refuse: () => bench.answer("acquire", HELD),
    attempts,
    last: () => attempts().at(-1)?.operation,
  };
}

describe("Sets in the wait queue of one process", () => {
  it("E1: who waits for the first name is not told what kept a set from its others", () => {
    const { bench, set, plain, refuse, attempts } = setsBench();
    set();
    refuse();
    bench.clock.advance(1);
    refuse();
    plain();
    const behind = plain({ waitMs: 2_500 });
    while (attempts().length < 3) bench.clock.advance(10);
    refuse();
    // Its time is over before that of the first in line: it asks by itself.
    while (attempts().length < 4) bench.clock.advance(10);
    bench.answer("acquire", SILENT);
    expect(behind.outcomes[0]).to.include({ kind: "unreachable", waitedMs: 2_500 });
  });

  it("E1: a fair set that let others pass is told how its own attempt had ended", () => {
    const { bench, set, plain } = setsBench();
    const first = set({ fair: true, waitMs: 900 });
    plain({ fair: true });
    bench.answer("acquire", SILENT);
    bench.clock.advance(901);
    expect(first.outcomes[0]).to.include({ kind: "unreachable" });
  });

  it("W6: whoever is let pass is called by what nodes said while the set asked", () => {
    const { bench, set, plain, refuse, attempts, last } = setsBench();
    set();
    refuse();
    bench.clock.advance(1);
    expect(last()?.waiter).not.to.equal(undefined);
    plain();
    const asked = attempts().length;
    const turn = reservedBy({ lockKey: KEYS.lockKey, placePrefix: "", turnMs: 13 });
    bench.context.waitQueues.onTurn(0, turn, 13);
    refuse();
    expect(attempts()).to.have.length(asked);
    bench.context.waitQueues.onTurn(1, turn, 13);
    expect(attempts()).to.have.length(asked + 1);
    expect(last()?.keys).to.equal(KEYS);
  });

  for (const { what, nodeTimeoutMs, askedAt } of [
    { what: "heeds what a set in the same place was told", nodeTimeoutMs: 50, askedAt: 1 },
    { what: "does not, in another place: that is passed on", nodeTimeoutMs: 200, askedAt: 2 },
  ]) {
    it(`who comes to be first because a set lets it pass ${what}`, () => {
      const { bench, set, refuse, attempts } = setsBench();
      const turn = (node: number): void => {
        const reserved = { lockKey: KEYS.lockKey, placePrefix: "", turnMs: 20 } as const;
        bench.context.waitQueues.onTurn(node, reservedBy(reserved), 20);
      };
      set({ fair: true });
      bench.acquire({ nodeTimeoutMs }, { ...WAIT, fair: true });
      turn(0);
      refuse();
      const count = attempts().length;
      for (const node of [1, 2]) {
        turn(node);
        expect(attempts()).to.have.length(count + (node >= askedAt ? 1 : 0));
      }
    });
  }

  it("W1: lets those pass that want something else, not those that want the same", () => {
    const { bench, set, plain, refuse, last } = setsBench();
    set({ fair: true });
    const first = last()?.waiter?.ticket;
    set({ fair: true });
    const between = plain({ fair: true });
    refuse();
    bench.clock.advance(2_000);
    expect(last()?.keys).to.equal(KEYS);
    between.abort();
    bench.clock.advance(2_000);
    expect(last()?.keys).to.equal(SET);
    expect(last()?.waiter?.ticket).to.equal(first);
  });
});
