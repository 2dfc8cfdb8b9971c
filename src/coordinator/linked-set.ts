import { fenceBucketOf } from "../protocol/keys.js";

/** An element of a {@link LinkedSet}; it can be in one set at a time. */
export interface Linkable {
  /** Its position; undefined while it is in none. Owned by the set. */
  link?: Link | undefined;
}

/** A position in a {@link LinkedSet}. */
interface Link {
  readonly set: object;
  readonly element: Linkable;
  /** Increases with every entry. */
  readonly order: number;
  previous: Link | undefined;
  next: Link | undefined;
}

/**
 * A set in insertion order, for elements that are added and removed all the time.
 *
 * A `Set` suits elements that stay. V8 gives it a new table now and then, and the old table keeps pointing to the new
 * one and to everything it held. Once one table is in the old generation, all later ones and their contents follow,
 * and the collector copies dead objects: that took a third of the CPU time with 64 locks in flight. Here, removed
 * elements do not point to remaining ones.
 */
export class LinkedSet<Element extends Linkable> implements Iterable<Element> {
  /** Changed by the set only, as are the next two. */
  size = 0;
  first: Element | undefined;
  last: Element | undefined;
  #lastOrder = 0;

  has(element: Element): boolean {
    return element.link?.set === this;
  }

  /**
   * Appends the element, unless it is in the set already.
   *
   * @returns whether it was not
   * @throws Error if it is in another set
   */
  add(element: Element): boolean {
    if (element.link !== undefined) {
      if (this.has(element)) return false;
      throw new Error("an element of another set");
    }
    const order = ++this.#lastOrder;
    const previous = this.last?.link;
    const link: Link = { set: this, element, order, previous, next: undefined };
    element.link = link;
    if (previous === undefined) this.first = element;
    else previous.next = link;
    this.last = element;
    this.size++;
    return true;
  }

  /** No effect on an element that is not in the set. @returns whether it was */
  delete(element: Element): boolean {
    const { link } = element;
    if (link?.set !== this) return false;
    const { previous, next } = link;
    if (previous === undefined) this.first = next?.element as Element | undefined;
    else previous.next = next;
    if (next === undefined) this.last = previous?.element as Element | undefined;
    else next.previous = previous;
    link.previous = undefined;
    link.next = undefined;
    element.link = undefined;
    this.size--;
    return true;
  }

  /** The one before it; undefined for the first, and for one that is not in the set. */
  before(element: Element): Element | undefined {
    const { link } = element;
    return link?.set === this ? (link.previous?.element as Element | undefined) : undefined;
  }

  clear(): void {
    for (const element of this) this.delete(element);
  }

  /** Like iterating a `Set`: skips elements removed meanwhile and includes those added meanwhile. */
  *[Symbol.iterator](): Generator<Element, undefined> {
    for (let link = this.first?.link; link !== undefined;) {
      yield link.element as Element;
      link = link.element.link === link ? link.next : this.#after(link.order);
    }
    return undefined;
  }

  #after(order: number): Link | undefined {
    let link = this.first?.link;
    while (link !== undefined && link.order <= order) link = link.next;
    return link;
  }
}

/** With a hundred thousand elements a chain has about twenty-five. */
const CHAIN_COUNT = 4_096;

/** An element with the lock keys by which it is found. */
interface Keyed extends Linkable {
  readonly keys: { readonly lockKeys: readonly string[] };
}

/** An element under one of its keys. */
interface Entry<Element> {
  readonly lockKey: string;
  readonly element: Element;
  next: Entry<Element> | undefined;
}

/**
 * A {@link LinkedSet} whose elements are found by lock key as well. Where there is only one, as in most services, that
 * costs no work.
 */
export class KeyedSet<Element extends Keyed> extends LinkedSet<Element> {
  #isIndexed = false;
  /** By hash of the lock key. No `Map`: that has the trouble of a `Set`. */
  readonly #chains: (Entry<Element> | undefined)[] = [];

  override add(element: Element): boolean {
    if (!super.add(element)) return false;
    if (this.#isIndexed) this.#index(element);
    else if (this.size > 1) {
      for (const each of this) this.#index(each);
      this.#isIndexed = true;
    }
    return true;
  }

  override delete(element: Element): boolean {
    if (!super.delete(element)) return false;
    if (this.#isIndexed) {
      for (const lockKey of element.keys.lockKeys) this.#remove(chainOf(lockKey), element);
      this.#isIndexed = this.size > 0;
    }
    return true;
  }

  #index(element: Element): void {
    for (const lockKey of element.keys.lockKeys) {
      const chain = chainOf(lockKey);
      this.#chains[chain] = { lockKey, element, next: this.#chains[chain] };
    }
  }

  #remove(chain: number, element: Element): void {
    let before: Entry<Element> | undefined;
    let entry = this.#chains[chain];
    while (entry !== undefined && entry.element !== element) {
      before = entry;
      entry = entry.next;
    }
    if (before === undefined) this.#chains[chain] = entry?.next;
    else before.next = entry?.next;
    // Nor does what is removed point to what remains.
    if (entry !== undefined) entry.next = undefined;
  }

  /** Those with one of these keys, once for each of them. */
  on(lockKeys: readonly string[]): Element[] {
    return lockKeys.flatMap((lockKey) => {
      if (!this.#isIndexed) return [...this].filter(({ keys }) => keys.lockKeys.includes(lockKey));
      const found: Element[] = [];
      for (let entry = this.#chains[chainOf(lockKey)]; entry !== undefined; entry = entry.next)
        if (entry.lockKey === lockKey) found.push(entry.element);
      return found;
    });
  }
}

function chainOf(lockKey: string): number {
  return Number(fenceBucketOf(lockKey)) % CHAIN_COUNT;
}
