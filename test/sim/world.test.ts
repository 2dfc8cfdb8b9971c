import { expect } from "chai";
import { World } from "../../sim/world.js";

describe("the simulated world", () => {
  it("lets all promise jobs of a client's event run before time goes on", async () => {
    const world = new World();
    const seen: string[] = [];
    world.atClient(10, () => {
      void (async () => {
        for (let step = 0; step < 100; step++) await Promise.resolve();
        seen.push(`deep at ${world.nowUs}`);
      })();
    });
    world.at(11, () => seen.push("later"));
    await world.run(100);
    expect(seen).to.deep.equal(["deep at 10", "later"]);
  });

  it("runs what is planned for the past now, and what is called off never", async () => {
    const world = new World();
    const seen: number[] = [];
    world.at(50, () => world.at(10, () => seen.push(world.nowUs)));
    const off = world.at(60, () => seen.push(-1));
    off.run = undefined;
    await world.run(100);
    expect(seen).to.deep.equal([50]);
    expect(world.nowUs).to.equal(100);
  });

  it("runs what follows this event before all else that is due", async () => {
    const world = new World();
    const seen: string[] = [];
    world.atClient(10, () => {
      world.atClient(10, () => seen.push("due"));
      world.afterThis(() => seen.push("first"));
      world.afterThis(() => seen.push("second"));
      void Promise.resolve().then(() => seen.push("promise"));
    });
    await world.run(10);
    expect(seen).to.deep.equal(["promise", "first", "second", "due"]);
  });

  it("stops at the given instant, and goes on from there", async () => {
    const world = new World();
    const seen: number[] = [];
    for (const atUs of [10, 20, 30]) world.atClient(atUs, () => seen.push(atUs));
    await world.run(20);
    expect(seen).to.deep.equal([10, 20]);
    await world.run(40);
    expect(seen).to.deep.equal([10, 20, 30]);
  });

  it("passes on what an event throws", async () => {
    const world = new World();
    world.at(1, () => {
      throw new Error("broken");
    });
    const outcome = await world.run(10).catch((error: unknown) => String(error));
    expect(outcome).to.equal("Error: broken");
  });
});
