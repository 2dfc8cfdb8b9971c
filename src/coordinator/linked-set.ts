/** What can be in a {@link LinkedSet}, in one at a time. */
export interface Linkable {
  /** Where it stands; undefined while it is in none. Owned by the set. */
  link?: Link | undefined;
}

/** A place in a {@link LinkedSet}. */
interface Link {
  readonly set: object;
  readonly element: Linkable;
  /** Counts up. */
  readonly order: number;
  previous: Link | undefined;
  next: Link | undefined;
}

/**
 * A set in the order of entry, for elements that come and go all the time.
 *
 * A `Set` is made for those that stay: V8 gives it a new table now and then, and the old one goes on pointing to
 * the new one and to all that was in it. Once one of them has grown old, so do all that follow it and
 * everything they hold, and the collector copies what has long been dead: that was a third of the
 * processor's time with 64 locks in flight. Here nothing that has left points to what is left.
 */
export class LinkedSet<Element extends Linkable> implements Iterable<Element> {
  #first: Link | undefined;
  #last: Link | undefined;
  #size = 0;
  #lastOrder = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Element | undefined {
    return this.#first?.element as Element | undefined;
  }

  has(element: Element): boolean {
    return element.link?.set === this;
  }

  /** Behind all others, unless it is in already. @throws Error if it is in another one */
  add(element: Element): void {
    if (element.link !== undefined) {
      if (this.has(element)) return;
      throw new Error("an element of another set");
    }
    const order = ++this.#lastOrder;
    const link: Link = { set: this, element, order, previous: this.#last, next: undefined };
    element.link = link;
    if (this.#last === undefined) this.#first = link;
    else this.#last.next = link;
    this.#last = link;
    this.#size++;
  }

  /** Without effect on one that is not in. */
  delete(element: Element): void {
    const { link } = element;
    if (link?.set !== this) return;
    const { previous, next } = link;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    link.previous = undefined;
    link.next = undefined;
    element.link = undefined;
    this.#size--;
  }

  clear(): void {
    for (const element of this) this.delete(element);
  }

  /** As of a `Set`: not those that have left by the time they would be reached, but those that came meanwhile. */
  *[Symbol.iterator](): Generator<Element, undefined> {
    for (let link = this.#first; link !== undefined;) {
      yield link.element as Element;
      link = link.element.link === link ? link.next : this.#after(link.order);
    }
    return undefined;
  }

  #after(order: number): Link | undefined {
    let link = this.#first;
    while (link !== undefined && link.order <= order) link = link.next;
    return link;
  }
}
