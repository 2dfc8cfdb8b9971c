import { expect } from "chai";
import type { Vote } from "../../src/protocol/operation.js";
import { isJoinOnly } from "../../sim/recording-node.js";
import { CoordinatorBench, heardInbox, KEYS } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { fault, free, granted, held } from "../support/votes.js";
import { ownedLock } from "../../src/kinds/owned.js";

const JOB = ownedLock(KEYS, "job");
const WAIT = { waitMs: 10_000, maxDelayMs: 250 };

/** Three nodes, of which the first shows what all of them are asked. */
function ownersBench() {
  const inbox = heardInbox();
  const bench = new CoordinatorBench(3, new ManualClock(), inbox);
  const attempts = () => bench.nodes[0]?.all("acquire") ?? [];
  let answeredCount = 0;
  return {
    bench,
    plain: (wait = {}) => bench.acquire({ renew: false }, { ...WAIT, ...wait }),
    owned: (wait = {}) => bench.acquire({ renew: false }, { ...WAIT, ...wait }, JOB),
    /** Of the attempts that nobody has answered yet: whether they ask only where the owner is in. */
    open: () =>
      attempts()
        .slice(answeredCount)
        .map(({ operation }) => isJoinOnly(operation.keys)),
    all: (vote: Vote) => {
      const until = attempts().length;
      for (const node of bench.nodes) {
        for (const { reply } of node.all("acquire").slice(answeredCount, until)) reply(vote);
      }
      answeredCount = until;
    },
  };
}

describe("An owner in the wait queue of one process", () => {
  it("asks for whatever there is where nobody waits", () => {
    const { owned, open } = ownersBench();
    owned();
    expect(open()).to.deep.equal([false]);
  });

  for (const fair of [false, true]) {
    it(`asks at once whether it is in, where others wait${fair ? " and it is fair" : ""}`, () => {
      const { plain, owned, open, all } = ownersBench();
      plain({ fair: true });
      all(held(60_000));
      const { outcomes } = owned({ fair });
      expect(open()).to.deep.equal([true]);
      all(granted(7));
      expect(outcomes[0]).to.include({ kind: "granted" });
    });
  }

  it("asks again after a while, and in its own right once it is the first", () => {
    const { bench, plain, owned, open, all } = ownersBench();
    const first = plain({ fair: true });
    all(held(60_000));
    const { outcomes } = owned();
    all(free());
    expect(open()).to.deep.equal([]);
    for (let count = 0; count < 3; count++) {
      bench.clock.advance(251);
      expect(open()).to.include(true);
      all(held(60_000));
    }
    first.abort();
    bench.clock.advance(1);
    expect(open()).to.deep.equal([false]);
    all(granted(7));
    expect(outcomes[0]).to.include({ kind: "granted" });
  });

  it("leaves no place behind that it took over, where its owner lets it in meanwhile", () => {
    const { bench, plain, owned, open, all } = ownersBench();
    const first = plain({ fair: true });
    all(held(60_000));
    const { outcomes } = owned();
    expect(open()).to.deep.equal([true]);
    first.abort();
    expect(bench.counts("leave"), "the place is its own now").to.deep.equal([0, 0, 0]);
    all(granted(7));
    expect(outcomes[0]).to.include({ kind: "granted" });
    expect(bench.counts("leave")).to.deep.equal([1, 1, 1]);
  });

  it("is first while it asks, and then asks in its own right", () => {
    const { bench, plain, owned, open, all } = ownersBench();
    const first = plain({ fair: true });
    all(held(60_000));
    owned();
    first.abort();
    expect(open()).to.deep.equal([true]);
    all(free());
    bench.clock.advance(1);
    expect(open()).to.deep.equal([false]);
  });

  for (const waitMs of [0, 400]) {
    it(`is told within ${waitMs} ms and a deadline what it found itself`, () => {
      for (const [vote, kind] of [
        [free(), "refused"],
        [fault(), "unreachable"],
      ] as const) {
        const { bench, plain, owned, all } = ownersBench();
        plain({ fair: true });
        all(held(60_000));
        const { outcomes } = owned({ waitMs, fair: true });
        for (let ms = 0; ms <= waitMs + 50 && outcomes.length === 0; ms += 10) {
          all(vote);
          bench.clock.advance(10);
        }
        expect(outcomes[0]).to.include({ kind });
        expect(outcomes).to.have.length(1);
      }
    });
  }

  it("does not tell others what it found", () => {
    const { bench, plain, owned, all } = ownersBench();
    plain({ fair: true });
    all(held(60_000));
    const behind = plain({ waitMs: 200, fair: true });
    owned();
    all(fault());
    bench.clock.advance(201);
    expect(behind.outcomes[0]).to.include({ kind: "refused" });
  });

  it("is not told what others found, whose holder it may be", () => {
    const { bench, plain, owned, all } = ownersBench();
    const { outcomes } = owned({ waitMs: 200, minDelayMs: 250 });
    const own = bench.nodes.map((node) => node.last("acquire"));
    plain({ fair: true, maxDelayMs: 10 });
    bench.nodes.forEach((node) => node.last("acquire").reply(held(60_000)));
    [granted(7), fault(), fault()].forEach((vote, index) => own[index]?.reply(vote));
    all(held(60_000));
    for (let ms = 0; ms < 250; ms += 10) {
      bench.clock.advance(10);
      all(held(60_000));
    }
    expect(outcomes[0]).to.include({ kind: "unreachable" });
  });

  it("stops to ask when it gives up", () => {
    const { bench, plain, owned, open, all } = ownersBench();
    plain({ fair: true, maxDelayMs: 9_000 });
    all(held(60_000));
    const { abort, outcomes } = owned();
    all(free());
    abort();
    bench.clock.advance(2_000);
    expect(open()).to.deep.equal([]);
    expect(outcomes[0]).to.include({ kind: "aborted" });
  });
});
