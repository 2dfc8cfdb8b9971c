import { expect } from "chai";
import * as fc from "fast-check";
import type { ManagedLease } from "../../src/coordinator/observer.js";
import { severalLock } from "../../src/kinds/several.js";
import { HeldLocks } from "../../src/manager/held-locks.js";
import { fenceBucketOf, nameKeys } from "../../src/protocol/keys.js";

/** Of so few chains that they share some, as names of other programs do. */
const NAMES = sharingChains(6);

/** Names that are all in one of two chains. */
function sharingChains(count: number): string[] {
  const found: string[] = [];
  for (let n = 0; found.length < count; n++)
    if ((Number(fenceBucketOf(`lock:${n}`)) & 4_095) >> 1 === 7) found.push(`${n}`);
  return found;
}

function leaseOf(names: readonly string[]): ManagedLease {
  return {
    keys: severalLock(names.map((name) => nameKeys("lock:", name))),
    ownerId: names.join(),
    close: () => Promise.resolve(),
    preempt: () => () => {},
    onTaken: () => {},
  };
}

describe("HeldLocks", () => {
  it("finds the locks on a key, and is a set in the order of grants, as one that looks at all", () => {
    const sets = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(sets, fc.boolean()), { maxLength: 30 }), (steps) => {
        const held = new HeldLocks();
        const all: ManagedLease[] = [];
        for (const [names, isAdded] of steps) {
          const known = all.find(({ ownerId }) => ownerId === names.join());
          if (isAdded) {
            const lease = known ?? leaseOf(names);
            held.add(lease);
            if (known === undefined) all.push(lease);
          } else if (known !== undefined) {
            held.delete(known);
            all.splice(all.indexOf(known), 1);
          }
          expect([...held]).to.deep.equal(all);
          expect(held.size).to.equal(all.length);
          for (const name of [...NAMES, "unknown"]) {
            const { lockKey } = nameKeys("lock:", name);
            const has = all.filter(({ keys }) => keys.lockKeys.includes(lockKey));
            expect(held.on([lockKey])).to.have.members(has);
          }
        }
      }),
    );
  });
});
