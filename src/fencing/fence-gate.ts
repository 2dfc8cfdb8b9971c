import { checkKnown, show } from "../runtime/validate.js";
import { MalformedTokenError, StaleTokenError } from "./errors.js";
import type { FenceStore } from "./fence-store.js";
import { checkGrant, type CheckedGrant, type Grant } from "./grant.js";
import { answerRefusal, type AnswerLike } from "./http-answer.js";
import { parseFencingHeaders, type HeadersLike } from "./http-headers.js";
import { MemoryFenceStore } from "./memory-fence-store.js";

/** Options of {@link FenceGate}. */
export interface FenceGateOptions {
  /** Where the fences are kept. Default: a {@link MemoryFenceStore}, whose fences are lost when the process ends. */
  readonly store?: FenceStore;
}

/**
 * Runs the writes to a resource one at a time, and rejects those with a smaller token than the largest it has seen.
 *
 * A check alone is not enough: a write that has passed it could be overtaken by a write with a larger token, and
 * take effect after it. The gate prevents this within one process. If several processes serve the same data, only
 * the database behind them can check and write in one step.
 */
export class FenceGate {
  readonly #store: FenceStore;
  /** The latest write of each resource that is in use; it settles when that write has ended. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** @throws TypeError for unknown options, or a store without `lift` */
  constructor(options: FenceGateOptions = {}) {
    checkKnown(options, ["store"]);
    const { store = new MemoryFenceStore() } = options;
    if (typeof store.lift !== "function") {
      throw new TypeError(`\`store\` must have a method \`lift\`, got ${show(store)}`);
    }
    this.#store = store;
  }

  /**
   * Runs the write when all earlier writes to the same resource have ended. A write that never ends blocks all
   * later ones: give it a timeout, and read a request's body before this call.
   *
   * @returns what the write returns
   * @throws StaleTokenError if a larger token has been seen by then; the write is not run
   * @throws TypeError or RangeError if the grant has no valid name or fencing token, or if the store's `lift` resolves
   *   to something else than a number that is no less than the token; the write is not run
   * @throws errors of the write and of the store
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
   * The same as {@link FenceGate.run}, for a request of `node:http` with the grant in its headers. The gate responds to
   * rejected requests (see {@link answerRefusal}), and `write` to all others.
   *
   * @param write called with the grant of the request
   * @throws errors of `write` and of the store; the gate has then sent no response
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
      // Errors of the write go to the caller, even such an error from a store behind it.
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
    // An error of the previous write is reported to its own caller.
    await before?.catch(() => {});
    const { name, fencingToken } = checked;
    const fence = checkedFence(await this.#store.lift(name, fencingToken), fencingToken);
    if (fence > fencingToken) throw new StaleTokenError(checked, fence);
    return await write();
  }
}

/** A store that answers something else has not checked the token. */
function checkedFence(fence: unknown, fencingToken: number): number {
  if (typeof fence !== "number" || Number.isNaN(fence)) {
    const got = `${show(fence)} (${typeof fence})`;
    throw new TypeError(`\`store.lift\` must resolve to a number, got ${got}: convert it`);
  }
  if (fence >= fencingToken) return fence;
  throw new RangeError(
    `\`store.lift\` must resolve to the larger of fence and token (${fencingToken}), got ${fence}`,
  );
}
