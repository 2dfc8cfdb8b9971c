/** How many attempts of this process keep nodes of each name, and ask the others for it again. */
export class Keepers {
  readonly #counts = new Map<string, number>();

  countOf(lockKey: string): number {
    return this.#counts.get(lockKey) ?? 0;
  }

  /** @param by 1 for one more, -1 for one less */
  add(lockKey: string, by: 1 | -1): void {
    const count = this.countOf(lockKey) + by;
    if (count > 0) this.#counts.set(lockKey, count);
    else this.#counts.delete(lockKey);
  }
}
