import { showsInterleaving, type Asked } from "./atomicity.js";
import { connectionsToEnd } from "../channel/previous-connection.js";
import type { HandshakeReply, HandshakeRequest } from "../channel/transport.js";
import { INTERLEAVES, MEMBER_OF_CLUSTER } from "../protocol/capabilities.js";
import { RECORD_KEY, WAITING_KEY } from "../protocol/keys.js";
import { HANDSHAKE_SCRIPT } from "../script/embedded-lua.js";
import { decodeHandshake, encodeHandshake } from "../script/handshake-codec.js";
import {
  isConnectionClosed,
  isOfClusterMember,
  isSyntaxError,
  isUnknownCommand,
} from "../script/redis-errors.js";

/** The id of no connection. */
const NOBODY = Number.MAX_SAFE_INTEGER;

const notAnswered = (command: string): string => `${command} is not answered as by a Redis server`;

/** What is asked of a client: CLIENT with these words, EVAL, and any other command. */
export interface Introduced extends Asked {
  client(...words: (string | number)[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...args: (string | number)[]): Promise<unknown>;
}

/** A second connection. */
export interface Another extends Asked {
  close(): void;
}

/** The handshakes of one connection: the first names it, and ends the one before. */
export class Introduction {
  readonly #redis: Introduced;
  readonly #another: () => Promise<Another | undefined>;
  #isDone = false;

  /** @param another opens one more connection to the server, which ends at the latest when this one does */
  constructor(redis: Introduced, another: () => Promise<Another | undefined>) {
    this.#redis = redis;
    this.#another = another;
  }

  async handshake(request: HandshakeRequest): Promise<HandshakeReply> {
    try {
      return await this.#handshake(request);
    } catch (error) {
      if (isOfClusterMember(error)) throw new Error(MEMBER_OF_CLUSTER, { cause: error });
      throw error;
    }
  }

  async #handshake(request: HandshakeRequest): Promise<HandshakeReply> {
    const [connectionId, list, about] = await Promise.all([
      named("CLIENT|ID", this.#redis.client("ID")),
      this.#isDone ? "" : this.#introduce(request),
      askHandshake(this.#redis, RECORD_KEY, request),
    ]);
    if (!Number.isSafeInteger(connectionId)) throw new Error(notAnswered("CLIENT ID"));
    const handshake = { ...about, connectionId: String(connectionId) };
    const isUnseen = !this.#isDone && handshake.earlierTtlMs === 0 && !request.isLooking;
    this.#isDone = true;
    await Promise.all(connectionsToEnd(request, list).map((id) => this.#kill(id)));
    if (!isUnseen || !(await this.#interleaves())) return handshake;
    // It may not show the next time: all clients are told, as long as it runs.
    await this.#redis.call("HSET", RECORD_KEY, "interleaves", handshake.runId);
    return { ...handshake, problems: [...handshake.problems, INTERLEAVES] };
  }

  /** Whether it is shown that scripts of the server are not atomic. */
  async #interleaves(): Promise<boolean> {
    const another = await this.#another();
    try {
      return another !== undefined && (await showsInterleaving(this.#redis, another));
    } catch {
      return false;
    } finally {
      another?.close();
    }
  }

  /**
   * Names the connection, and looks for the previous one. Whether it may end connections must be known before it has to.
   */
  async #introduce({ connectionName, previous }: HandshakeRequest): Promise<string> {
    const [, list] = await Promise.all([
      named("CLIENT|SETNAME", this.#redis.client("SETNAME", connectionName)),
      this.#list(Number(previous?.connectionId ?? NOBODY)),
      this.#kill(NOBODY),
    ]);
    if (typeof list === "string") return list;
    if (list !== undefined) throw new Error(notAnswered("CLIENT LIST"));
    return previous === undefined ? "" : String(await this.#redis.client("LIST"));
  }

  #kill(connectionId: string | number): Promise<unknown> {
    return named("CLIENT|KILL", this.#redis.client("KILL", "ID", connectionId));
  }

  /** Undefined before Redis 6.2, which cannot list one connection, but only all. */
  async #list(connectionId: number): Promise<unknown> {
    try {
      return await named("CLIENT|LIST", this.#redis.client("LIST", "ID", connectionId));
    } catch (error) {
      if (isSyntaxError(error)) return undefined;
      throw error;
    }
  }
}

/**
 * What the server says of itself to the script. Where no script may call INFO, the client does, and asks again; without
 * INFO nothing is known of the server, and nothing was written.
 */
export async function askHandshake(
  redis: Pick<Introduced, "eval" | "call">,
  recordKey: string,
  request: HandshakeRequest,
): Promise<ReturnType<typeof decodeHandshake>> {
  const ask = async (info?: string): Promise<ReturnType<typeof decodeHandshake>> => {
    const words = encodeHandshake(request, info);
    const keys = [recordKey, WAITING_KEY];
    return decodeHandshake("", await redis.eval(HANDSHAKE_SCRIPT, keys.length, ...keys, ...words));
  };
  const about = await ask();
  if (about.problems[0]?.kind !== "info") return about;
  const info = await redis.call("INFO").catch(() => "");
  return typeof info === "string" && info !== "" ? ask(info) : about;
}

const SENTINEL =
  "this is a Sentinel; give { options: { sentinels: [{ host, port }], name } } to lock on its master";

/** What to say of a server that answered with this error: that it is a Sentinel, which has few commands, and INFO. */
export async function orSentinel(
  redis: { info(section: string): Promise<string> },
  error: unknown,
): Promise<unknown> {
  if (!isUnknownCommand(error)) return error;
  const info = await redis.info("server").catch(() => "");
  const isSentinel = /^(?:redis|server)_mode:sentinel/m.test(info);
  return isSentinel ? new Error(SENTINEL, { cause: error }) : error;
}

/** Not all servers' errors name the forbidden command. */
export async function named<T>(command: string, reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (isConnectionClosed(error)) throw error;
    throw new Error(`ERR ${command} failed: ${(error as Error).message}`, { cause: error });
  }
}
