interface Item {
  readonly run: () => void;
  isDue: boolean;
}

/** One direction of an in-memory connection: items come out later, in the same order. */
export class Pipe {
  readonly #items: Item[] = [];
  #isHeld = false;
  #isClosed = false;

  /** @param delayMs 0 for as soon as the current call has returned */
  put(delayMs: number, run: () => void): void {
    const item = { run, isDue: false };
    this.#items.push(item);
    const arrive = (): void => {
      item.isDue = true;
      this.#deliver();
    };
    // Looked up at each call: a test may have replaced the timers.
    if (delayMs > 0) setTimeout(arrive, delayMs);
    else process.nextTick(arrive);
  }

  /** Nothing comes out until {@link Pipe.letGo}. */
  hold(): void {
    this.#isHeld = true;
  }

  letGo(): void {
    this.#isHeld = false;
    this.#deliver();
  }

  /** Its contents are lost. */
  close(): void {
    this.#isClosed = true;
    this.#items.length = 0;
  }

  #deliver(): void {
    while (this.#items[0]?.isDue === true && !this.#isHeld && !this.#isClosed) {
      this.#items.shift()?.run();
    }
  }
}
