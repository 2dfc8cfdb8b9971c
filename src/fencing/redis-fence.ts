import { quoted } from "../api/error-text.js";
import { checkKnown, integer, show, string } from "../runtime/validate.js";
import { companionKey, hashTag } from "../protocol/keys.js";
import { StaleTokenError } from "./errors.js";
import { DEFAULT_RETENTION_MS, type FenceStore } from "./fence-store.js";
import { FENCE_SCRIPT, FENCE_SHA } from "./embedded-lua.js";
import { checkGrant, type Grant } from "./grant.js";

/** `unpack` puts all arguments on Lua's stack, which is limited to 8,000. */
const MAX_COMMAND_ARGS = 7_000;

/** An argument of a Redis command. */
export type RedisArgument = string | number | Buffer;

/**
 * A command with one key, as its first argument: the command's name, the key, and further arguments, at most 7,000. For
 * example `["HSET", "order:7", "paid", 1]`.
 */
export type RedisCommand = readonly [command: string, key: string, ...rest: RedisArgument[]];

/** The methods that are used of an ioredis client: a `Redis` or `Cluster` of version 5 or 6. */
export interface ScriptClient {
  evalsha(sha: string, keyCount: number, ...args: RedisArgument[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...args: RedisArgument[]): Promise<unknown>;
}

/** Options of {@link RedisFence}. */
export interface RedisFenceOptions {
  /**
   * How long a fence is kept after its last use, ms. Default: one day. Shorter: less memory. Longer: a holder
   * that was paused that long is still rejected. `Infinity`: never removed.
   */
  readonly retentionMs?: number;
}

/**
 * A fence in the same Redis as the protected data: commands run only if no larger fencing token has been seen. The
 * check and the commands are one script, so nothing can run in between.
 *
 * The fence of `name` is stored in the key `quorate:fenced:{name}`. On a Cluster, all keys must share its hash slot:
 * use `name` itself, or keys that contain `{name}` (or the hash tag of the name).
 */
export class RedisFence implements FenceStore {
  readonly #client: ScriptClient;
  readonly #retention: number | "";

  /**
   * @param client an ioredis client, which is never closed by the fence
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
   * Runs the commands, reads or writes, in one step. From the first call of a new holder on, earlier holders are
   * rejected: they cannot change what the new holder reads in this call or later.
   *
   * If a command fails, the commands before it have taken effect: a script is not rolled back.
   *
   * @returns the reply of each command, with strings decoded as UTF-8. To read binary values, call this without
   *   commands, and then the client's own `getBuffer`
   * @throws StaleTokenError if a larger token has been seen; no command was run
   * @throws TypeError or RangeError if the grant has no valid name or fencing token, for an invalid command, and for keys
   *   of different hash slots on a Cluster
   * @throws errors of the server and of the client
   */
  async run(grant: Grant, ...commands: readonly RedisCommand[]): Promise<unknown[]> {
    const checked = checkGrant(grant);
    const keys = commands.map((command) => checkCommand(command)[1]);
    const args = commands.flatMap(([name, , ...rest]) => [name, rest.length, ...rest]);
    const [fence, replies] = await this.#script(checked.name, checked.fencingToken, keys, args);
    if (Number(fence) !== checked.fencingToken) throw new StaleTokenError(checked, Number(fence));
    return replies as unknown[];
  }

  /**
   * Raises only the fence, for a {@link FenceGate} whose fences are shared by several processes. See
   * {@link FenceStore.lift}.
   *
   * @throws TypeError or RangeError for an invalid resource or token
   */
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
      })
      .catch((error: unknown) => {
        const isOfSlots = error instanceof Error && error.message.startsWith("CROSSSLOT");
        throw isOfSlots ? slotError(name, fenceKey, keys, error) : error;
      });
    return reply as [string, unknown[]?];
  }
}

/** What a Cluster refuses, with what to do. */
function slotError(
  name: string,
  fenceKey: string,
  keys: readonly string[],
  cause: Error,
): RangeError {
  const tag = hashTag(fenceKey);
  const message =
    tag === fenceKey
      ? `\`name\` has braces that form no hash tag, for a Cluster: ${show(name)}`
      : `\`key\` of each command must contain ${quoted(`{${tag}}`)} on a Cluster, got ${show(keys)}`;
  return new RangeError(message, { cause });
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
