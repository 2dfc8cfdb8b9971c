import { expect } from "chai";
import * as fc from "fast-check";
import { KeyedSet, LinkedSet, type Linkable } from "../../src/coordinator/linked-set.js";
import { fenceBucketOf } from "../../src/protocol/keys.js";

class Element implements Linkable {
  link: Linkable["link"] = undefined;
  readonly id: number;

  constructor(id: number) {
    this.id = id;
  }
}

interface Keyed extends Linkable {
  readonly id: string;
  readonly keys: { readonly lockKeys: readonly string[] };
}

const COUNT = 6;
const elements = (): Element[] => Array.from({ length: COUNT }, (_, id) => new Element(id));
const change = fc.record({
  what: fc.constantFrom("add", "delete", "clear"),
  id: fc.nat({ max: COUNT - 1 }),
});

describe("LinkedSet", () => {
  it("is what a Set is, whatever comes and goes", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const all = elements();
        const [set, expected] = [new LinkedSet<Element>(), new Set<Element>()];
        for (const { what, id } of changes) {
          const element = all[id] as Element;
          // Clears are rare, or it would hardly ever have more than a few.
          if (what === "clear" && id > 0) continue;
          for (const each of [set, expected]) {
            if (what === "clear") each.clear();
            else each[what](element);
          }
          expect([...set]).to.deep.equal([...expected]);
          expect([set.size, set.first]).to.deep.equal([expected.size, [...expected][0]]);
          for (const one of all) expect(set.has(one)).to.equal(expected.has(one));
        }
      }),
    );
  });

  it("goes on as a Set does where elements come and go while it is read", () => {
    const during = fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 8 });
    fc.assert(
      fc.property(during, (steps) => {
        const read = (make: () => LinkedSet<Element> | Set<Element>): number[] => {
          const [set, all] = [make(), elements()];
          for (const element of all.slice(0, COUNT / 2)) set.add(element);
          const seen: number[] = [];
          let step = 0;
          for (const { id } of set) {
            seen.push(id);
            for (const { what, id: other } of steps[step++] ?? []) {
              const element = all[other] as Element;
              if (what === "clear") set.clear();
              else set[what](element);
            }
          }
          return seen;
        };
        expect(read(() => new LinkedSet())).to.deep.equal(read(() => new Set()));
      }),
    );
  });

  it("lets what has left point to nothing that is left", () => {
    const set = new LinkedSet<Element>();
    const [first, middle, last] = elements() as [Element, Element, Element];
    for (const element of [first, middle, last]) set.add(element);
    const { link } = middle;
    set.delete(middle);
    expect(middle.link).to.equal(undefined);
    expect([link?.previous, link?.next]).to.deep.equal([undefined, undefined]);
    expect([...set]).to.deep.equal([first, last]);
  });

  it("refuses what is in another one, and leaves it there", () => {
    const [one, other] = [new LinkedSet<Element>(), new LinkedSet<Element>()];
    const element = new Element(1);
    one.add(element);
    expect(() => other.add(element)).to.throw("another set");
    other.delete(element);
    expect([one.has(element), other.has(element)]).to.deep.equal([true, false]);
  });
});

/** Of so few chains that they share some, as names of other programs do. */
const KEYS = sharingChains(6);

/** Lock keys that are all in one of two chains. */
function sharingChains(count: number): string[] {
  const found: string[] = [];
  for (let n = 0; found.length < count; n++)
    if ((Number(fenceBucketOf(`lock:${n}`)) & 4_095) >> 1 === 7) found.push(`lock:${n}`);
  return found;
}

describe("KeyedSet", () => {
  it("finds elements by key, and is a LinkedSet, as one that looks at all", () => {
    const sets = fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(sets, fc.boolean()), { maxLength: 30 }), (steps) => {
        const set = new KeyedSet<Keyed>();
        const all: Keyed[] = [];
        for (const [lockKeys, isAdded] of steps) {
          const known = all.find(({ id }) => id === lockKeys.join());
          if (isAdded) {
            const element = known ?? { id: lockKeys.join(), keys: { lockKeys } };
            expect(set.add(element)).to.equal(known === undefined);
            if (known === undefined) all.push(element);
          } else if (known !== undefined) {
            expect(set.delete(known)).to.equal(true);
            expect(set.delete(known)).to.equal(false);
            all.splice(all.indexOf(known), 1);
          }
          expect([...set]).to.deep.equal(all);
          expect(set.size).to.equal(all.length);
          for (const key of [...KEYS, "unknown"]) {
            const has = all.filter(({ keys }) => keys.lockKeys.includes(key));
            expect(set.on([key])).to.have.members(has);
          }
        }
      }),
    );
  });
});
