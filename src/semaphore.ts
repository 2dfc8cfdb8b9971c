import { show, whole } from "./validate.js";
import { nullIfHeld } from "./acquirer.js";
import { asked } from "./caller.js";
import type { Clock } from "./coordinator/ports.js";
import type { Lock } from "./face/lock.js";
import type { Semaphore } from "./face/semaphore.js";
import { NOT_FOR_PERMITS } from "./options.js";
import type { AcquireOptions, PermitOptions, SemaphoreOptions } from "./options.js";
import type { LockKind } from "./protocol/lock-kind.js";
import { permitLock } from "./kinds/permit.js";
import { MAX_PERMITS } from "./protocol/slots.js";
import { runLocked } from "./request.js";

/** What a semaphore needs from its lock manager. */
export interface SemaphoreHost {
  /** @param isOnce one attempt, unless the options set a wait */
  acquire<F extends boolean>(
    keys: LockKind,
    options: PermitOptions<F>,
    isOnce: boolean,
  ): Promise<Lock<F>>;
  /** @throws TypeError and RangeError for bad options */
  check(options: PermitOptions<boolean>): void;
  readonly lossGraceMs: number;
  readonly clock: Clock;
}

/** A semaphore whose permits are slots of a name. */
export class SlotSemaphore<Fencing extends boolean> implements Semaphore<Fencing> {
  readonly name: string;
  readonly permits: number;
  readonly #keys: LockKind;
  readonly #defaults: PermitOptions<Fencing>;
  readonly #host: SemaphoreHost;

  /** @internal */
  constructor(host: SemaphoreHost, plainKeys: LockKind, options: SemaphoreOptions<Fencing>) {
    checkOptions(options);
    const { permits, ...defaults } = options;
    host.check(defaults);
    this.name = plainKeys.name;
    this.permits = whole("permits", permits, 1, MAX_PERMITS);
    this.#keys = permitLock(plainKeys, this.permits);
    this.#defaults = defaults;
    this.#host = host;
  }

  async acquire(options: PermitOptions<Fencing> = {}): Promise<Lock<Fencing>> {
    return asked(this.#acquire(options, false));
  }

  async tryAcquire(options: PermitOptions<Fencing> = {}): Promise<Lock<Fencing> | null> {
    return asked(nullIfHeld(this.#acquire(options, true)));
  }

  async request<T>(callback: (lock: Lock<Fencing>) => T): Promise<Awaited<T>>;
  async request<T>(
    options: PermitOptions<Fencing>,
    callback: (lock: Lock<Fencing>) => T,
  ): Promise<Awaited<T>>;
  async request<T>(
    optionsOrCallback: PermitOptions<Fencing> | ((lock: Lock<Fencing>) => T),
    maybeCallback?: (lock: Lock<Fencing>) => T,
  ): Promise<Awaited<T>> {
    const isShort = typeof optionsOrCallback === "function";
    const callback = isShort ? optionsOrCallback : maybeCallback;
    if (typeof callback !== "function") {
      throw new TypeError(`\`callback\` must be a function, got ${show(callback)}`);
    }
    const lock = await asked(this.#acquire(isShort ? {} : optionsOrCallback, false));
    return await runLocked(lock, callback, this.#host.lossGraceMs, this.#host.clock);
  }

  #acquire(options: PermitOptions<Fencing>, isOnce: boolean): Promise<Lock<Fencing>> {
    checkOptions(options);
    // The wait of other acquires says nothing about a single attempt.
    const { waitMs, ...defaults } = this.#defaults;
    const all = withDefaults(options, isOnce ? defaults : { waitMs, ...defaults });
    return this.#host.acquire(this.#keys, all, isOnce);
  }
}

/** Undefined means "not given". */
function withDefaults<F extends boolean>(
  given: PermitOptions<F>,
  defaults: PermitOptions<F>,
): PermitOptions<F> {
  const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined;
  const options = Object.fromEntries(Object.entries(given).filter(isGiven));
  if (typeof given.retry === "object") options["retry"] = { ...defaults.retry, ...given.retry };
  return { ...defaults, ...options };
}

/** Options that do not concern permits; the others are checked with every acquire. */
function checkOptions(options: PermitOptions<boolean>): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`options must be an object, got ${show(options)}`);
  }
  for (const option of NOT_FOR_PERMITS) {
    const value: unknown = (options as AcquireOptions<boolean>)[option];
    if (value !== undefined) {
      throw new TypeError(`\`${option}\` does not apply to a semaphore, got ${show(value)}`);
    }
  }
}
