import { expect } from "chai";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { generateScenario } from "../../sim/generate.js";
import { PROFILES } from "../../sim/profiles.js";
import { simulate } from "../../sim/simulate.js";

/** Our sources, or what they are compiled to, in a stack: this test aside. */
const OURS = /(?<!\/test)\/(?:src|sim)\/(?:\w[\w-]*\/)*[\w-]+\.(?:ts|js)(?=:)/;

type Any = (...args: never[]) => unknown;

/** Runs, and tells which of the clocks, timers and randomness of this machine our code has used meanwhile. */
async function usedDuring(run: () => Promise<unknown>): Promise<string[]> {
  const used = new Set<string>();
  const watched: readonly (readonly [object, string])[] = [
    ...["setTimeout", "setInterval"].map((name) => [globalThis, name] as const),
    ...([
      [Date, "now"],
      [performance, "now"],
      [Math, "random"],
    ] as const),
    ...([
      [process, "nextTick"],
      [process, "emitWarning"],
    ] as const),
    ...["randomFillSync", "randomBytes", "randomUUID"].map((name) => [crypto, name] as const),
  ];
  const originals = watched.map(([owner, name]) => {
    const original = (owner as Record<string, Any>)[name] as Any;
    const spy = function (this: unknown, ...args: never[]): unknown {
      const caller = OURS.exec(new Error("seen").stack ?? "")?.[0];
      if (caller !== undefined) used.add(`${name} in ${caller}`);
      return original.apply(this, args);
    };
    Object.assign(owner, { [name]: spy });
    return () => Object.assign(owner, { [name]: original });
  });
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    for (const restore of originals) restore();
    syncBuiltinESMExports();
  }
  return [...used];
}

describe("a simulated lock manager", () => {
  it("uses no clock, timer or randomness of this machine", async () => {
    const used = await usedDuring(async () => {
      for (const profile of PROFILES) await simulate(generateScenario(5, profile));
    });
    expect(used).to.deep.equal([]);
  });

  it("would be seen to use them", async () => {
    const { systemClock } = await import("../../src/runtime/system.js");
    const { systemEntropy } = await import("../../src/runtime/system.js");
    const used = await usedDuring(async () => {
      const clock = systemClock();
      clock.setTimer(0, () => {}).cancel();
      clock.defer(() => {});
      systemEntropy().id();
    });
    expect(used.map((each) => each.split(" ")[0])).to.include.members([
      ...["nextTick", "now", "randomFillSync", "setTimeout"],
    ]);
  });
});
