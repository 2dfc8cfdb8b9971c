/**
 * Randomness that yields the same numbers on every version of Node: 32-bit integer arithmetic only.
 * (`Math.log` and the like may differ in the last bit between engines.)
 */

/** Mixes the bits of a 32-bit integer. Source: the finalizer of MurmurHash3 (public domain). */
function spread(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** 32 bits that depend on the seed and on every character: FNV-1a, then mixed. */
export function hashText(seed: number, text: string): number {
  let h = 0x811c9dc5 ^ spread(seed);
  for (let at = 0; at < text.length; at++) {
    h = Math.imul(h ^ text.charCodeAt(at), 0x01000193);
  }
  return spread(h);
}

/** Folds one more integer into a running 32-bit hash. */
export function foldHash(hash: number, value: number): number {
  return spread(Math.imul(hash ^ (value | 0), 0x01000193) + 0x9e3779b9);
}

/** A stream of integers, for generating scenarios. */
export interface Random {
  /** Uniform in [0, count). */
  below(count: number): number;
  /** Uniform in [min, max], both included. */
  between(min: number, max: number): number;
  /** True in `percent` of 100 cases. */
  chance(percent: number): boolean;
  oneOf<T>(items: readonly T[]): T;
}

/** Source: sfc32 of PractRand (Chris Doty-Humphrey, public domain). */
export function seededRandom(seed: number): Random {
  let a = spread(seed);
  let b = spread(seed ^ 0x9e3779b9);
  let c = spread(Math.floor(seed / 2 ** 32) ^ 0x243f6a88);
  let counter = 1;
  const next = (): number => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) next();
  // The bias of this scaling is negligible for counts below 2^20.
  const below = (count: number): number => Math.floor((next() * count) / 2 ** 32);
  return {
    below,
    between: (min, max) => min + below(max - min + 1),
    chance: (percent) => below(100) < percent,
    oneOf: (items) => items[below(items.length)] as (typeof items)[number],
  };
}

/** The integers below `count`, in random order. */
export function shuffled(random: Random, count: number): number[] {
  const items = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last--) {
    const other = random.below(last + 1);
    [items[last], items[other]] = [items[other] as number, items[last] as number];
  }
  return items;
}
