import { ClosedError, LockHeldError, type QuorateError } from "../api/errors.js";
import type { Context } from "../coordinator/context.js";
import { askSize, resize } from "../coordinator/resize.js";
import { checkObject, show, checkCount } from "../runtime/validate.js";
import { nullIfHeld, type Acquirer, type HowToAcquire } from "./acquirer.js";
import { asked } from "./caller.js";
import type { Lock } from "../api/lock.js";
import type { Semaphore } from "../api/semaphore.js";
import type { PermitOptions, SemaphoreOptions } from "../api/options.js";
import { resolveAcquireOptions } from "../options/resolve.js";
import { checkPlace, OPTIONS } from "../options/table.js";
import type { NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { failureOf } from "../protocol/attempt-failure.js";
import type { Votes } from "../protocol/operation.js";
import { availableCount } from "../protocol/permits.js";
import { type KnownSize } from "../protocol/semaphore-size.js";
import { permitLock } from "../kinds/permit.js";
import { errorOf } from "./outcome-error.js";
import { runLocked } from "./request.js";

const RUNS_CALLBACKS = "request(options, callback) runs a callback under a permit";
const OPTIONS_FIRST = "options come before the callback";

/** A semaphore whose permits are permits of a name. */
export class PermitSemaphore implements Semaphore {
  readonly name: string;
  readonly #nameKeys: NameKeys;
  readonly #size: KnownSize;
  /** Of any one permit. */
  readonly #keys: LockKind;
  readonly #defaults: Omit<PermitOptions, "permits">;
  readonly #acquirer: Acquirer;

  /** @internal */
  constructor(acquirer: Acquirer, plainKeys: NameKeys, options: SemaphoreOptions) {
    const { settings } = acquirer;
    checkObject("options", options, "an object such as { permits: 10 }");
    resolveAcquireOptions(options, settings, settings.usual.wait.waitMs, "semaphore");
    const { permits, ...defaults } = options;
    // Missing, it was not checked.
    this.#size = acquirer.sizes.of(plainKeys, OPTIONS.permits.check("permits", permits));
    this.name = plainKeys.name;
    this.#nameKeys = plainKeys;
    this.#keys = permitLock(plainKeys, this.#size);
    this.#defaults = defaults;
    this.#acquirer = acquirer;
  }

  get permits(): number {
    return this.#size.current.count;
  }

  async acquire(options: PermitOptions = {}): Promise<Lock> {
    checkCount("acquire(options)", arguments, 1, RUNS_CALLBACKS);
    return this.#acquire(options, false);
  }

  async tryAcquire(options: PermitOptions = {}): Promise<Lock | null> {
    checkCount("tryAcquire(options)", arguments, 1, RUNS_CALLBACKS);
    return nullIfHeld(this.#acquire(options, true));
  }

  async request<T>(callback: (lock: Lock) => T): Promise<Awaited<T>>;
  async request<T>(options: PermitOptions, callback: (lock: Lock) => T): Promise<Awaited<T>>;
  async request<T>(
    optionsOrCallback: PermitOptions | ((lock: Lock) => T),
    maybeCallback?: (lock: Lock) => T,
  ): Promise<Awaited<T>> {
    const isShort = typeof optionsOrCallback === "function";
    if (isShort) checkCount("request(callback)", arguments, 1, OPTIONS_FIRST);
    const callback = isShort ? optionsOrCallback : maybeCallback;
    if (typeof callback !== "function") {
      throw new TypeError(`\`callback\` must be a function, got ${show(callback)}`);
    }
    const lock = await this.#acquire(isShort ? undefined : optionsOrCallback, false);
    return await runLocked(lock, callback, this.#acquirer.requestHost);
  }

  async resize(permits: number): Promise<void> {
    checkCount("resize(permits)", arguments, 1, "it has no options");
    const count = OPTIONS.permits.check("permits", permits);
    await asked(this.#resize(count));
  }

  async available(): Promise<number> {
    checkCount("available()", arguments, 0, "it has no options");
    return await asked(this.#available());
  }

  async #resize(count: number): Promise<void> {
    const { context, nodeTimeoutMs } = this.#open();
    const lockOf = (size: KnownSize): LockKind => permitLock(this.#nameKeys, size);
    const votes = await resize(context, lockOf, this.#size, count, nodeTimeoutMs);
    if (votes !== undefined) throw this.#errorOf(votes);
  }

  async #available(): Promise<number> {
    const { context, nodeTimeoutMs } = this.#open();
    const votes = await askSize(context, this.#keys, nodeTimeoutMs);
    const count = availableCount(votes);
    if (count === undefined) throw this.#errorOf(votes);
    return count;
  }

  /** @throws ClosedError */
  #open(): { readonly context: Context; readonly nodeTimeoutMs: number } {
    const { state, nodes, settings } = this.#acquirer;
    if (state !== "open") throw new ClosedError(this.name);
    return { context: nodes.context, nodeTimeoutMs: settings.lease.nodeTimeoutMs };
  }

  /** Too few nodes have said what they were asked. */
  #errorOf(votes: Votes): QuorateError {
    const { nodes, state } = this.#acquirer;
    // The nodes were given up, not silent.
    if (state === "closed") return new ClosedError(this.name);
    const tried = { waitMs: 0, waitedMs: 0, attemptCount: 1, marginMs: nodes.marginMs() };
    return errorOf(this.#keys, failureOf("unreachable", votes), nodes.names, tried);
  }

  /**
   * Others may resize it: nodes are asked before more are refused than it has. Where no quorum answers, the acquire goes on
   * asking. Those that are `fair` and wait do so in the order in which they came, whether they ask or not.
   *
   * @returns undefined for one that need not wait for an answer
   */
  #turnFor(wanted: number, isInOrder: boolean): HowToAcquire["turn"] {
    const isMore = wanted > this.permits;
    const { sizes } = this.#acquirer;
    // One permit there always is.
    if (!isMore && !(isInOrder && sizes.isAsked(this.#nameKeys))) return undefined;
    return async (begin) => {
      let isKnown = !isMore;
      const onKnown = (): void => void (isKnown = true);
      const question = isMore ? this.#available().then(onKnown, () => {}) : undefined;
      const goOn = (): void => {
        if (isKnown && wanted > this.permits) throw new TooManyError(this.#tooManyText(wanted));
        begin();
      };
      if (isInOrder) return await sizes.inTurn(this.#nameKeys, question, goOn);
      await question;
      goOn();
    };
  }

  #tooManyText(wanted: number): string {
    return `\`permits\` must be at most the ${this.permits} of the semaphore, got ${wanted}`;
  }

  async #acquire(options: PermitOptions = {}, isOnce: boolean): Promise<Lock> {
    checkPlace(options, "permit");
    const { permits: wanted = 1, ...own } = options;
    // The wait of other acquires says nothing about a single attempt.
    const { waitMs, ...defaults } = this.#defaults;
    const all = withDefaults(own, isOnce ? defaults : { waitMs, ...defaults });
    const { once, usual } = this.#acquirer.settings;
    const base = isOnce ? once : usual;
    const permitKeys = wanted === 1 ? this.#keys : permitLock(this.#nameKeys, this.#size, wanted);
    const waits = (all.waitMs ?? base.wait.waitMs) !== 0;
    const turn = this.#turnFor(wanted, waits && (all.fair ?? base.wait.fair));
    try {
      return await this.#acquirer.acquire(this.name, all, base, { permitKeys, turn });
    } catch (error) {
      // What waits is refused when it is too many.
      const isHeld = error instanceof LockHeldError && wanted > this.permits;
      // Created here, it names the caller.
      throw isHeld || error instanceof TooManyError
        ? new RangeError(this.#tooManyText(wanted))
        : error;
    }
  }
}

/** A quorum of nodes says that there are not so many. */
class TooManyError extends RangeError {}

/** Undefined means "not given". */
function withDefaults(given: PermitOptions, defaults: PermitOptions): PermitOptions {
  const all: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(defaults)) all[name] = value;
  for (const [name, value] of Object.entries(given)) if (value !== undefined) all[name] = value;
  return all;
}
