import type { ServiceName } from "./messages.js";

/** One grant, from the instant it was given to the instant its holder stopped believing in it. */
export interface Tenure {
  readonly by: ServiceName;
  readonly token: number;
  readonly fromMs: number;
  /** Infinity while it goes on. */
  readonly toMs: number;
}

/** All grants, in the order of time. */
export class History {
  readonly #tenures: Tenure[] = [];

  get tenures(): readonly Tenure[] {
    return this.#tenures;
  }

  begin(by: ServiceName, token: number, fromMs: number): void {
    this.#tenures.push({ by, token, fromMs, toMs: Number.POSITIVE_INFINITY });
    this.#tenures.sort((a, b) => a.fromMs - b.fromMs);
  }

  end(by: ServiceName, toMs: number): void {
    const index = this.#tenures.findLastIndex((tenure) => tenure.by === by);
    const tenure = this.#tenures[index];
    if (tenure !== undefined) this.#tenures[index] = { ...tenure, toMs };
  }

  /** The first grant whose token is not larger than the one before. */
  get shrunken(): Tenure | undefined {
    return this.#second((before, tenure) => tenure.token <= before.token);
  }

  /** The first grant given while the one before it was still believed in. */
  get overlapping(): Tenure | undefined {
    return this.#second((before, tenure) => tenure.fromMs < before.toMs);
  }

  #second(isWrong: (before: Tenure, tenure: Tenure) => boolean): Tenure | undefined {
    return this.#tenures.find((tenure, index) => {
      const before = this.#tenures[index - 1];
      return before !== undefined && isWrong(before, tenure);
    });
  }
}
