import { expect } from "chai";
import * as fc from "fast-check";
import { OverdueHolders } from "../../src/channel/overdue-holders.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { ownedLock } from "../../src/kinds/owned.js";
import { permitLock } from "../../src/kinds/permit.js";
import { severalLock } from "../../src/kinds/several.js";
import { sharedLock } from "../../src/kinds/shared.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import {
  newOperation,
  type OperationOf,
  type RefusedVote,
  type Vote,
} from "../../src/protocol/operation.js";
import type { Place } from "../../src/protocol/node-queue.js";
import { outwaitMs } from "../../src/protocol/lease-times.js";
import { ManualClock } from "../support/manual-clock.js";

const DRIFT = 0.01;
const NAME = keysOf("lock:", "name");
const OTHER = keysOf("lock:", "other");
const PERMIT = permitLock(NAME, 2, 1, [0]);
const KEPT_MS = 1_000;
const OVERDUE_MS = outwaitMs(KEPT_MS, DRIFT);
const LONG_MS = 60_000;

const sign = (end: number, who = "aaaaaa", keptMs = KEPT_MS): string => `${keptMs}~${who}@${end}`;

const ABOUT = { ownerId: "me", sendBeforeMs: Infinity };

function acquireOf(keys = NAME): OperationOf<"acquire"> {
  return newOperation("acquire", { ...ABOUT, keys, ttlMs: 1_000, fence: undefined });
}

function placesOf(keys: readonly LockKind[]): readonly Place[] {
  const waiter = { inbox: "i", ticket: 1, turnMs: 20, placePrefix: "" } as const;
  return keys.map((each) => ({ keys: each, waiter }));
}

class Bench {
  readonly clock = new ManualClock();
  readonly holders = new OverdueHolders(this.clock, DRIFT);

  /** The signs of those that an acquire ends. */
  take(keys = NAME): string | undefined {
    const expiry = this.holders.expiryBefore(acquireOf(keys));
    if (expiry !== undefined) expect(expiry).to.include({ kind: "expire", keys });
    return expiry?.ownerId;
  }

  /** What is left by the vote that an acquire gets which is refused with these signs. */
  told(signs: string, keys: LockKind = NAME, more: Partial<RefusedVote> = {}): number {
    const vote = {
      kind: "refused",
      reason: "held",
      remainingMs: LONG_MS,
      label: undefined,
    } as const;
    const read = this.holders.read(acquireOf(keys), { ...vote, signs, ...more });
    if (read.kind !== "refused") return Number.NaN;
    // However soon the holder is overdue, the key's own life is still told.
    expect(read.remainingMs).to.equal(more.remainingMs ?? LONG_MS);
    return read.overdueInMs ?? read.remainingMs;
  }

  /** The same by a refresh. */
  looked(signs: string, keys: readonly LockKind[], blockedMs: readonly number[]): number[] {
    return this.lookedAt(signs, placesOf(keys), blockedMs);
  }

  lookedAt(
    signs: string,
    places: readonly Place[],
    blockedMs: readonly number[],
    nowMs = 0,
  ): number[] {
    const looks = { nowMs, blockedMs: Float64Array.from(blockedMs), signs };
    const refresh = newOperation("refresh", { ...ABOUT, keys: NAME, places });
    const vote = this.holders.read(refresh, { kind: "granted", fence: 0, looks });
    return vote.kind === "granted" ? [...(vote.looks?.blockedMs ?? [])] : [];
  }
}

describe("a holder of a name", () => {
  it("is overdue when its sign has been the same for longer than it can believe", () => {
    const bench = new Bench();
    const { clock } = bench;
    bench.told(sign(1));
    clock.advance(OVERDUE_MS - 1);
    bench.told(sign(1));
    expect(bench.take()).to.equal(undefined);
    clock.advance(1);
    expect(bench.take()).to.equal(sign(1));
    expect(bench.take(OTHER)).to.equal(undefined);
  });

  it("is watched on while sets of names are refused for the others of them", () => {
    const bench = new Bench();
    const set = severalLock([NAME, OTHER]);
    bench.told(sign(1));
    bench.clock.advance(OVERDUE_MS / 2);
    bench.told(sign(2, "bbbbbb"), set);
    bench.clock.advance(OVERDUE_MS / 2);
    bench.told(sign(1));
    expect(bench.take()).to.equal(sign(1));
    expect(bench.take(set)).to.equal(undefined);
    bench.clock.advance(OVERDUE_MS / 2);
    expect(bench.take(set)).to.equal(sign(2, "bbbbbb"));
  });

  it("is watched anew behind each renewal, also if an older sign is told late", () => {
    const bench = new Bench();
    const { clock } = bench;
    for (const end of [1, 2, 1]) {
      bench.told(sign(end));
      clock.advance(OVERDUE_MS - 1);
      expect(bench.take()).to.equal(undefined);
    }
    bench.told(sign(1));
    clock.advance(1);
    expect(bench.take()).to.equal(sign(1));
  });

  const forgetting: Readonly<Record<string, (bench: Bench) => void>> = {
    "a grant": ({ holders }) => {
      holders.read(acquireOf(), { kind: "granted", fence: 1 });
    },
    "a refusal without a sign": (bench) => void bench.told(""),
    "a refresh without a sign": (bench) => void bench.looked("", [NAME], [0]),
    "another record of the node": ({ holders }) => holders.clear(),
  };
  for (const [what, happens] of Object.entries(forgetting)) {
    it(`is forgotten behind ${what}`, () => {
      const bench = new Bench();
      bench.told(sign(1));
      happens(bench);
      bench.clock.advance(OVERDUE_MS);
      expect(bench.take()).to.equal(undefined);
      bench.told(sign(1));
      expect(bench.take()).to.equal(undefined);
    });
  }

  const beside: Readonly<Record<string, LockKind>> = {
    "another reader": sharedLock(NAME),
    "another permit": PERMIT,
    "another hold of its owner": ownedLock(NAME, "job"),
  };
  for (const [what, keys] of Object.entries(beside)) {
    it(`is not forgotten behind the grant of ${what}: it may be there still`, () => {
      const bench = new Bench();
      bench.told(`${sign(1)};${sign(2, "bbbbbb", 2 * KEPT_MS)}`, keys);
      bench.holders.read(acquireOf(keys), { kind: "granted", fence: 1 });
      bench.clock.advance(OVERDUE_MS);
      expect(bench.take(keys)).to.equal(sign(1));
    });

    it(`is forgotten behind the grant of ${what} that has ended it`, () => {
      const bench = new Bench();
      bench.told(`${sign(1)};${sign(2, "bbbbbb", 2 * KEPT_MS)}`, keys);
      bench.clock.advance(OVERDUE_MS);
      expect(bench.take(keys)).to.equal(sign(1));
      bench.holders.read(acquireOf(keys), { kind: "granted", fence: 1 });
      bench.clock.advance(2 * OVERDUE_MS);
      expect(bench.take(keys)).to.equal(sign(2, "bbbbbb", 2 * KEPT_MS));
      bench.holders.read(acquireOf(keys), { kind: "granted", fence: 1 });
      bench.clock.advance(OVERDUE_MS);
      expect(bench.take(keys)).to.equal(undefined);
    });
  }

  const harmless: readonly Vote[] = [
    { kind: "fault", fault: "timeout", sent: true, message: "" },
    { kind: "fault", fault: "disconnected", sent: false, message: "" },
  ];
  for (const vote of harmless) {
    it(`is not forgotten behind a fault: ${JSON.stringify(vote)}`, () => {
      const bench = new Bench();
      bench.told(sign(1));
      expect(bench.holders.read(acquireOf(), vote)).to.equal(vote);
      bench.clock.advance(OVERDUE_MS);
      expect(bench.take()).to.equal(sign(1));
    });
  }

  it("is ended at most once a second: a node may be unable to", () => {
    const bench = new Bench();
    const { clock } = bench;
    bench.told(sign(1));
    clock.advance(OVERDUE_MS);
    expect(bench.take()).to.equal(sign(1));
    expect(bench.take()).to.equal(undefined);
    expect(bench.told(sign(1))).to.equal(1_001);
    clock.advance(1_000);
    expect(bench.take()).to.equal(sign(1));
  });

  it("that sends what is no sign is left to its expiry", () => {
    const bench = new Bench();
    for (const text of ["x", ";", "1~a@1", "0~aaaaaa@1", "1e9~aaaaaa@1"]) {
      expect(bench.told(text)).to.equal(LONG_MS);
      bench.clock.advance(LONG_MS);
      expect(bench.take()).to.equal(undefined);
    }
  });
});

describe("what is left", () => {
  it("is told by the clock that watches where that is less than the expiry", () => {
    const bench = new Bench();
    expect(bench.told(sign(1))).to.equal(OVERDUE_MS + 1);
    bench.clock.advance(400);
    expect(bench.told(sign(1))).to.equal(OVERDUE_MS + 1 - 400);
    expect(bench.told(sign(1), NAME, { remainingMs: 30 })).to.equal(30);
  });

  it("is the longest of all who hold it, and of permits the shortest", () => {
    const both = `${sign(1, "aaaaaa", 100)};${sign(2, "bbbbbb", 2_000)}`;
    expect(new Bench().told(both)).to.equal(outwaitMs(2_000, DRIFT) + 1);
    const taken = { takenPermits: 2 };
    expect(new Bench().told(both, PERMIT, taken)).to.equal(outwaitMs(100, DRIFT) + 1);
    expect(new Bench().looked(both, [PERMIT], [LONG_MS])).to.deep.equal([
      outwaitMs(100, DRIFT) + 1,
    ]);
  });

  it("is told by refreshes too, name by name", () => {
    const bench = new Bench();
    const look = (): number[] => bench.looked(`${sign(1)},`, [NAME, OTHER], [LONG_MS, LONG_MS]);
    expect(look()).to.deep.equal([OVERDUE_MS + 1, LONG_MS]);
    bench.clock.advance(500);
    expect(look()).to.deep.equal([OVERDUE_MS + 1 - 500, LONG_MS]);
    bench.clock.advance(OVERDUE_MS);
    // Free to whoever asks.
    expect(look()[0]).to.be.at.most(1);
    expect(bench.take()).to.equal(sign(1));
  });
});

it("names are forgotten, as others come, a minute after their holders could be ended", () => {
  const bench = new Bench();
  const name = (at: number) => keysOf("lock:", `${at}`);
  for (let at = 0; at < 100; at++) bench.told(sign(1), name(at));
  bench.clock.advance(OVERDUE_MS + 59_000);
  for (let at = 100; at < 200; at++) bench.told(sign(1), name(at));
  expect(bench.take(name(0)), "not before").to.equal(sign(1));
  bench.clock.advance(2_000);
  for (let at = 200; at < 400; at++) bench.told(sign(1), name(at));
  bench.clock.advance(OVERDUE_MS);
  for (let at = 0; at < 400; at++) {
    const isKept = at === 0 || at >= 100;
    expect(bench.take(name(at)), `${at}`).to.equal(isKept ? sign(1) : undefined);
  }
});

it("the names of the oldest refusals are forgotten beyond 16,384", () => {
  const bench = new Bench();
  for (let at = 0; at <= 16_384; at++) bench.told(sign(1), keysOf("lock:", `${at}`));
  bench.clock.advance(OVERDUE_MS);
  expect(bench.take(keysOf("lock:", "0"))).to.equal(undefined);
  for (const name of ["1", "16384"]) {
    expect(bench.take(keysOf("lock:", name))).to.equal(sign(1));
  }
});

/** What happens to one of a few names on the node, what is read of it there, or of all of them. */
const HAPPENS = [
  ...(["renew", "take", "beside", "free"] as const),
  ...(["refuse", "end", "grant", "expire", "forget", "look", "look"] as const),
];

it("names that are refreshed together again and again are watched as if each time were the first", () => {
  const names = [NAME, OTHER, keysOf("lock:", "third"), sharedLock(keysOf("lock:", "read"))];
  const step = fc.record({
    what: fc.constantFrom(...HAPPENS),
    at: fc.nat({ max: names.length - 1 }),
    afterMs: fc.constantFrom(0, 0, 10, 400, OVERDUE_MS),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 80 }), (steps) => {
      const [again, first] = [new Bench(), new Bench()];
      const both = [again, first];
      const together = placesOf(names);
      const holders: { readonly who: string; readonly endMs: number }[][] = names.map(() => []);
      let taken = 0;
      const signsOf = (at: number): string =>
        (holders[at] ?? []).map(({ who, endMs }) => sign(endMs, who)).join(";");
      /** As a node says it: the only holder ends when its key does. */
      const openOf = (at: number): string =>
        holders[at]?.length === 1 ? sign(0, holders[at]?.[0]?.who).slice(0, -1) : signsOf(at);
      for (const { what, at, afterMs } of steps) {
        for (const { clock } of both) clock.advance(afterMs);
        const nowMs = Math.floor(again.clock.steady());
        const keys = names[at] as LockKind;
        const holder = { who: `${100_000 + taken}`, endMs: nowMs + 1_000 * (1 + (taken++ % 3)) };
        if (what === "renew")
          holders[at] = (holders[at] ?? []).map(({ who }) => ({ ...holder, who }));
        else if (what === "take") holders[at] = [holder];
        else if (what === "beside") holders[at] = [...(holders[at] ?? []), holder];
        else if (what === "free") holders[at] = [];
        else if (what === "refuse") {
          const [one, other] = both.map((each) => each.told(signsOf(at), keys));
          expect(one).to.equal(other);
        } else if (what === "end") for (const each of both) each.told("", keys);
        else if (what === "forget") for (const { holders: all } of both) all.clear();
        else if (what === "grant")
          for (const each of both)
            each.holders.read(acquireOf(keys), { kind: "granted", fence: 1 });
        else if (what === "expire") expect(again.take(keys)).to.equal(first.take(keys));
        else {
          const blocked = names.map((_, each) =>
            Math.max(0, ...(holders[each] ?? []).map(({ endMs }) => endMs - nowMs)),
          );
          const closed = names.map((_, each) => signsOf(each)).join();
          const isOpen = holders.every((all) => all.every(({ endMs }) => endMs >= nowMs));
          const signs = isOpen ? names.map((_, each) => openOf(each)).join() : closed;
          expect(again.lookedAt(signs, together, blocked, nowMs)).to.deep.equal(
            first.looked(closed, names, blocked),
          );
        }
      }
    }),
    { numRuns: 300 },
  );
});
