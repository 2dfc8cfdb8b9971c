import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { checkedDrainMs, SERVICE_DRAIN_MS } from "../../manager/drain.js";
import { httpStatusOf } from "../../api/error-codes.js";
import type { Lock } from "../../api/lock.js";
import type { Locks } from "../../api/locks.js";
import { checkAhead, LockManager } from "../../manager/lock-manager.js";
import type { AcquireOptions, LockManagerOptions } from "../../api/options.js";
import type { NodeConfig } from "../../nodes/simulated-nodes.js";
import { checkKnown, checkLocks, show } from "../../runtime/validate.js";

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
    /**
     * The handler runs under this lock. A request waits for it for up to `waitMs`, 1_000 ms by default. If it is
     * wrong, adding the route throws a TypeError or RangeError.
     */
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
  if (!isOwn && !("locks" in options))
    throw new TypeError("the quorate plugin needs `nodes`, or `locks`: a lock manager of your own");
  checkKnown(options, [...(isOwn ? ["nodes", "options", "drainMs"] : ["locks"]), ...OF_FASTIFY]);
  if (!isOwn) checkLocks(options.locks, "request");
  // Now, not when the server closes: the locks would stay.
  const drainMs = isOwn ? checkedDrainMs({ drainMs: options.drainMs ?? SERVICE_DRAIN_MS }) : 0;
  const locks = isOwn ? new LockManager(options.nodes, options.options) : options.locks;
  if (isOwn) app.addHook("onClose", () => locks.close({ drainMs }));
  app.decorate("locks", locks);
  app.decorateRequest("lock", null);
  app.addHook("onRoute", (route) => {
    const { lock } = route.config ?? {};
    if (lock === undefined) return;
    const where = `${String(route.method)} ${route.url}`;
    route.handler = underLock(locks, checkedLock(locks, lock, where), route.handler);
    const { onSend = [] } = route;
    route.onSend = [onAnswer, ...(Array.isArray(onSend) ? onSend : [onSend])];
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

/** What to call when the handler under a lock answers. */
const answers = new WeakMap<FastifyRequest, () => void>();

async function onAnswer(request: FastifyRequest): Promise<void> {
  answers.get(request)?.();
}

/**
 * Now, since each request would fail.
 *
 * @param route for errors
 * @throws TypeError or RangeError that names the route, the option and the value
 */
function checkedLock(locks: Locks, lock: RouteLock, route: string): Exclude<RouteLock, NameOf> {
  const given: unknown = lock;
  const isObject = typeof given === "object" && given !== null;
  const parts = isObject ? given : { name: given };
  const { name, ...options } = parts as { readonly name: NameOf } & AcquireOptions;
  if (typeof name !== "function") {
    throw new TypeError(
      `\`config.lock${isObject ? ".name" : ""}\` of ${route} must be a function of the request that returns the name, ` +
        `got ${show(name)}`,
    );
  }
  try {
    if (options.signal !== undefined)
      throw new TypeError("`signal` is that of the request: leave it out");
    checkAhead(locks, "name", options);
  } catch (error) {
    const { message } = error as Error;
    const ErrorOf = error instanceof RangeError ? RangeError : TypeError;
    throw new ErrorOf(`\`config.lock\` of ${route}: ${message}`, { cause: error });
  }
  return { name, ...options };
}

/** @throws TypeError, such as where options are returned */
function checkedName(name: unknown): asserts name is Name {
  if (typeof name === "string" || Array.isArray(name)) return;
  throw new TypeError(
    `the function of \`config.lock\` must return a name, or several, got ${show(name)}; ` +
      "options go beside it: `{ name: thatFunction, ...options }`",
  );
}

function underLock(
  locks: Locks,
  { name: nameOf, ...options }: Exclude<RouteLock, NameOf>,
  handler: RouteOptions["handler"],
) {
  const locked: RouteOptions["handler"] = async function (request, reply) {
    const gone = new AbortController();
    const answer = new Answer(request, reply, () => gone.abort());
    let isGranted = false;
    try {
      const name: unknown = await nameOf(request);
      checkedName(name);
      return await locks.request(
        name,
        { waitMs: WAIT_MS, ...options, signal: gone.signal },
        async (lock) => {
          isGranted = true;
          request.lock = lock;
          try {
            return await answer.after(handler.call(this, request, reply));
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
      throw failure(error, code, status, afterMs, text);
    }
  };
  return locked;
}

/** The answer of a handler, which may outlive the connection to its client. */
class Answer {
  readonly #reply: FastifyReply;
  #hasBegun = false;
  /** It has been sent, or nobody is there any more, and the handler has given it. */
  readonly #ended: Promise<void>;

  constructor(request: FastifyRequest, reply: FastifyReply, onClose: () => void) {
    this.#reply = reply;
    const begun = new Promise<void>((resolve) => {
      answers.set(request, () => {
        this.#hasBegun = true;
        resolve();
      });
    });
    const { raw } = reply;
    const over = new Promise<void>((resolve) => {
      const close = (): void => {
        onClose();
        resolve();
      };
      raw.once("finish", resolve);
      if (isClosed(raw)) close();
      else raw.once("close", close);
    });
    // One that the handler has taken into its own hands is over with the connection.
    this.#ended = over.then(() => (reply.sent || raw.headersSent ? undefined : begun));
    // What a handler returns that answers later. Fastify's own takes a client that leaves for the answer.
    // oxlint-disable-next-line unicorn/no-thenable -- it is one already
    Object.assign(reply, { then: (onEnd: () => void) => void this.#ended.then(() => onEnd()) });
  }

  /**
   * Waits for the end of the handler, and of what it has begun to send.
   *
   * @param returned by the handler
   * @returns what Fastify should send
   */
  async after(returned: unknown): Promise<unknown> {
    const result = await returned;
    if (result !== undefined && !isStream(result)) return result;
    // What is still to be read is part of the handler's work.
    if (result !== undefined) void this.#reply.send(result);
    // Without a promise it may not have called `reply.send()` yet. One that came to nothing is an empty answer.
    else if (isThenable(returned) && !this.#hasBegun && !this.#reply.sent) return undefined;
    await this.#ended;
    return undefined;
  }
}

/** Of HTTP/1 or HTTP/2, whose response does not say that itself. */
function isClosed(raw: object): boolean {
  const { destroyed, stream } = raw as {
    readonly destroyed?: boolean;
    readonly stream?: { readonly destroyed: boolean };
  };
  return destroyed === true || stream?.destroyed === true;
}

function isThenable(value: unknown): boolean {
  return typeof (value as { readonly then?: unknown } | undefined)?.then === "function";
}

/** Of Node.js, or of the web, also in a `Response`. */
function isStream(result: unknown): boolean {
  const { pipe, getReader, body } = (result ?? {}) as {
    readonly pipe?: unknown;
    readonly getReader?: unknown;
    readonly body?: unknown;
  };
  if (Object.prototype.toString.call(result) === "[object Response]") return isStream(body);
  return typeof pipe === "function" || typeof getReader === "function";
}

/** What the client may see: the original error, which names nodes and holders, is only its cause. */
function failure(cause: unknown, code: string, statusCode: number, afterMs: number, text: string) {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(afterMs / 1_000))) };
  return Object.assign(new Error(text, { cause }), { code, statusCode, headers });
}
