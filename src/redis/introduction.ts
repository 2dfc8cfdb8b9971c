import { connectionsToEnd } from "../channel/previous-connection.js";
import type { HandshakeReply, HandshakeRequest } from "../channel/transport.js";
import { MEMBER_OF_CLUSTER } from "../protocol/capabilities.js";
import { RECORD_KEY } from "../protocol/keys.js";
import { HANDSHAKE_SCRIPT } from "../script/embedded-lua.js";
import { decodeHandshake, encodeHandshake } from "../script/handshake-codec.js";
import { isConnectionClosed, isOfClusterMember, isSyntaxError } from "../script/redis-errors.js";

/** The id of no connection. */
const NOBODY = Number.MAX_SAFE_INTEGER;

const notAnswered = (command: string): string => `${command} is not answered as by a Redis server`;

/** What is asked of a client: CLIENT with these words, and EVAL. */
export interface Introduced {
  client(...words: (string | number)[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...args: (string | number)[]): Promise<unknown>;
}

/** The handshakes of one connection: the first names it, and ends the one before. */
export class Introduction {
  readonly #redis: Introduced;
  #isDone = false;

  constructor(redis: Introduced) {
    this.#redis = redis;
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
      this.#redis.eval(HANDSHAKE_SCRIPT, 1, RECORD_KEY, ...encodeHandshake(request)),
    ]);
    if (!Number.isSafeInteger(connectionId)) throw new Error(notAnswered("CLIENT ID"));
    const handshake = decodeHandshake(String(connectionId), about);
    this.#isDone = true;
    await Promise.all(connectionsToEnd(request, list).map((id) => this.#kill(id)));
    return handshake;
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

/** Not all servers' errors name the forbidden command. */
async function named<T>(command: string, reply: Promise<T>): Promise<T> {
  try {
    return await reply;
  } catch (error) {
    if (isConnectionClosed(error)) throw error;
    throw new Error(`ERR ${command} failed: ${(error as Error).message}`, { cause: error });
  }
}
