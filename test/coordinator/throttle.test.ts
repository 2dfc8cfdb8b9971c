import { expect } from "chai";
import { Throttle, type Throttled } from "../../src/coordinator/throttle.js";
import { ManualClock } from "../support/manual-clock.js";

class ThrottleBench {
  readonly clock = new ManualClock();
  readonly throttle = new Throttle(this.clock, 2, 1);
  readonly begun: string[] = [];

  enter(...names: readonly string[]): Throttled[] {
    return names.map((name) => {
      const item = { begin: () => this.begun.push(name) };
      this.throttle.enter(item, name.startsWith("urgent"));
      return item;
    });
  }
}

describe("A throttle", () => {
  it("lets in what there is room for, and the rest as others end: first all that is urgent", () => {
    const bench = new ThrottleBench();
    bench.enter("a", "b", "c", "urgent 1", "d", "urgent 2");
    const begunAfter = (count: number): string[] => {
      for (let ended = 0; ended < count; ended++) bench.throttle.onEnd();
      bench.clock.advance(0);
      return bench.begun.splice(0);
    };
    expect(begunAfter(0)).to.deep.equal(["a", "b", "urgent 1"]);
    expect(begunAfter(1)).to.deep.equal(["urgent 2"]);
    expect(begunAfter(1)).to.deep.equal([]);
    expect(begunAfter(1)).to.deep.equal(["c"]);
    expect(begunAfter(1)).to.deep.equal(["d"]);
    expect(bench.throttle).to.include({ waitingCount: 0, underWayCount: 2 });
  });

  it("begins the next in a turn of the event loop of its own, and needs none where nothing waits", () => {
    const bench = new ThrottleBench();
    const [, , waiting] = bench.enter("a", "b", "c");
    bench.throttle.onEnd();
    bench.clock.flush();
    expect(bench.begun).to.deep.equal(["a", "b"]);
    expect(bench.clock.timerCount).to.equal(1);
    bench.throttle.leave(waiting as Throttled);
    expect(bench.clock.timerCount).to.equal(0);
    bench.throttle.onEnd();
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("asks for its limit whenever one could begin", () => {
    const bench = new ThrottleBench();
    bench.enter("a", "b", "c", "d", "e");
    bench.throttle.limit = 4;
    bench.throttle.beginNext();
    expect(bench.begun).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("begins nothing more once it is closed, and lets nobody wait", () => {
    const bench = new ThrottleBench();
    const [, , waiting] = bench.enter("a", "b", "c");
    bench.throttle.close();
    bench.enter("d", "urgent");
    bench.throttle.onEnd();
    bench.clock.advance(0);
    expect(bench.begun).to.deep.equal(["a", "b"]);
    expect(bench.throttle.isWaiting(waiting as Throttled)).to.equal(false);
  });
});
