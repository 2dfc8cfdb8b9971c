import { expect } from "chai";
import * as fc from "fast-check";
import { seededChoices, type Choices } from "../../sim/choices.js";
import { SimProcess } from "../../sim/sim-process.js";
import { World } from "../../sim/world.js";

function start(
  choices: Choices = seededChoices(1),
  steadyPpm = 0,
  wallPpm = steadyPpm,
): { world: World; process: SimProcess } {
  const world = new World();
  const settings = { name: "c0", wallStartUs: 1_700_000_000_000_000, timerSlopUs: 1 };
  const process = new SimProcess(world, choices, { ...settings, steadyPpm, wallPpm });
  return { world, process };
}

const fixed = (picked: number): Choices => ({ pick: () => picked });

describe("a simulated process", () => {
  it("fires timers never early by its own clock", async () => {
    const { world, process } = start(seededChoices(1), -5_000);
    const startMs = process.clock.steady();
    let firedMs = 0;
    process.clock.setTimer(100, () => {
      firedMs = process.clock.steady();
    });
    await world.run(200_000);
    expect(firedMs - startMs).to.be.within(100, 101);
    expect(world.nowUs).to.equal(200_000);
  });

  for (const [order, picked] of [
    ["timers, then replies", 0],
    ["replies, then timers", 1],
  ] as const) {
    it(`finds what came during a pause waiting: ${order}`, async () => {
      const { world, process } = start(fixed(picked));
      const seen: string[] = [];
      process.clock.setTimer(10, () => seen.push("timer"));
      world.at(5_000, () => process.pause());
      world.at(6_000, () => process.enter(() => seen.push("reply")));
      await world.run(50_000);
      expect(seen).to.deep.equal([]);
      process.resume();
      await world.run(60_000);
      expect(seen).to.deep.equal(picked === 0 ? ["timer", "reply"] : ["reply", "timer"]);
    });
  }

  it("stands still in a suspend, all but its wall clock and what is measured with it", async () => {
    const { world, process } = start();
    const before = [process.clock.steady(), process.clock.now()] as const;
    let firedUs = 0;
    process.clock.setTimer(100, () => {
      firedUs = world.nowUs;
    });
    world.at(50_000, () => process.suspend());
    world.at(1_050_000, () => process.wake());
    await world.run(2_000_000);
    expect(process.clock.steady() - before[0]).to.equal(1_000);
    expect(process.clock.now() - before[1]).to.be.within(1_999, 2_001);
    expect(firedUs).to.be.within(1_100_000, 1_101_000);
  });

  it("foresees when its lease clock will show a time, through a suspend", async () => {
    const { world, process } = start();
    const leaseMs = process.clock.now() + 500;
    expect(process.trueUsAtLease(leaseMs)).to.equal(500_000);
    world.at(100_000, () => process.suspend());
    await world.run(200_000);
    expect(process.trueUsAtLease(leaseMs)).to.be.within(500_000, 502_000);
  });

  it("foresees that whatever its clocks do", () => {
    const ppm = fc.integer({ min: -150_000, max: 150_000 });
    const ms = fc.integer({ min: 1, max: 20_000 });
    const jump = fc.integer({ min: -20_000, max: 20_000 });
    fc.assert(
      fc.property(ppm, ppm, ms, jump, fc.boolean(), (steady, wall, leftMs, byMs, isSuspended) => {
        const { process } = start(seededChoices(1), steady, wall);
        const leaseMs = process.clock.now() + leftMs;
        process.jumpWall(byMs);
        if (isSuspended) process.suspend();
        const atUs = process.trueUsAtLease(leaseMs);
        expect(process.peekLeaseMs(atUs)).to.be.at.least(leaseMs);
        const slowest = 1 + Math.min(steady, wall) / 1_000_000;
        const missedMs = isSuspended ? Math.max(0, -byMs) : 0;
        expect(atUs).to.be.at.most(((leftMs + missedMs + 10) * 1_000) / slowest);
      }),
    );
  });

  it("foresees nothing while both of its clocks stand still", () => {
    const { process } = start(seededChoices(1), 0, -1_000_000);
    process.suspend();
    expect(process.trueUsAtLease(process.clock.now() + 1)).to.equal(Number.POSITIVE_INFINITY);
  });

  it("runs nothing after a crash", async () => {
    const { world, process } = start();
    const seen: string[] = [];
    process.clock.setTimer(10, () => seen.push("timer"));
    process.enter(() => seen.push("entered"));
    process.crash();
    await world.run(100_000);
    expect(seen).to.deep.equal([]);
    expect(process.timerCount).to.equal(0);
  });
});
