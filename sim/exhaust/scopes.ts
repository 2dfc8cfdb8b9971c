import type { Scope } from "./scope.js";

const NOTHING: Scope = {
  fences: [undefined, undefined, undefined],
  proposals: [20, 20],
  clientCount: 2,
  askCount: 0,
  eraCount: 0,
  duplicateCount: 0,
  expiryCount: 0,
  crashCount: 0,
  healCount: 0,
  strangerCount: 0,
  after: [],
  canGiveUp: false,
};

export interface NamedScope extends Scope {
  readonly title: string;
}

const scope = (title: string, more: Partial<Scope>): NamedScope => ({ title, ...NOTHING, ...more });

const NODES = [0, 1, 2];

/** The first attempt holds, and all nodes have refused the second, which waits. */
export const WAITED_FOR: readonly string[] = [
  "begin 0",
  ...NODES.map((node) => `acquire0>${node}:20`),
  ...[0, 1].map((node) => `acquire0>${node}:20=+20`),
  "begin 1",
  ...NODES.map((node) => `acquire1>${node}:20`),
  ...NODES.map((node) => `acquire1>${node}:20=r`),
];

/** A few seconds in all. */
export const SMALL_SCOPES: readonly NamedScope[] = [
  scope("two attempts, either may give up", { canGiveUp: true }),
  scope("a key expires", { expiryCount: 1 }),
  scope("a node forgets", { crashCount: 1 }),
  scope("another name is granted", { strangerCount: 1 }),
  scope("one waits for the other", { askCount: 1 }),
];

/** A few minutes, most of them for the last one, and a gigabyte. */
export const BIG_SCOPES: readonly NamedScope[] = [
  ...SMALL_SCOPES,
  scope("an operation comes twice", { duplicateCount: 1 }),
  scope("two keys expire", { expiryCount: 2, canGiveUp: true }),
  scope("a key expires, an operation comes twice", {
    ...{ fences: [20, undefined, undefined], expiryCount: 1, duplicateCount: 1 },
  }),
  scope("counters and proposals that differ", {
    ...{ fences: [20, 40, 80], proposals: [60, 20], expiryCount: 2 },
  }),
  scope("a node forgets, a key expires", { crashCount: 1, expiryCount: 1, canGiveUp: true }),
  scope("a holder heals", { healCount: 1, expiryCount: 1 }),
  scope("two other names are granted, a key expires", { strangerCount: 2, expiryCount: 1 }),
  scope("another name is granted, an operation comes twice", {
    strangerCount: 1,
    duplicateCount: 1,
  }),
  scope("three attempts", { proposals: [20, 20, 20] }),
  scope("three attempts, a key expires", { proposals: [20, 20, 20], expiryCount: 1 }),
  scope("one waits for the other, either may give up", { askCount: 2, canGiveUp: true }),
  scope("one waits, a key expires", { askCount: 1, expiryCount: 1 }),
  scope("one waits, an operation comes twice", { askCount: 1, duplicateCount: 1 }),
  scope("one waits, the life of the keys passes", { askCount: 2, eraCount: 1 }),
  scope("two wait, the life of the keys passes", {
    ...{ askCount: 1, eraCount: 1, proposals: [20, 20, 20], after: WAITED_FOR, canGiveUp: true },
  }),
  scope("three wait, a key expires", {
    ...{ askCount: 1, expiryCount: 1, proposals: [20, 20, 20], clientCount: 3, after: WAITED_FOR },
  }),
];
