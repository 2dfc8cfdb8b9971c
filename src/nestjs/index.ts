import { AsyncLocalStorage } from "node:async_hooks";
import { Inject, Module, type DynamicModule, type ModuleMetadata } from "@nestjs/common";
import type { Lock } from "../face/lock.js";
import { LockManager } from "../lock-manager.js";
import type { LockManagerOptions, RequestOptions } from "../options.js";
import type { NodeConfig } from "../redis/node-config.js";

/** Options of {@link QuorateModule}. */
export interface QuorateModuleOptions {
  readonly nodes: readonly NodeConfig[];
  /** Of the lock manager. */
  readonly options?: LockManagerOptions<boolean> | undefined;
  /**
   * How long locks may still be held when the application shuts down, ms, see `locks.close()`. Requests over HTTP have
   * ended by then.
   * @defaultValue 0
   */
  readonly drainMs?: number | undefined;
}

/** The same, made by a provider. */
export interface QuorateModuleAsyncOptions extends Pick<ModuleMetadata, "imports"> {
  readonly inject?: NonNullable<DynamicModule["providers"]> | undefined;
  readonly useFactory: (
    ...dependencies: never[]
  ) => QuorateModuleOptions | Promise<QuorateModuleOptions>;
}

/** A name, several, or what makes them of the arguments of a method. */
export type NameOf =
  | string
  | readonly string[]
  | ((...args: never[]) => string | readonly string[]);

/** For Terminus: `health.check([() => quorum.check()])`. */
export class QuorateHealthIndicator {
  readonly #locks: LockManager;

  constructor(locks: LockManager) {
    this.#locks = locks;
  }

  /** Up while a quorum of nodes votes. Asks no node. */
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

/** One lock manager for the application, to be injected as `LockManager`; closed when it shuts down. */
// oxlint-disable-next-line typescript/no-extraneous-class -- what Nest takes for a module
export class QuorateModule {
  /** @throws TypeError or RangeError for bad options, naming the option and the value, when the application starts. */
  static forRoot(options: QuorateModuleOptions): DynamicModule {
    return QuorateModule.forRootAsync({ useFactory: () => options });
  }

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
          useFactory: ({ nodes, options }: QuorateModuleOptions) => new LockManager(nodes, options),
        },
        {
          provide: Shutdown,
          inject: [LockManager, OPTIONS],
          useFactory: (locks: LockManager, { drainMs }: QuorateModuleOptions) =>
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
// As a function: what is published needs no compiler's decorators.
Module({})(QuorateModule);

/** Injects the application's lock manager. */
export const InjectLocks = (): ReturnType<typeof Inject> => Inject(LockManager);

const LOCKS = Symbol("quorate.locks");
const current = new AsyncLocalStorage<Lock<boolean>>();

/** The lock under which the method runs that calls this; undefined outside of `@Locked`. */
export function currentLock(): Lock<boolean> | undefined {
  return current.getStore();
}

/**
 * Runs the method under a lock, as the callback of `locks.request`, and rejects in the same way. Its lock is
 * {@link currentLock}. With `ifAvailable`, if the name is held, the method does not run and undefined is
 * returned.
 *
 * @example
 * ```ts
 * @Locked((userId: string) => `user:${userId}`, { waitMs: 2_000 })
 * async charge(userId: string) {}
 * ```
 */
export function Locked(name: NameOf, options: RequestOptions<boolean> = {}): MethodDecorator {
  return (target, key, descriptor: PropertyDescriptor) => {
    Inject(LockManager)(target, LOCKS);
    const method = descriptor.value as (...args: unknown[]) => unknown;
    const locked = async function (this: { [LOCKS]?: LockManager<boolean> }, ...args: never[]) {
      const locks = this[LOCKS];
      if (locks === undefined) {
        const where = `${target.constructor.name}.${String(key)}`;
        throw new Error(
          `@Locked ${where}: not made by Nest, or the application lacks QuorateModule`,
        );
      }
      const names = typeof name === "function" ? name(...args) : name;
      return await locks.request(names, options, (lock: Lock<boolean> | null) =>
        lock === null ? undefined : current.run(lock, () => method.apply(this, args)),
      );
    };
    // What other decorators have said about the method, such as its route or its schedule.
    for (const about of Reflect.getMetadataKeys(method)) {
      Reflect.defineMetadata(about, Reflect.getMetadata(about, method), locked);
    }
    Object.defineProperty(locked, "name", { value: method.name });
    return { ...descriptor, value: locked } as never;
  };
}
