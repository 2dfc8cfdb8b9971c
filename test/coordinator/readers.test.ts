import { expect } from "chai";
import { CoordinatorBench, heardInbox, KEYS } from "../support/coordinator-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { granted, held } from "../support/votes.js";
import { MIN_REFRESH_MS } from "../../src/protocol/node-queue.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { reservedBy } from "../../src/kinds/reserved.js";

const SHARED = sharedLock(KEYS);
const WAIT = { waitMs: 10_000, maxDelayMs: 2_000 };

/**
 * Three nodes, whose messages come to an inbox; `all` answers the attempts of all who ask now.
 *
 * @param window see {@link CoordinatorBench}
 */
function readersBench(window?: number) {
  const inbox = heardInbox();
  const bench = new CoordinatorBench(3, new ManualClock(), inbox, window);
  let answeredCount = 0;
  const attempts = () => bench.nodes[0]?.all("acquire") ?? [];
  return {
    bench,
    read: (wait = {}) => bench.acquire({ renew: false }, { ...WAIT, ...wait }, SHARED),
    write: (wait = {}) => bench.acquire({ renew: false }, { ...WAIT, ...wait }),
    /** The operations of the attempts that nobody has answered yet. */
    open: () => attempts().slice(answeredCount),
    openCount: () => attempts().length - answeredCount,
    all: (vote: ReturnType<typeof granted> | ReturnType<typeof held>) => {
      const until = attempts().length;
      for (const node of bench.nodes) {
        for (const { reply } of node.all("acquire").slice(answeredCount, until)) reply(vote);
      }
      answeredCount = until;
    },
    turn: () => {
      for (const node of [0, 1, 2])
        bench.context.waitQueues.onTurn(
          node,
          reservedBy({ lockKey: KEYS.lockKey, placePrefix: "r", turnMs: 20 }),
          20,
        );
    },
  };
}

describe("Readers in the wait queue of one process", () => {
  it("ask at once, side by side, where nobody waits", () => {
    const { read, openCount, all } = readersBench();
    const both = [read(), read()];
    expect(openCount()).to.equal(2);
    all(granted(7));
    for (const { outcomes } of both) expect(outcomes[0]).to.include({ kind: "granted" });
  });

  it("ask together where they come in one turn of the event loop, although they are fair", () => {
    const { bench, read, write, open, openCount, all } = readersBench(8);
    const both = [read({ fair: true }), read({ fair: true })];
    const others = [write({ fair: true }), read({ fair: true })];
    expect(openCount()).to.equal(0);
    bench.clock.advance(0);
    expect(openCount()).to.equal(2);
    const [first = 0, second = 0] = open().map(({ operation }) => operation.waiter?.ticket ?? 0);
    expect(second).to.be.above(first);
    all(granted(7));
    for (const { outcomes } of both) expect(outcomes[0]).to.include({ kind: "granted" });
    for (const { outcomes } of others) expect(outcomes).to.deep.equal([]);
  });

  it("wait for the first of them where they come while it asks", () => {
    const { bench, read, openCount, all } = readersBench(8);
    read({ fair: true });
    bench.clock.advance(0);
    read({ fair: true });
    bench.clock.advance(0);
    expect(openCount()).to.equal(1);
    all(granted(7));
    bench.clock.advance(1);
    expect(openCount()).to.equal(1);
  });

  it("wait for the first of them once the nodes have refused all", () => {
    const { bench, read, openCount, all, turn } = readersBench(8);
    const both = [read({ fair: true }), read({ fair: true })];
    bench.clock.advance(0);
    all(held(60_000));
    turn();
    bench.clock.advance(0);
    expect(openCount()).to.equal(1);
    all(granted(7));
    bench.clock.advance(1);
    expect(openCount()).to.equal(1);
    all(granted(8));
    for (const { outcomes } of both) expect(outcomes[0]).to.include({ kind: "granted" });
  });

  it("come in together once the first of them did, up to the next writer", () => {
    const { bench, read, write, open, openCount, all, turn } = readersBench();
    read({ fair: true });
    all(held(60_000));
    const more = [read(), read(), read()];
    const writer = write();
    const behind = read();
    expect(openCount()).to.equal(0);
    turn();
    expect(openCount(), "only the first contends").to.equal(1);
    all(granted(7));
    bench.clock.advance(1);
    expect(open().map(({ operation }) => operation.waiter?.placePrefix)).to.deep.equal([
      "r",
      "r",
      "r",
    ]);
    all(granted(8));
    for (const { outcomes } of more) expect(outcomes[0]).to.include({ kind: "granted" });
    expect([...writer.outcomes, ...behind.outcomes]).to.deep.equal([]);
  });

  it("stand behind a writer that came before them", () => {
    const { bench, read, write, open, openCount, all, turn } = readersBench();
    write({ fair: true });
    all(held(60_000));
    const reader = read({ maxDelayMs: 20 });
    turn();
    all(granted(7));
    bench.clock.advance(1);
    expect(openCount(), "the writer holds it").to.equal(0);
    turn();
    bench.clock.advance(20);
    expect(open().map(({ operation }) => operation.keys.id)).to.deep.equal(["shared"]);
    all(granted(8));
    expect(reader.outcomes[0]).to.include({ kind: "granted" });
  });

  it("wait for the first of them again if they are refused", () => {
    const { bench, read, openCount, all, turn } = readersBench();
    read({ fair: true });
    all(held(60_000));
    read();
    read();
    turn();
    all(granted(7));
    bench.clock.advance(1);
    expect(openCount()).to.equal(2);
    all(held(60_000));
    bench.clock.advance(2_001);
    expect(bench.nodes[0]?.refreshed, "only the first contends").to.have.length(1);
    bench.blockFor(0);
    bench.clock.advance(MIN_REFRESH_MS + 50);
    expect(openCount()).to.equal(1);
  });

  it("ask no more once they were let in and refused, until they are first", () => {
    const { bench, read, openCount, all, turn } = readersBench();
    read({ fair: true });
    all(held(60_000));
    read();
    const second = read({ waitMs: 500 });
    turn();
    all(granted(7));
    bench.clock.advance(1);
    expect(openCount()).to.equal(2);
    all(held(60_000));
    bench.blockFor(60_000);
    bench.clock.advance(500);
    expect(openCount()).to.equal(0);
    expect(second.outcomes[0]).to.include({ kind: "refused", attemptCount: 1 });
  });

  it("are let in by a turn although the process holds the name already, as a reader", () => {
    const { bench, read, open, all, turn } = readersBench();
    read({ fair: true });
    all(held(60_000));
    turn();
    all(granted(7));
    const other = read({ fair: true });
    all(held(60_000));
    expect(other.outcomes).to.deep.equal([]);
    turn();
    expect(open()).to.have.length(1);
    expect(bench.counts("heal")).to.deep.equal([0, 0, 0]);
  });

  it("put the writer behind them into the queue of the nodes when they release", async () => {
    const { bench, read, write, all, turn } = readersBench();
    const reader = read({ fair: true });
    all(held(60_000));
    write();
    turn();
    all(granted(7));
    const [outcome] = reader.outcomes;
    if (outcome?.kind !== "granted") throw new Error("not granted");
    void outcome.lease.release();
    const { operation } = bench.nodes[0]?.last("release") ?? {};
    expect(operation?.keys.id).to.equal("shared");
    expect(operation?.waiter?.inbox).to.equal("i".padEnd(22, "_"));
    expect(operation?.waiter?.placePrefix).to.equal("");
    expect(bench.counts("acquire"), "nothing is handed over").to.deep.equal([2, 2, 2]);
  });

  it("leave no place with a rollback where others of them ask, who may have been granted", () => {
    const { bench, read, write, all, turn } = readersBench();
    const writer = write({ fair: true });
    all(held(60_000));
    read({ fair: true });
    const [one, other] = [read(), read()];
    writer.abort();
    turn();
    all(granted(7));
    bench.clock.advance(1);
    const rolledBack = () => bench.nodes[0]?.last("release")?.operation.waiter;
    one.abort();
    expect(rolledBack()).to.equal(undefined);
    other.abort();
    expect(rolledBack()?.placePrefix, "of the last one").to.equal("r");
  });

  for (const [first, second, leaveCount] of [
    ["write", "read", 1],
    ["read", "write", 1],
    ["write", "write", 0],
    ["read", "read", 0],
  ] as const) {
    it(`${first} that gives up before ${second} is ${leaveCount} leave`, () => {
      const bench = readersBench();
      const one = bench[first]({ fair: true });
      bench.all(held(60_000));
      bench[second]({ fair: true });
      one.abort();
      expect(bench.bench.counts("leave")[0]).to.equal(leaveCount);
    });
  }
});

describe("A reader that stood in line", () => {
  it("takes a late turn also when another reader of its process has ended before", () => {
    const { bench, read } = readersBench();
    const [first] = [0, 1].map(() => {
      const { outcomes } = read({ fair: true });
      bench.answer("acquire", [granted(7), granted(7), held(60_000)]);
      const [outcome] = outcomes;
      if (outcome?.kind !== "granted") throw new Error("not granted");
      return outcome.lease;
    });
    void first?.release();
    bench.context.waitQueues.onTurn(
      2,
      reservedBy({ lockKey: KEYS.lockKey, placePrefix: "r", turnMs: 20 }),
      20,
    );
    expect(bench.counts("heal")).to.deep.equal([0, 0, 1]);
    expect(bench.counts("leave")).to.deep.equal([0, 0, 0]);
  });
});
