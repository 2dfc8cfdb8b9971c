export type Scored = readonly [member: string, score: number];

/** Members by score, then byte by byte. */
export class SortedSet {
  readonly #scores: Map<string, number>;
  #ordered: readonly Scored[] | undefined;

  constructor(members: Iterable<Scored> = []) {
    this.#scores = new Map(members);
  }

  get size(): number {
    return this.#scores.size;
  }

  score(member: string): number | undefined {
    return this.#scores.get(member);
  }

  /** Whether it is new. */
  add(member: string, score: number): boolean {
    const before = this.#scores.get(member);
    if (before === score) return false;
    this.#ordered = undefined;
    this.#scores.set(member, score);
    return before === undefined;
  }

  has(member: string): boolean {
    return this.#scores.has(member);
  }

  delete(member: string): boolean {
    if (!this.#scores.delete(member)) return false;
    this.#ordered = undefined;
    return true;
  }

  inOrder(): readonly Scored[] {
    this.#ordered ??= [...this.#scores].toSorted(([a, left], [b, right]) => {
      return left - right || (a < b ? -1 : 1);
    });
    return this.#ordered;
  }
}
