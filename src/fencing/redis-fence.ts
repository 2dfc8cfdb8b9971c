import { checkKnown, integer, show, string } from "../validate.js";
import { companionKey } from "../protocol/keys.js";
import { StaleTokenError } from "./errors.js";
import { DEFAULT_RETENTION_MS, type FenceStore } from "./fence-store.js";
import { FENCE_SCRIPT, FENCE_SHA } from "./embedded-lua.js";
import { checkGrant, type Grant } from "./grant.js";

/** `unpack` puts arguments on Lua's stack, which ends at 8,000. */
const MAX_COMMAND_ARGS = 7_000;

/** What a Redis command takes. */
export type RedisArgument = string | number | Buffer;

/**
 * A command whose only key stands first: its name, the key, and the rest, such as
 * `["HSET", "order:7", "paid", 1]`.
 */
export type RedisCommand = readonly [command: string, key: string, ...rest: RedisArgument[]];

/** What is used of an ioredis client, 5 or 6, `Redis` or `Cluster`. */
export interface ScriptClient {
  evalsha(sha: string, keyCount: number, ...args: RedisArgument[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...args: RedisArgument[]): Promise<unknown>;
}

/** Options of {@link RedisFence}. */
export interface RedisFenceOptions {
  /**
   * How long a fence is kept after its last use, ms. Default: one day. Shorter: less memory. Longer: a holder
   * that sleeps that long is still refused. `Infinity`: never removed.
   */
  readonly retentionMs?: number;
}

/**
 * A fence in the Redis that holds the protected data: commands run only if no larger fencing token
 * was seen. Commands and check are one script, so that nothing comes between them.
 *
 * The fence of `name` is the key `quorate:fenced:{name}`. On a Cluster all keys that are used must
 * share its hash slot: `name` itself, or keys with `{name}` in them (or with the hash tag of the name).
 */
export class RedisFence implements FenceStore {
  readonly #client: ScriptClient;
  readonly #retention: number | "";

  /**
   * @param client an ioredis client, which stays the caller's
   * @throws TypeError, RangeError for unknown options or a retention that is not an integer number of ms
   */
  constructor(client: ScriptClient, options: RedisFenceOptions = {}) {
    if (typeof client?.evalsha !== "function") {
      throw new TypeError(`\`client\` must be an ioredis client, got ${show(client)}`);
    }
    checkKnown(options, ["retentionMs"]);
    const { retentionMs = DEFAULT_RETENTION_MS } = options;
    this.#client = client;
    this.#retention =
      retentionMs === Number.POSITIVE_INFINITY ? "" : integer("retentionMs", retentionMs, 1);
  }

  /**
   * Runs the commands, reads as well as writes, in one step. The first call of a new holder shuts out
   * the holders before it, so what is read in it, or after it, is not changed by them any more.
   *
   * If a command fails, those before it have been run: a script is not rolled back.
   *
   * @returns the reply of each command
   * @throws StaleTokenError if a larger token was seen; no command was run
   * @throws TypeError, RangeError for a grant without a good token, or for what is no command
   */
  async run(grant: Grant, ...commands: readonly RedisCommand[]): Promise<unknown[]> {
    const checked = checkGrant(grant);
    const keys = commands.map((command) => checkCommand(command)[1]);
    const args = commands.flatMap(([name, , ...rest]) => [name, rest.length, ...rest]);
    const [fence, replies] = await this.#script(checked.name, checked.fencingToken, keys, args);
    if (Number(fence) !== checked.fencingToken) throw new StaleTokenError(checked, Number(fence));
    return replies as unknown[];
  }

  /** The fence alone, for a {@link FenceGate} whose fences several processes share. */
  async lift(resource: string, fencingToken: number): Promise<number> {
    const checked = checkGrant({ name: resource, fencingToken });
    const [fence] = await this.#script(checked.name, checked.fencingToken, [], []);
    return Number(fence);
  }

  async #script(
    name: string,
    fencingToken: number,
    keys: readonly string[],
    args: readonly RedisArgument[],
  ): Promise<[fence: string, replies?: unknown[]]> {
    const fenceKey = companionKey("fenced", name);
    const all = [fenceKey, ...keys, fencingToken, this.#retention, ...args];
    const keyCount = keys.length + 1;
    const reply = await this.#client
      .evalsha(FENCE_SHA, keyCount, ...all)
      .catch((error: unknown) => {
        // The server was restarted, or has never seen the script: nothing has been run.
        if (!(error instanceof Error) || !error.message.startsWith("NOSCRIPT")) throw error;
        return this.#client.eval(FENCE_SCRIPT, keyCount, ...all);
      });
    return reply as [string, unknown[]?];
  }
}

function checkCommand(command: RedisCommand): RedisCommand {
  if (!Array.isArray(command)) {
    throw new TypeError(`a command must be an array [command, key, ...], got ${show(command)}`);
  }
  const [name, key, ...rest] = command;
  string("command", name);
  string("key", key);
  if (rest.length > MAX_COMMAND_ARGS) {
    const limit = `at most ${MAX_COMMAND_ARGS} arguments`;
    throw new RangeError(`\`${name}\` must have ${limit} after its key, got ${rest.length}`);
  }
  for (const arg of rest) {
    if (typeof arg === "string" || typeof arg === "number" || Buffer.isBuffer(arg)) continue;
    throw new TypeError(`\`${name}\` takes strings, numbers and Buffers, got ${show(arg)}`);
  }
  return command;
}
