import { expect } from "chai";
import * as fc from "fast-check";
import { Schedule, type Sleeper } from "../../src/coordinator/schedule.js";
import { ManualClock } from "../support/manual-clock.js";

class Recorder implements Sleeper {
  wakeAtMs = 0;
  heapIndex = -1;
  readonly wokenMs: number[] = [];
  onWake: (nowMs: number) => void = () => {};

  wake(nowMs: number): void {
    this.wokenMs.push(nowMs);
    this.onWake(nowMs);
  }
}

describe("Schedule", () => {
  it("wakes a sleeper at its instant, once", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const sleeper = new Recorder();
    schedule.set(sleeper, 300);
    clock.advance(299);
    expect(sleeper.wokenMs).to.deep.equal([]);
    clock.advance(5_000);
    expect(sleeper.wokenMs).to.deep.equal([300]);
    expect(sleeper.heapIndex).to.equal(-1);
  });

  it("arms no timer for more than a second, and still wakes at the instant", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const sleeper = new Recorder();
    schedule.set(sleeper, 3_600_000.5);
    clock.advance(3_600_001);
    expect(sleeper.wokenMs).to.deep.equal([3_600_000.5]);
    expect(Math.max(...clock.armedMs)).to.equal(1_000);
  });

  it("finds out within a second that the machine slept", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const sleeper = new Recorder();
    schedule.set(sleeper, 60_000);
    clock.advance(500);
    clock.suspend(3_600_000);
    clock.advance(1_000);
    expect(sleeper.wokenMs).to.have.length(1);
  });

  const lateness = [
    { title: "at its deadline", lateMs: 0, wokenMs: [300] },
    { title: "no more than a timer may be late", lateMs: 20, wokenMs: [320] },
    { title: "after a stall, a turn later: answers are read first", lateMs: 21, wokenMs: [328] },
  ];
  for (const { title, lateMs, wokenMs } of lateness) {
    it(`wakes one that waits for answers ${title}`, () => {
      const clock = new ManualClock(0);
      const schedule = new Schedule(clock);
      const sleeper = Object.assign(new Recorder(), { graceMs: 7 });
      schedule.set(sleeper, 300);
      clock.stall(300 + lateMs);
      clock.advance(100);
      expect(sleeper.wokenMs).to.deep.equal(wokenMs);
    });
  }

  it("puts off a deadline only once, however late it is met again", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const sleeper = Object.assign(new Recorder(), { graceMs: 1 });
    schedule.set(sleeper, 300);
    clock.stall(1_000);
    clock.advance(0);
    clock.stall(1_000);
    clock.advance(0);
    expect(sleeper.wokenMs).to.deep.equal([2_000]);
  });

  it("is not late for what was entered after the machine slept", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const [before, after] = [new Recorder(), new Recorder()];
    schedule.set(before, 60_000);
    clock.suspend(30_000);
    schedule.set(after, clock.now() + 200);
    clock.advance(200);
    expect(after.wokenMs).to.deep.equal([30_200]);
  });

  it("keeps one timer for any number of sleepers, which the next one finds armed", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const sleepers = Array.from({ length: 50 }, () => new Recorder());
    sleepers.forEach((sleeper, index) => schedule.set(sleeper, 100 + ((index * 37) % 50)));
    expect(clock.timerCount).to.equal(1);
    for (const sleeper of sleepers) schedule.remove(sleeper);
    expect(schedule.size).to.equal(0);
    const armedCount = clock.armedMs.length;
    schedule.set(sleepers[0] as Recorder, 200);
    expect(clock.armedMs).to.have.length(armedCount);
    clock.advance(200);
    expect(sleepers[0]?.wokenMs).to.deep.equal([200]);
    expect(clock.timerCount, "none for none").to.equal(0);
  });

  it("keeps none where nobody sleeps once it is closed, and still wakes those who do", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const [one, other] = [new Recorder(), new Recorder()];
    schedule.set(one, 100);
    schedule.remove(one);
    schedule.close();
    expect(clock.timerCount).to.equal(0);
    schedule.set(other, 300);
    clock.advance(300);
    expect(other.wokenMs).to.deep.equal([300]);
    schedule.set(one, 400);
    schedule.remove(one);
    expect(clock.timerCount).to.equal(0);
  });

  it("lets a sleeper move earlier and later", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const [a, b] = [new Recorder(), new Recorder()];
    schedule.set(a, 500);
    schedule.set(b, 600);
    schedule.set(a, 700);
    schedule.set(b, 100);
    clock.advance(1_000);
    expect([a.wokenMs, b.wokenMs]).to.deep.equal([[700], [100]]);
  });

  it("is run by hand after a stall, before anything else is believed", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const sleeper = new Recorder();
    schedule.set(sleeper, 100);
    clock.stall(5_000);
    schedule.run();
    expect(sleeper.wokenMs).to.deep.equal([5_000]);
  });

  it("lets a sleeper enter itself again, and remove another that is due, while it is woken", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const [again, other] = [new Recorder(), new Recorder()];
    again.onWake = (nowMs) => {
      schedule.remove(other);
      if (nowMs < 300) schedule.set(again, nowMs + 100);
    };
    schedule.set(again, 100);
    schedule.set(other, 100.5);
    clock.advance(1_000);
    expect(again.wokenMs).to.deep.equal([100, 200, 300]);
    expect(other.wokenMs).to.deep.equal([]);
  });

  it("looks for its next timer once, however many are woken and enter again together", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const sleepers = Array.from({ length: 100 }, () => new Recorder());
    sleepers.forEach((sleeper, index) => {
      sleeper.onWake = (nowMs) => schedule.set(sleeper, nowMs + 200 - index);
      schedule.set(sleeper, 64);
    });
    const armedBefore = clock.armedMs.length;
    clock.advance(64);
    expect(clock.armedMs.slice(armedBefore)).to.deep.equal([101]);
    clock.advance(101);
    expect(sleepers.at(-1)?.wokenMs).to.deep.equal([64, 165]);
  });

  it("goes on for the others when one fails", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const [bad, other] = [new Recorder(), new Recorder()];
    bad.onWake = () => {
      throw new Error("bad");
    };
    schedule.set(bad, 10);
    schedule.set(other, 10.5);
    expect(() => clock.advance(10)).to.throw("bad");
    clock.advance(1);
    expect(other.wokenMs).to.have.length(1);
  });

  it("ignores the removal of one that is in no heap", () => {
    const schedule = new Schedule(new ManualClock(0));
    const sleeper = new Recorder();
    schedule.remove(sleeper);
    schedule.set(sleeper, 5);
    schedule.remove(sleeper);
    schedule.remove(sleeper);
    expect(schedule.size).to.equal(0);
  });

  it("does as a naive model does, for any sequence of sets, removals and time", () => {
    const sleeperIndex = fc.nat(7);
    const command = fc.oneof(
      fc.record({ kind: fc.constant("set" as const), index: sleeperIndex, inMs: fc.nat(3_000) }),
      fc.record({ kind: fc.constant("remove" as const), index: sleeperIndex }),
      fc.record({ kind: fc.constant("advance" as const), ms: fc.nat(1_500) }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const clock = new ManualClock(0);
        const schedule = new Schedule(clock);
        const sleepers = Array.from({ length: 8 }, () => new Recorder());
        const wakeAt = new Map<number, number>();
        const expected = sleepers.map((): number[] => []);
        for (const command of commands) {
          if (command.kind === "set") {
            const at = clock.now() + command.inMs;
            schedule.set(sleepers[command.index] as Recorder, at);
            wakeAt.set(command.index, at);
          } else if (command.kind === "remove") {
            schedule.remove(sleepers[command.index] as Recorder);
            wakeAt.delete(command.index);
          } else {
            clock.advance(command.ms);
            for (const [index, at] of wakeAt) {
              if (at > clock.now()) continue;
              expected[index]?.push(at);
              wakeAt.delete(index);
            }
          }
          expect(schedule.size).to.equal(wakeAt.size);
        }
        expect(sleepers.map(({ wokenMs }) => wokenMs)).to.deep.equal(expected);
        expect(clock.armedMs.every((ms) => ms >= 0 && ms <= 1_000)).to.equal(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe("Schedule: stalls", () => {
  it("tells for how long nothing ran, at the longest since then, the present included", () => {
    const clock = new ManualClock(0);
    const schedule = new Schedule(clock);
    const sleeper = {
      wakeAtMs: 0,
      heapIndex: -1,
      wake: () => schedule.set(sleeper, clock.now() + 100),
    };
    schedule.set(sleeper, 100);
    clock.advance(1_000);
    expect(schedule.longestStallMs(0)).to.equal(0);
    for (const ms of [400, 250]) {
      clock.stall(ms);
      clock.advance(0);
    }
    expect(schedule.longestStallMs(0)).to.equal(300);
    expect(schedule.longestStallMs(1_400), "the first was over by then").to.equal(150);
    clock.stall(700);
    expect(schedule.longestStallMs(0), "no timer has run since").to.equal(600);
    expect(schedule.longestStallMs(clock.now() - 50), "as far as it is later").to.equal(50);
  });
});
