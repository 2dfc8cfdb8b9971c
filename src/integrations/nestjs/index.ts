import { AsyncLocalStorage } from "node:async_hooks";
import { Inject, Module, type DynamicModule, type ModuleMetadata } from "@nestjs/common";
import { checkedDrainMs, SERVICE_DRAIN_MS } from "../../manager/drain.js";
import type { Lock } from "../../api/lock.js";
import { LockManager } from "../../manager/lock-manager.js";
import type { LockManagerOptions, RequestOptions } from "../../api/options.js";
import type { NodeConfig } from "../../nodes/simulated-nodes.js";
import { checkPlace } from "../../options/table.js";
import { checkKnown } from "../../runtime/validate.js";

/** Options of {@link QuorateModule}. */
export interface QuorateModuleOptions {
  /** Nodes of the lock manager. */
  readonly nodes: readonly NodeConfig[];
  /** Options of the lock manager. */
  readonly options?: LockManagerOptions | undefined;
  /**
   * How long the application's shutdown waits for locks that are still held, ms; see `locks.close()`. HTTP requests
   * have ended by then.
   * @defaultValue 20,000
   */
  readonly drainMs?: number | undefined;
}

/** The same options, from a factory with injected dependencies. */
export interface QuorateModuleAsyncOptions extends Pick<ModuleMetadata, "imports"> {
  readonly inject?: NonNullable<DynamicModule["providers"]> | undefined;
  readonly useFactory: (
    ...dependencies: never[]
  ) => QuorateModuleOptions | Promise<QuorateModuleOptions>;
}

/** One name, several names, or a function that returns them for the arguments of the method. */
export type NameOf =
  | string
  | readonly string[]
  | ((...args: never[]) => string | readonly string[]);

/** Health indicator for `@nestjs/terminus`: `health.check([() => quorum.check()])`. */
export class QuorateHealthIndicator {
  readonly #locks: LockManager;

  constructor(locks: LockManager) {
    this.#locks = locks;
  }

  /** `up` while a quorum of nodes votes. Sends nothing to the nodes. */
  check<Key extends string = "quorum">(key = "quorum" as Key) {
    const { quorum, isReady } = this.#locks;
    const nodes = Object.fromEntries(this.#locks.nodes.map(({ node, state }) => [node, state]));
    const status = isReady ? ("up" as const) : ("down" as const);
    return { [key]: { status, ...quorum, nodes } } as Record<
      Key,
      { status: typeof status } & typeof quorum & { nodes: typeof nodes }
    >;
  }
}

/** Closes the locks after the HTTP server, and after the hooks `onModuleDestroy` and `beforeApplicationShutdown`. */
class Shutdown {
  readonly #close: () => Promise<void>;

  constructor(close: () => Promise<void>) {
    this.#close = close;
  }

  onApplicationShutdown(): Promise<void> {
    return this.#close();
  }
}

const OPTIONS = Symbol("quorate.options");

/** Provides one `LockManager` for the application, and closes it when the application shuts down. */
// oxlint-disable-next-line typescript/no-extraneous-class -- Nest requires modules to be classes
export class QuorateModule {
  /**
   * Creates the module with fixed options. When the application starts, bad options throw a TypeError or RangeError,
   * naming the option and the value.
   */
  static forRoot(options: QuorateModuleOptions): DynamicModule {
    return QuorateModule.forRootAsync({ useFactory: () => options });
  }

  /** Creates the module with options from a factory. Bad options throw as those of {@link QuorateModule.forRoot} do. */
  static forRootAsync({ imports, inject, useFactory }: QuorateModuleAsyncOptions): DynamicModule {
    return {
      module: QuorateModule,
      global: true,
      imports: imports ?? [],
      providers: [
        { provide: OPTIONS, inject: (inject ?? []) as never[], useFactory },
        {
          provide: LockManager,
          inject: [OPTIONS],
          useFactory: (given: QuorateModuleOptions) => {
            checkKnown(given, ["nodes", "options", "drainMs"]);
            // Now, not when the application shuts down: Nest only logs it then, and the locks would stay.
            checkedDrainMs({ drainMs: given.drainMs });
            return new LockManager(given.nodes, given.options);
          },
        },
        {
          provide: Shutdown,
          inject: [LockManager, OPTIONS],
          useFactory: (locks: LockManager, { drainMs = SERVICE_DRAIN_MS }: QuorateModuleOptions) =>
            new Shutdown(() => locks.close({ drainMs })),
        },
        {
          provide: QuorateHealthIndicator,
          inject: [LockManager],
          useFactory: (locks: LockManager) => new QuorateHealthIndicator(locks),
        },
      ],
      exports: [LockManager, QuorateHealthIndicator],
    };
  }
}
// Called as a function, so that the published code needs no compiled decorators.
Module({})(QuorateModule);

/** Injects the application's `LockManager`. */
export const InjectLocks = (): ReturnType<typeof Inject> => Inject(LockManager);

const LOCKS = Symbol("quorate.locks");
/** What a method began and did not wait for still runs in its async context, when the lock has gone. */
const current = new AsyncLocalStorage<{ lock: Lock | undefined }>();

/**
 * The lock of the `@Locked` method that is running in the current async context; undefined outside of one, and in work
 * that goes on after it.
 */
export function currentLock(): Lock | undefined {
  return current.getStore()?.lock;
}

const NO_OBSERVABLE =
  "must not return an Observable, which works after the release: await it in the method, as by `lastValueFrom`";
const NO_GENERATOR =
  "must not be a generator, which works after the release: `acquire` a lock in it, or return an array";

/**
 * Runs the method under a lock, as the callback of `locks.request`, and rejects in the same way. In the method,
 * {@link currentLock} returns the lock. With `ifAvailable`, if the name is held, the method does not run, and the call
 * resolves to undefined. If the method returns an Observable, which works only after it, the call rejects with a
 * TypeError.
 *
 * @throws TypeError or RangeError, when the class is defined, for bad options and for a generator, which works only
 *   after its call, too
 *
 * @example
 * ```ts
 * @Locked((userId: string) => `user:${userId}`, { waitMs: 2_000 })
 * async charge(userId: string) {}
 * ```
 */
export function Locked(name: NameOf, options: RequestOptions = {}): MethodDecorator {
  // Now, not at each call: those of a scheduled method only reach a log.
  checkPlace(options, "request");
  return (target, key, descriptor: PropertyDescriptor) => {
    Inject(LockManager)(target, LOCKS);
    const method = descriptor.value as (...args: unknown[]) => unknown;
    const where = `${target.constructor.name}.${String(key)}`;
    if (/Generator/.test(Object.prototype.toString.call(method)))
      throw new TypeError(`@Locked ${where} ${NO_GENERATOR}`);
    const locked = async function (this: { [LOCKS]?: LockManager }, ...args: never[]) {
      const locks = this[LOCKS];
      if (locks === undefined) {
        throw new Error(
          `@Locked ${where}: the class was not instantiated by Nest, or QuorateModule is not imported`,
        );
      }
      const names = typeof name === "function" ? name(...args) : name;
      return await locks.request(names, options, async (lock: Lock | null) => {
        if (lock === null) return undefined;
        const running: { lock: Lock | undefined } = { lock };
        try {
          const result = await current.run(running, () => method.apply(this, args));
          // Nobody has subscribed yet: all its work would be done without the lock.
          if (isObservable(result)) throw new TypeError(`@Locked ${where} ${NO_OBSERVABLE}`);
          return result;
        } finally {
          running.lock = undefined;
        }
      });
    };
    // Keep the metadata of other decorators on the method, such as its route or its schedule.
    for (const about of Reflect.getMetadataKeys(method)) {
      Reflect.defineMetadata(about, Reflect.getMetadata(about, method), locked);
    }
    Object.defineProperty(locked, "name", { value: method.name });
    return { ...descriptor, value: locked } as never;
  };
}

function isObservable(result: unknown): boolean {
  return typeof (result as { subscribe?: unknown } | undefined | null)?.subscribe === "function";
}
