import type { Scope } from "./scope.js";

const NOTHING: Scope = {
  fences: [undefined, undefined, undefined],
  proposals: [1, 1],
  duplicateCount: 0,
  expiryCount: 0,
  crashCount: 0,
  healCount: 0,
  strangerCount: 0,
  canGiveUp: false,
};

export interface NamedScope extends Scope {
  readonly title: string;
}

const scope = (title: string, more: Partial<Scope>): NamedScope => ({ title, ...NOTHING, ...more });

/** A few seconds in all. */
export const SMALL_SCOPES: readonly NamedScope[] = [
  scope("two attempts, either may give up", { canGiveUp: true }),
  scope("a key expires", { expiryCount: 1 }),
  scope("a node forgets", { crashCount: 1 }),
  scope("another name is granted", { strangerCount: 1 }),
];

/** A few minutes, most of them for the last one, and a gigabyte. */
export const BIG_SCOPES: readonly NamedScope[] = [
  ...SMALL_SCOPES,
  scope("an operation comes twice", { duplicateCount: 1 }),
  scope("two keys expire", { expiryCount: 2, canGiveUp: true }),
  scope("a key expires, an operation comes twice", {
    ...{ fences: [1, undefined, undefined], expiryCount: 1, duplicateCount: 1 },
  }),
  scope("counters and proposals that differ", {
    ...{ fences: [1, 2, 4], proposals: [3, 1], expiryCount: 2 },
  }),
  scope("a node forgets, a key expires", { crashCount: 1, expiryCount: 1, canGiveUp: true }),
  scope("a holder heals", { healCount: 1, expiryCount: 1 }),
  scope("two other names are granted, a key expires", { strangerCount: 2, expiryCount: 1 }),
  scope("another name is granted, an operation comes twice", {
    strangerCount: 1,
    duplicateCount: 1,
  }),
  scope("three attempts", { proposals: [1, 1, 1] }),
  scope("three attempts, a key expires", { proposals: [1, 1, 1], expiryCount: 1 }),
];
