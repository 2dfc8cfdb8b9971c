import * as fc from "fast-check";

const STEPS = 2 ** 32;

/**
 * Evenly distributed in [0, 1), both ends more often, as `Entropy.unit` may be. (`fc.double` draws its bit
 * patterns evenly, and so hardly ever a number that is not next to 0.)
 */
export const unit: fc.Arbitrary<number> = fc
  .integer({ min: 0, max: STEPS - 1 })
  .map((n) => n / STEPS);

/** Evenly distributed from `min` to `max`, both included. */
export function uniform(min: number, max: number): fc.Arbitrary<number> {
  return fc
    .integer({ min: 0, max: STEPS - 1 })
    .map((n) => (n === STEPS - 1 ? max : min + (n / STEPS) * (max - min)));
}
