import type {
  BatchReply,
  HandshakeReply,
  HandshakeRequest,
} from "../../../src/channel/transport.js";
import { FOREIGN_COMMANDS } from "../../../sim/foreign/commands.js";
import { bytesOf, textOf } from "../../../src/memory/bytes.js";
import { MemoryRedis } from "../../../src/memory/memory-redis.js";
import type { Entry, ValueType } from "../../../src/memory/keyspace.js";
import { scoreText } from "../../../src/memory/numbers.js";
import { plainReply } from "../../../src/memory/reply.js";
import { RECORD_KEY } from "../../../src/protocol/keys.js";
import type { Operation } from "../../../src/protocol/operation.js";
import { decodeReply } from "../../../src/script/batch-decoder.js";
import { encodeBatch } from "../../../src/script/batch-encoder.js";
import { BATCH_SCRIPT } from "../../../src/script/batch-script.js";
import { decodeHandshake, encodeHandshake } from "../../../src/script/handshake-codec.js";
import { HANDSHAKE_SCRIPT } from "../../../src/script/embedded-lua.js";
import { hashText } from "./hash-text.js";
import {
  LISTENED_CHANNELS,
  NUMBER,
  SLACK_US,
  type KeyState,
  type NodeState,
  type NodeUnderTest,
} from "./node-under-test.js";

const CONSTANTS = { fenceSlackUs: SLACK_US };

export type Foreign = Exclude<ValueType, "string">;

/** The scripts that ship, on the in-memory Redis. */
export class MemoryNode implements NodeUnderTest {
  nowUs: number;
  readonly redis: MemoryRedis;
  readonly #told: string[] = [];

  constructor(nowUs: number, version?: readonly [number, number]) {
    this.nowUs = nowUs;
    const options = {
      nowUs: () => this.nowUs,
      about: { run_id: "this run" },
      more: FOREIGN_COMMANDS,
    };
    this.redis = new MemoryRedis({ ...options, ...(version !== undefined && { version }) });
    for (const [channel, inbox] of LISTENED_CHANNELS) {
      this.redis.subscribe(channel, (text) => this.#told.push(`${inbox} ${textOf(text)}`));
    }
  }

  async advance(byMs: number): Promise<void> {
    this.nowUs += byMs * 1_000;
  }

  async batch(operations: readonly Operation[], recordId: string): Promise<BatchReply> {
    const reply = this.#run(
      "EVAL",
      BATCH_SCRIPT,
      ...encodeBatch(operations, recordId, NUMBER, CONSTANTS),
    );
    return decodeReply(reply, operations);
  }

  async handshake(request: HandshakeRequest): Promise<HandshakeReply> {
    const reply = this.#run(
      "EVAL",
      HANDSHAKE_SCRIPT,
      "1",
      RECORD_KEY,
      ...encodeHandshake(request).map(String),
    );
    return decodeHandshake("", reply);
  }

  async put(key: string, text: string, ttlMs?: number): Promise<void> {
    this.#run("SET", key, text, ...(ttlMs === undefined ? [] : ["PX", String(ttlMs)]));
  }

  async putHash(
    key: string,
    fields: Readonly<Record<string, string>>,
    ttlMs?: number,
  ): Promise<void> {
    this.#run("DEL", key);
    this.#run("HSET", key, ...Object.entries(fields).flat());
    if (ttlMs !== undefined) this.#run("PEXPIRE", key, String(ttlMs));
  }

  /** Data of another client, by the arguments of the command that puts it there. */
  putForeign(key: string, type: Foreign, args: readonly string[]): void {
    if (type === "hash") this.#run("HSET", key, ...args);
    else if (type === "zset") this.#run("ZADD", key, ...args);
    else {
      const entry = { type, value: null, expiresAtMs: Number.POSITIVE_INFINITY };
      this.redis.keys.put(bytesOf(key), entry);
    }
  }

  async putFence(bucket: string, text: string): Promise<void> {
    this.#run("HSET", RECORD_KEY, bucket, text, "top", text);
  }

  async forget(): Promise<void> {
    this.#run("FLUSHALL");
  }

  async age(): Promise<void> {
    if (this.#run("EXISTS", RECORD_KEY) === 0) return;
    this.#run("HSET", RECORD_KEY, "runId", "another run");
  }

  async state(): Promise<NodeState> {
    const { keys } = this.redis;
    const state: Record<string, KeyState | Record<string, string>> = {};
    for (const [bytes] of keys.entries()) {
      const pttlMs = Number(this.redis.execute(["PTTL", bytes]));
      const entry = keys.find(bytes);
      const key = textOf(bytes);
      if (entry === undefined) continue;
      if (key === RECORD_KEY) state[key] = Object.fromEntries(entry.value as Map<string, string>);
      else state[key] = { text: textOf(valueText(entry)), pttlMs };
    }
    return state;
  }

  async told(): Promise<readonly string[]> {
    return this.#told.splice(0);
  }

  #run(...argv: string[]): unknown {
    return plainReply(this.redis.execute(argv.map(bytesOf)));
  }
}

function valueText({ type, value }: Entry): string {
  switch (type) {
    case "string":
      return value as string;
    case "hash":
      return hashText(value as Map<string, string>);
    case "zset":
      return (value as Entry<"zset">["value"])
        .inOrder()
        .map(([member, score]) => `${scoreText(score)}=${member}`)
        .join(",");
    case "list":
    case "set":
    case "stream":
      return type;
  }
}
