import { expect } from "chai";
import { ReentryError, type ReentryProblem } from "../../../src/api/reentry-error.js";
import { LockLostError, type Lock } from "../../../src/index.js";
import { exclusiveLock } from "../../../src/kinds/exclusive.js";
import { ownedLock } from "../../../src/kinds/owned.js";
import { permitLock } from "../../../src/kinds/permit.js";
import { redissonLock } from "../../../src/kinds/redisson.js";
import { severalLock } from "../../../src/kinds/several.js";
import { sharedLock } from "../../../src/kinds/shared.js";
import type { LeaseHandle } from "../../../src/coordinator/lease.js";
import { Reentry } from "../../../src/manager/reentry/reentry.js";
import { nameKeys } from "../../../src/protocol/keys.js";
import type { LockKind } from "../../../src/protocol/lock-kind.js";

const [A, B, C] = [nameKeys("", "a"), nameKeys("", "b"), nameKeys("", "c")];

const KINDS: Readonly<Record<string, LockKind>> = {
  exclusive: exclusiveLock(A),
  shared: sharedLock(A),
  "a and b": severalLock([A, B]),
  "b and c": severalLock([B, C]),
  "owner 1": ownedLock(A, "1"),
  "owner 2": ownedLock(A, "2"),
  "owner 1 of Redisson": redissonLock(A, "1"),
  permit: permitLock(A, 3, 1, [1]),
  c: exclusiveLock(C),
};

/** Of what is held: which others join it. All but the rest of this list are an upgrade. */
const JOINED: Readonly<Record<string, readonly string[]>> = {
  exclusive: ["exclusive", "shared"],
  shared: ["shared"],
  "a and b": ["exclusive", "shared", "a and b"],
  "owner 1": ["owner 1"],
  "owner 1 of Redisson": ["owner 1 of Redisson"],
};

/** Of what is held: of which others it has only a part, and which it has nothing to do with. */
const PARTIAL: Readonly<Record<string, readonly string[]>> = {
  exclusive: ["a and b"],
  shared: ["a and b"],
  "a and b": ["b and c"],
  "owner 1": ["a and b"],
  "owner 1 of Redisson": ["a and b"],
};
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  exclusive: ["b and c", "c"],
  shared: ["b and c", "c"],
  "a and b": ["c"],
  "owner 1": ["b and c", "c"],
  "owner 1 of Redisson": ["b and c", "c"],
};

type Ending = "lost" | "released" | undefined;

/** A lock as the coordinator has it. */
function leaseOf(keys: LockKind, ending: () => Ending): LeaseHandle {
  return {
    ...{ keys, ownerId: "id", fencingToken: 7, remainingMs: 1, state: "held" as const },
    get lossReason() {
      return ending() === "lost" ? "expired" : undefined;
    },
    isHeld: () => ending() === undefined,
    release: () => Promise.resolve("released"),
  } as unknown as LeaseHandle;
}

/** Runs it in the callback of a request that holds the lock. */
function within<T>(reentry: Reentry, held: LockKind, run: (end: (how: Ending) => void) => T): T {
  const opening = reentry.open();
  let ending: Ending;
  const handle = opening.begin(leaseOf(held, () => ending));
  const end = (how: Ending): void => {
    ending = how;
    if (how === "released") void handle.release();
  };
  return opening.enclose(() => run(end))(undefined as unknown as Lock);
}

/** What comes of asking for a lock there. */
function outcomeOf(
  reentry: Reentry,
  wanted: LockKind,
  how: { readonly reentrant?: boolean; readonly waitMs?: number; readonly opens?: boolean } = {},
): ReentryProblem | "joins" | "asks" | "lost" {
  const { reentrant, waitMs = 30_000, opens = false } = how;
  try {
    const opening = opens ? reentry.open() : undefined;
    return reentry.join(wanted, reentrant, waitMs, opening) === undefined ? "asks" : "joins";
  } catch (error) {
    if (error instanceof LockLostError) return "lost";
    if (error instanceof ReentryError) return error.problem;
    throw error;
  }
}

function expected(held: string, wanted: string): ReentryProblem | "joins" {
  if (JOINED[held]?.includes(wanted)) return "joins";
  if (PARTIAL[held]?.includes(wanted)) return "partial";
  return OUTSIDE[held]?.includes(wanted) ? "outside" : "upgrade";
}

describe("A lock that a callback has", () => {
  const reentrant = true;

  for (const held of Object.keys(JOINED)) {
    for (const [wanted, keys] of Object.entries(KINDS)) {
      const outcome = expected(held, wanted);
      it(`is ${held}: one asks for ${wanted}, which ${outcome === "joins" ? outcome : `is "${outcome}"`}`, () => {
        const reentry = new Reentry();
        within(reentry, KINDS[held] as LockKind, () => {
          expect(outcomeOf(reentry, keys, { reentrant })).to.equal(outcome);
          const opening = outcomeOf(reentry, keys, { reentrant, opens: true });
          expect(opening, "a request").to.equal(outcome === "outside" ? "asks" : outcome);
          expect(outcomeOf(reentry, keys, { reentrant: false })).to.equal("asks");
        });
        expect(outcomeOf(reentry, keys, { reentrant }), "behind it").to.equal("outside");
        expect(outcomeOf(reentry, keys), "behind it").to.equal("asks");
      });

      it(`is ${held}: one that asks for ${wanted} without the option does not wait for itself`, () => {
        const reentry = new Reentry();
        within(reentry, KINDS[held] as LockKind, () => {
          const isSameOwner = keys.owner !== undefined && keys.owner === KINDS[held]?.owner;
          const mayAsk = outcome === "outside" || isSameOwner;
          // There is no option to join with a permit.
          const problem = wanted === "permit" ? "upgrade" : "self";
          expect(outcomeOf(reentry, keys)).to.equal(mayAsk ? "asks" : problem);
          expect(outcomeOf(reentry, keys, { waitMs: 0 }), "one attempt").to.equal("asks");
        });
      });
    }
  }

  it("is not joined once it has ended", () => {
    const reentry = new Reentry();
    const keys = KINDS["exclusive"] as LockKind;
    within(reentry, keys, (end) => {
      end("lost");
      expect(outcomeOf(reentry, keys, { reentrant })).to.equal("lost");
      expect(outcomeOf(reentry, keys), "whoever waits gets it").to.equal("asks");
    });
    within(reentry, keys, (end) => {
      end("released");
      expect(outcomeOf(reentry, keys, { reentrant })).to.equal("outside");
      expect(outcomeOf(reentry, keys)).to.equal("asks");
    });
  });

  it("is the innermost that is still held", () => {
    const reentry = new Reentry();
    const [outer, inner] = [KINDS["exclusive"], KINDS["owner 1"]] as [LockKind, LockKind];
    within(reentry, outer, () => {
      within(reentry, inner, (end) => {
        expect(outcomeOf(reentry, outer, { reentrant })).to.equal("upgrade");
        end("released");
        expect(outcomeOf(reentry, outer, { reentrant })).to.equal("joins");
      });
    });
  });

  it("is nobody else's", () => {
    const [own, other] = [new Reentry(), new Reentry()];
    // From now on it looks.
    other.open();
    const keys = KINDS["exclusive"] as LockKind;
    within(own, keys, () => {
      expect(outcomeOf(other, keys, { reentrant })).to.equal("outside");
      expect(outcomeOf(other, keys)).to.equal("asks");
    });
  });

  it("costs nothing before anybody asks for it", () => {
    expect(outcomeOf(new Reentry(), KINDS["exclusive"] as LockKind)).to.equal("asks");
  });
});
