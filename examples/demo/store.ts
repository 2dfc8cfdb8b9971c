/** What the lock protects: it takes no write with a token smaller than one it has seen. */
export class FencedStore {
  #token = 0;
  #writeCount = 0;
  #refusedCount = 0;

  /** The largest token seen. */
  get token(): number {
    return this.#token;
  }

  get writeCount(): number {
    return this.#writeCount;
  }

  get refusedCount(): number {
    return this.#refusedCount;
  }

  write(token: number): void {
    if (token < this.#token) {
      this.#refusedCount++;
      return;
    }
    this.#token = token;
    this.#writeCount++;
  }
}
