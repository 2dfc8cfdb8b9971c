import type { Entropy } from "../../src/coordinator/ports.js";

/** The same numbers and ids for the same seed; ids say in which order they were made. */
export function seededEntropy(seed = 1): Entropy {
  let state = seed >>> 0;
  let idCount = 0;
  return {
    unit: () => {
      // mulberry32: small, and random enough to tell delays apart.
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
    id: () => `id${++idCount}-${seed}-of-seed-`.padEnd(22, "_"),
  };
}
