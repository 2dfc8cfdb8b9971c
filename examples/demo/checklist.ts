/** Something the demo wanted to show was not there to be seen. */
export class NotSeenError extends Error {
  override readonly name = "NotSeenError";
}

/** What was seen, for the summary. */
export class Checklist {
  readonly #seen: string[] = [];

  get seen(): readonly string[] {
    return this.#seen;
  }

  /** @throws NotSeenError with the text of `wrong` unless `ok`. */
  check(ok: boolean, seen: string, wrong: string): void {
    if (!ok) throw new NotSeenError(wrong);
    this.saw(seen);
  }

  saw(seen: string): void {
    this.#seen.push(seen);
  }
}
