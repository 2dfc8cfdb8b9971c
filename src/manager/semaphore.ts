import { show, superfluous } from "../runtime/validate.js";
import { nullIfHeld, type Acquirer } from "./acquirer.js";
import type { Lock } from "../api/lock.js";
import type { Semaphore } from "../api/semaphore.js";
import type { PermitOptions, SemaphoreOptions } from "../api/options.js";
import { resolveAcquireOptions } from "../options/resolve.js";
import { checkPlace, OPTIONS } from "../options/table.js";
import type { NameKeys } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { permitLock } from "../kinds/permit.js";
import { runLocked } from "./request.js";

const RUNS_CALLBACKS = "request(options, callback) runs a callback under a permit";
const OPTIONS_FIRST = "options come before the callback";

/** A semaphore whose permits are permits of a name. */
export class PermitSemaphore implements Semaphore {
  readonly name: string;
  readonly permits: number;
  readonly #nameKeys: NameKeys;
  /** Of any one permit. */
  readonly #keys: LockKind;
  readonly #defaults: Omit<PermitOptions, "permits">;
  readonly #acquirer: Acquirer;

  /** @internal */
  constructor(acquirer: Acquirer, plainKeys: NameKeys, options: SemaphoreOptions) {
    const { settings } = acquirer;
    resolveAcquireOptions(options, settings, settings.usual.wait.waitMs, "semaphore");
    const { permits, ...defaults } = options;
    // Missing, it was not checked.
    this.permits = OPTIONS.permits.check("permits", permits);
    this.name = plainKeys.name;
    this.#nameKeys = plainKeys;
    this.#keys = permitLock(plainKeys, this.permits);
    this.#defaults = defaults;
    this.#acquirer = acquirer;
  }

  async acquire(options: PermitOptions = {}): Promise<Lock> {
    const wrong = superfluous("acquire(options)", arguments, 1, RUNS_CALLBACKS);
    if (wrong !== undefined) throw wrong;
    return this.#acquire(options, false);
  }

  async tryAcquire(options: PermitOptions = {}): Promise<Lock | null> {
    const wrong = superfluous("tryAcquire(options)", arguments, 1, RUNS_CALLBACKS);
    if (wrong !== undefined) throw wrong;
    return nullIfHeld(this.#acquire(options, true));
  }

  async request<T>(callback: (lock: Lock) => T): Promise<Awaited<T>>;
  async request<T>(options: PermitOptions, callback: (lock: Lock) => T): Promise<Awaited<T>>;
  async request<T>(
    optionsOrCallback: PermitOptions | ((lock: Lock) => T),
    maybeCallback?: (lock: Lock) => T,
  ): Promise<Awaited<T>> {
    const isShort = typeof optionsOrCallback === "function";
    const wrong = isShort && superfluous("request(callback)", arguments, 1, OPTIONS_FIRST);
    if (wrong) throw wrong;
    const callback = isShort ? optionsOrCallback : maybeCallback;
    if (typeof callback !== "function") {
      throw new TypeError(`\`callback\` must be a function, got ${show(callback)}`);
    }
    const lock = await this.#acquire(isShort ? {} : optionsOrCallback, false);
    return await runLocked(lock, callback, this.#acquirer.requestHost);
  }

  #acquire(options: PermitOptions, isOnce: boolean): Promise<Lock> {
    checkPlace(options, "permit");
    const { permits: wanted = 1, ...own } = options;
    if (wanted > this.permits) {
      const most = `at most the ${this.permits} of the semaphore`;
      throw new RangeError(`\`permits\` must be ${most}, got ${wanted}`);
    }
    // The wait of other acquires says nothing about a single attempt.
    const { waitMs, ...defaults } = this.#defaults;
    const all = withDefaults(own, isOnce ? defaults : { waitMs, ...defaults });
    const { once, usual } = this.#acquirer.settings;
    const permitKeys = wanted === 1 ? this.#keys : permitLock(this.#nameKeys, this.permits, wanted);
    return this.#acquirer.acquire(this.name, all, isOnce ? once : usual, { permitKeys });
  }
}

/** Undefined means "not given". */
function withDefaults(given: PermitOptions, defaults: PermitOptions): PermitOptions {
  const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined;
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(isGiven)) };
}
