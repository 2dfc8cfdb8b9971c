import { checkKnown } from "../validate.js";
import { MalformedTokenError, StaleTokenError } from "./errors.js";
import type { FenceStore } from "./fence-store.js";
import { checkGrant, type CheckedGrant, type Grant } from "./grant.js";
import { answerRefusal, type AnswerLike } from "./http-answer.js";
import { parseFencingHeaders, type HeadersLike } from "./http-headers.js";
import { MemoryFenceStore } from "./memory-fence-store.js";

/** Options of {@link FenceGate}. */
export interface FenceGateOptions {
  /** Where the fences are. Default: a {@link MemoryFenceStore}, which forgets with the process. */
  readonly store?: FenceStore;
}

/**
 * Lets writes to a resource through one after the other, and none with a smaller token than the
 * largest it has seen.
 *
 * One after the other, because a check alone is not enough: a write that has passed it could be
 * overtaken by one with a larger token and land behind it. This holds in one process. Where several
 * serve the same data, only the database behind them can check and write in one step.
 */
export class FenceGate {
  readonly #store: FenceStore;
  /** The end of the last write let through, by resource; only resources in use. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(options: FenceGateOptions = {}) {
    checkKnown(options, ["store"]);
    this.#store = options.store ?? new MemoryFenceStore();
  }

  /**
   * Runs the write when those before it, of the same resource, are over. A write that never ends
   * keeps the others out: give it a deadline, and read a request's body before.
   *
   * @returns what the write returns
   * @throws StaleTokenError if a larger token was seen by then; the write is not run
   * @throws TypeError, RangeError for a grant without a good token
   * @throws whatever the write or the store throws
   */
  async run<T>(grant: Grant, write: () => T | Promise<T>): Promise<T> {
    const checked = checkGrant(grant);
    const before = this.#turns.get(checked.name);
    const turn = this.#afterThat(before, checked, write);
    this.#turns.set(checked.name, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(checked.name) === turn) this.#turns.delete(checked.name);
    }
  }

  /**
   * The same for a request of `node:http`, with the grant in its headers. Refused requests are answered, see
   * {@link answerRefusal}; the others are answered by `write`.
   *
   * @param write gets the grant of the request
   * @throws errors of `write` and of the store; no response has been sent then
   */
  async answer(
    request: { readonly headers: HeadersLike },
    response: AnswerLike,
    write: (grant: CheckedGrant) => void | Promise<void>,
  ): Promise<void> {
    const refusal = await this.#tryAnswer(request.headers, write);
    if (refusal !== undefined) answerRefusal(response, refusal);
  }

  async #tryAnswer(
    headers: HeadersLike,
    write: (grant: CheckedGrant) => void | Promise<void>,
  ): Promise<StaleTokenError | MalformedTokenError | undefined> {
    let isThrough = false;
    try {
      const grant = parseFencingHeaders(headers);
      await this.run(grant, () => {
        isThrough = true;
        return write(grant);
      });
      return undefined;
    } catch (error) {
      // What the write throws is the caller's, also if it is such an error from a store behind it.
      if (isThrough) throw error;
      if (error instanceof StaleTokenError || error instanceof MalformedTokenError) return error;
      throw error;
    }
  }

  async #afterThat<T>(
    before: Promise<unknown> | undefined,
    checked: CheckedGrant,
    write: () => T | Promise<T>,
  ): Promise<T> {
    // How the one before ended is told to its own caller.
    await before?.catch(() => {});
    const fence = await this.#store.lift(checked.name, checked.fencingToken);
    if (fence !== checked.fencingToken) throw new StaleTokenError(checked, fence);
    return await write();
  }
}
