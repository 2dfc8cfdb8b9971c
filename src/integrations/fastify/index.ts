import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import { checkedDrainMs, SERVICE_DRAIN_MS } from "../../manager/drain.js";
import { httpStatusOf } from "../../api/error-codes.js";
import type { Lock } from "../../api/lock.js";
import type { Locks } from "../../api/locks.js";
import { LockManager } from "../../manager/lock-manager.js";
import type { AcquireOptions, LockManagerOptions } from "../../api/options.js";
import type { NodeConfig } from "../../nodes/simulated-nodes.js";
import { checkKnown } from "../../runtime/validate.js";

type Name = string | readonly string[];
type NameOf = (request: FastifyRequest) => Name | Promise<Name>;

/** The lock of a route: a function that returns its name, or several, for a request, alone or with lock options. */
export type RouteLock = NameOf | ({ readonly name: NameOf } & Omit<AcquireOptions, "signal">);

declare module "fastify" {
  interface FastifyInstance {
    /** The lock manager, for locks that are not those of a whole route. */
    readonly locks: Locks;
  }
  interface FastifyRequest {
    /** The lock of a route with `config.lock`, while its handler runs; otherwise null. */
    lock: Lock | null;
  }
  interface FastifyContextConfig {
    /** The handler runs under this lock. A request waits for it for up to `waitMs`, 1_000 ms by default. */
    lock?: RouteLock;
  }
}

/** Options of the plugin: nodes, or your own lock manager, which the plugin does not close. */
export type QuoratePluginOptions =
  | {
      readonly nodes: readonly NodeConfig[];
      readonly options?: LockManagerOptions | undefined;
      /** How long the server waits, when it closes, for locks that are still held, ms. @defaultValue 20,000 */
      readonly drainMs?: number | undefined;
    }
  | { readonly locks: Locks };

/** In the `config` of a route whose handler runs under its lock. */
const LOCKED = Symbol("quorate");

/** A client that has to wait longer has usually given up. */
const WAIT_MS = 1_000;

/** Options of Fastify itself, for every plugin. */
const OF_FASTIFY = ["prefix", "logLevel", "logSerializers"];

/**
 * The plugin: `await app.register(quorate, { nodes })`. It adds `app.locks`, and `config.lock` for routes that are
 * added later. A route responds 423 with `Retry-After` if its lock is held, and 503 without a quorum or if the lock is
 * lost.
 *
 * @throws TypeError or RangeError for bad options, of the plugin or the lock manager, naming the option and the value
 */
export async function quorate(app: FastifyInstance, options: QuoratePluginOptions): Promise<void> {
  const isOwn = "nodes" in options;
  checkKnown(options, [...(isOwn ? ["nodes", "options", "drainMs"] : ["locks"]), ...OF_FASTIFY]);
  // Now, not when the server closes: the locks would stay.
  const drainMs = isOwn ? checkedDrainMs({ drainMs: options.drainMs ?? SERVICE_DRAIN_MS }) : 0;
  const locks = isOwn ? new LockManager(options.nodes, options.options) : options.locks;
  if (isOwn) app.addHook("onClose", () => locks.close({ drainMs }));
  app.decorate("locks", locks);
  app.decorateRequest("lock", null);
  app.addHook("onRoute", (route) => {
    const { lock } = route.config ?? {};
    if (lock === undefined) return;
    route.handler = underLock(locks, lock, route.handler);
    // Several routes may have one lock, and one of them have been added before.
    Object.assign((route.config = { ...route.config }), { [LOCKED]: true });
  });
  app.addHook("onRequest", async (request) => {
    const { config, method, url } = request.routeOptions;
    if (config.lock === undefined || LOCKED in config) return;
    throw new Error(
      `the route ${String(method)} ${url} was registered before the quorate plugin, so it takes no lock: ` +
        "call `await app.register(quorate, ...)` before you add routes",
    );
  });
}
// As fastify-plugin does: decorators and hooks apply to the whole application.
Object.assign(quorate, {
  [Symbol.for("skip-override")]: true,
  [Symbol.for("fastify.display-name")]: "quorate",
  [Symbol.for("plugin-meta")]: { name: "quorate", fastify: "5.x" },
});

function underLock(locks: Locks, by: RouteLock, handler: RouteOptions["handler"]) {
  const { name: nameOf, ...options } = typeof by === "function" ? { name: by } : by;
  const locked: RouteOptions["handler"] = async function (request, reply) {
    const name = await nameOf(request);
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    let isGranted = false;
    try {
      return await locks.request(
        name,
        { waitMs: WAIT_MS, ...options, signal: gone.signal },
        async (lock) => {
          isGranted = true;
          request.lock = lock;
          try {
            const result: unknown = await handler.call(this, request, reply);
            if (result !== undefined && !isStream(result)) return result;
            // What is still to be read is part of the handler's work.
            if (result !== undefined) void reply.send(result);
            // Otherwise the handler uses `reply.send()`, and may not have called it yet.
            if (!reply.sent) await reply;
            return reply;
          } finally {
            request.lock = null;
          }
        },
      );
    } catch (error) {
      const { code = "", freeInMs = 0 } = error as { code?: string; freeInMs?: number };
      // Nobody is there to be answered, as where a client leaves while a handler runs.
      if (!isGranted && gone.signal.aborted) return reply.hijack();
      // Errors of the handler are passed on unchanged.
      if (isGranted && code !== "QUORATE_LOST") throw error;
      const status = httpStatusOf(code);
      if (status === undefined) throw error;
      const [afterMs, text] =
        status === 423 ? [freeInMs, "The resource is locked"] : [0, "No lock is available"];
      throw answer(error, code, status, afterMs, text);
    }
  };
  return locked;
}

/** Of Node.js, or of the web. */
function isStream(result: unknown): boolean {
  const { pipe, getReader } = (result ?? {}) as {
    readonly pipe?: unknown;
    readonly getReader?: unknown;
  };
  return typeof pipe === "function" || typeof getReader === "function";
}

/** What the client may see: the original error, which names nodes and holders, is only its cause. */
function answer(cause: unknown, code: string, statusCode: number, afterMs: number, text: string) {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(afterMs / 1_000))) };
  return Object.assign(new Error(text, { cause }), { code, statusCode, headers });
}
