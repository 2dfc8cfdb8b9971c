import { show, whole } from "./checks.js";
import { LockContendedError, WaitTimeoutError } from "./errors.js";
import type { Lock } from "./lock.js";
import { NOT_FOR_PERMITS } from "./options.js";
import type { AcquireOptions, PermitOptions, SemaphoreOptions } from "./options.js";
import type { NameKeys } from "./protocol/keys.js";
import { MAX_PERMITS, slotKeys } from "./protocol/slots.js";
import { runLocked } from "./request.js";

/** What a semaphore needs of its lock manager. */
export interface SemaphoreHost {
  /** @param isOnce one attempt, unless the options say how long to wait */
  acquire(keys: NameKeys, options: PermitOptions, isOnce: boolean): Promise<Lock>;
  /** @throws TypeError and RangeError for bad options */
  check(options: PermitOptions): void;
  readonly lossGraceMs: number;
}

/**
 * A name that so many can hold at once. Each permit is a {@link Lock}: acquired, renewed, lost and
 * released by itself. Whoever uses the name has to agree on how many permits there are.
 */
export class Semaphore {
  readonly name: string;
  readonly permits: number;
  readonly #keys: NameKeys;
  readonly #defaults: PermitOptions;
  readonly #host: SemaphoreHost;

  /** @internal */
  constructor(host: SemaphoreHost, plainKeys: NameKeys, options: SemaphoreOptions) {
    checkOptions(options);
    const { permits, ...defaults } = options;
    host.check(defaults);
    this.name = plainKeys.name;
    this.permits = whole("permits", permits, 1, MAX_PERMITS);
    this.#keys = slotKeys(plainKeys, this.permits);
    this.#defaults = defaults;
    this.#host = host;
  }

  /**
   * Acquires a permit, waiting up to `waitMs` while all are held or nodes are missing.
   *
   * @throws as {@link LockManager.acquire} does; PermitsMismatchError, at once, if the name is a
   *   semaphore of another number of permits on the nodes.
   */
  async acquire(options: PermitOptions = {}): Promise<Lock> {
    return this.#acquire(options, false);
  }

  /**
   * A permit, or null if all are held. Asks more than once where nodes say that another is free: it
   * is settled within three times `nodeTimeoutMs`.
   *
   * @throws as {@link Semaphore.acquire} does, but never because all are held.
   */
  async tryAcquire(options: PermitOptions = {}): Promise<Lock | null> {
    try {
      return await this.#acquire(options, true);
    } catch (error) {
      if (error instanceof LockContendedError || error instanceof WaitTimeoutError) return null;
      throw error;
    }
  }

  /**
   * Acquires a permit, runs the callback, releases the permit. What the callback returns or throws
   * is what comes out.
   *
   * @throws as {@link Semaphore.acquire} does; what the callback throws; LockLostError if the permit
   *   was lost meanwhile, as {@link LockManager.request} does.
   */
  async request<T>(callback: (lock: Lock) => T): Promise<Awaited<T>>;
  async request<T>(options: PermitOptions, callback: (lock: Lock) => T): Promise<Awaited<T>>;
  async request<T>(
    optionsOrCallback: PermitOptions | ((lock: Lock) => T),
    maybeCallback?: (lock: Lock) => T,
  ): Promise<Awaited<T>> {
    const isShort = typeof optionsOrCallback === "function";
    const callback = isShort ? optionsOrCallback : maybeCallback;
    if (typeof callback !== "function") {
      throw new TypeError(`\`callback\` must be a function, got ${show(callback)}`);
    }
    const lock = await this.#acquire(isShort ? {} : optionsOrCallback, false);
    return runLocked(lock, callback, this.#host.lossGraceMs);
  }

  #acquire(options: PermitOptions, isOnce: boolean): Promise<Lock> {
    checkOptions(options);
    // How long others wait says nothing about one who only tries.
    const { waitMs, ...defaults } = this.#defaults;
    const all = withDefaults(options, isOnce ? defaults : { waitMs, ...defaults });
    return this.#host.acquire(this.#keys, all, isOnce);
  }
}

/** Undefined stands for "not given". */
function withDefaults(given: PermitOptions, defaults: PermitOptions): PermitOptions {
  const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined;
  const options = Object.fromEntries(Object.entries(given).filter(isGiven));
  if (typeof given.retry === "object") options["retry"] = { ...defaults.retry, ...given.retry };
  return { ...defaults, ...options };
}

/** What is not about permits at all; the rest is checked with every acquire. */
function checkOptions(options: PermitOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`options must be an object, got ${show(options)}`);
  }
  for (const option of NOT_FOR_PERMITS) {
    const value: unknown = (options as AcquireOptions)[option];
    if (value !== undefined) {
      throw new TypeError(`\`${option}\` does not apply to a semaphore, got ${show(value)}`);
    }
  }
}
