import { expect } from "chai";
import { askSize, resize } from "../../src/coordinator/resize.js";
import { permitLock } from "../../src/kinds/permit.js";
import type { Vote, Votes } from "../../src/protocol/operation.js";
import type { KnownSize, SemaphoreSize } from "../../src/protocol/semaphore-size.js";
import { CoordinatorBench, KEYS, stateOf } from "../support/coordinator-bench.js";
import { settle } from "../support/manual-clock.js";
import { fault } from "../support/votes.js";

const says = (size: SemaphoreSize, freePermits: number[] = []): Vote => {
  return { kind: "granted", fence: 0, size, freePermits };
};

/** What this process knows of one semaphore. */
class Known implements KnownSize {
  current: SemaphoreSize = { count: 2, version: 0 };
  learn(size: SemaphoreSize): void {
    this.current = size;
  }
}

class Bench extends CoordinatorBench {
  readonly known = new Known();

  resize(count: number): Promise<Votes | undefined> {
    const lockOf = (size: KnownSize) => permitLock(KEYS, size);
    return resize(this.context, lockOf, this.known, count, 50);
  }

  /** What the nodes were asked to store last. */
  get asked(): SemaphoreSize | undefined {
    return this.nodes[0]?.last("size").operation.keys.permits?.size.current;
  }

  /** Answers as nodes do: each stores what is newer than what it has. `undefined` is silent. */
  async store(...had: (SemaphoreSize | "fails")[]): Promise<void> {
    const { asked } = this;
    if (asked === undefined) throw new Error("nothing was asked");
    const votes = had.map((size) => {
      if (size === "fails") return fault("disconnected");
      const isNewer = size.version >= asked.version;
      // As the pipeline does with every vote.
      if (isNewer && size.version > this.known.current.version) this.known.learn(size);
      return says(isNewer ? size : asked);
    });
    this.answer("size", votes);
    await settle();
  }
}

const OLD = { count: 2, version: 0 };

describe("resize", () => {
  it("has succeeded once a quorum has stored it, with a version of the wall clock", async () => {
    const bench = new Bench();
    const resizing = bench.resize(5);
    const wallMs = Math.floor(bench.clock.wallUs() / 1_000);
    expect(bench.asked).to.deep.equal({ count: 5, version: wallMs });
    await bench.store(OLD, "fails", OLD);
    expect(await resizing).to.equal(undefined);
    expect(bench.known.current).to.deep.equal({ count: 5, version: wallMs });
    expect(bench.counts("size")).to.deep.equal([1, 1, 1]);
  });

  it("is newer than what its process knows, whatever its clock says", async () => {
    const bench = new Bench();
    const version = bench.clock.wallUs();
    bench.known.current = { count: 9, version };
    void bench.resize(5);
    expect(bench.asked).to.deep.equal({ count: 5, version: version + 1 });
  });

  it("asks again above what nodes have, until a quorum has stored it", async () => {
    const bench = new Bench();
    const resizing = bench.resize(5);
    const { version } = bench.asked ?? OLD;
    await bench.store({ count: 3, version: version + 7 }, { count: 4, version: version + 9 }, OLD);
    expect(bench.asked).to.deep.equal({ count: 5, version: version + 10 });
    expect(await stateOf(resizing)).to.equal("pending");
    await bench.store(OLD, OLD, OLD);
    expect(await resizing).to.equal(undefined);
    expect(bench.known.current).to.deep.equal({ count: 5, version: version + 10 });
  });

  it("asks again above what only a minority has, which could come into force later", async () => {
    const bench = new Bench();
    const resizing = bench.resize(5);
    const { version } = bench.asked ?? OLD;
    await bench.store(OLD, OLD, { count: 8, version: version + 20 });
    expect(await stateOf(resizing)).to.equal("pending");
    expect(bench.asked).to.deep.equal({ count: 5, version: version + 21 });
    await bench.store(OLD, OLD, "fails");
    expect(await resizing).to.equal(undefined);
    expect(bench.known.current).to.deep.equal({ count: 5, version: version + 21 });
  });

  it("ends where nothing is newer than what nodes have", async () => {
    const bench = new Bench();
    const newest = { count: 9, version: Number.MAX_SAFE_INTEGER };
    bench.known.current = newest;
    const resizing = bench.resize(5);
    expect(bench.asked).to.deep.equal({ count: 5, version: Number.MAX_SAFE_INTEGER });
    bench.answer("size", [says(newest), says(newest), says(newest)]);
    expect((await resizing)?.map((vote) => vote?.kind)).to.deep.equal([
      "granted",
      "granted",
      "granted",
    ]);
  });

  it("of one that was asked for with the same version by others, only the same number counts", async () => {
    const bench = new Bench();
    const resizing = bench.resize(5);
    const { version } = bench.asked ?? OLD;
    await bench.store({ count: 7, version }, { count: 7, version }, OLD);
    expect(bench.asked?.version).to.equal(version + 1);
    expect(await stateOf(resizing)).to.equal("pending");
  });

  it("has failed where no quorum answers, and is not known then", async () => {
    const bench = new Bench();
    const resizing = bench.resize(5);
    await bench.store(OLD, "fails", "fails");
    expect((await resizing)?.map(({ kind } = fault()) => kind)).to.deep.equal([
      "granted",
      "fault",
      "fault",
    ]);
    expect(bench.known.current).to.deep.equal(OLD);
    expect(bench.counts("size")).to.deep.equal([1, 1, 1]);
  });

  it("has failed where a quorum answers late", async () => {
    const bench = new Bench();
    const resizing = bench.resize(5);
    bench.clock.advance(50);
    expect((await resizing)?.map((vote) => vote?.kind)).to.deep.equal(["fault", "fault", "fault"]);
  });
});

describe("askSize", () => {
  it("waits for every node", async () => {
    const bench = new CoordinatorBench();
    const asking = askSize(bench.context, permitLock(KEYS, 3), 50);
    bench.answer("size", [says(OLD, [0]), says(OLD, [1])]);
    expect(await stateOf(asking)).to.equal("pending");
    bench.answer("size", [undefined, undefined, says(OLD, [])]);
    expect(
      (await asking).map((vote) => vote?.kind === "granted" && vote.freePermits),
    ).to.deep.equal([[0], [1], []]);
  });
});
