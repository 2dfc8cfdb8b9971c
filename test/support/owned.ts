/** What is owned is disposed of in the end, the last one first, unless it was moved elsewhere. */
export class AsyncDisposableStackOf implements AsyncDisposable {
  #owned: AsyncDisposable[] = [];

  own<T extends AsyncDisposable>(each: T): T {
    this.#owned.push(each);
    return each;
  }

  move(): AsyncDisposableStackOf {
    const moved = new AsyncDisposableStackOf();
    moved.#owned = this.#owned;
    this.#owned = [];
    return moved;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const each of this.#owned.toReversed()) await each[Symbol.asyncDispose]();
  }
}
