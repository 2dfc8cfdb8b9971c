import { execFileSync } from "node:child_process";
import { Redis } from "ioredis";
import type {
  BatchReply,
  HandshakeReply,
  HandshakeRequest,
} from "../../../src/channel/transport.js";
import { RECORD_KEY } from "../../../src/protocol/keys.js";
import type { Operation } from "../../../src/protocol/operation.js";
import { decodeReply } from "../../../src/script/batch-decoder.js";
import { encodeBatch } from "../../../src/script/batch-encoder.js";
import { BATCH_SCRIPT } from "../../../src/script/batch-script.js";
import { decodeHandshake, encodeHandshake } from "../../../src/script/handshake-codec.js";
import { HANDSHAKE_SCRIPT } from "../../../src/script/embedded-lua.js";
import { RedisFleet, type FleetNode } from "../../../src/testing/index.js";
import { findRedisBinary } from "../../../src/testing/redis-binary.js";
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

/** Every key with its value and PTTL in one step. */
const DUMP = /* lua */ `
local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local kind = redis.call('TYPE', key).ok
  local value = kind
  if kind == 'string' then value = redis.call('GET', key) end
  if kind == 'zset' then
    local queue = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    local members = {}
    for n = 1, #queue, 2 do
      members[#members + 1] = string.format('%.17g', tonumber(queue[n + 1])) .. '=' .. queue[n]
    end
    value = table.concat(members, ',')
  end
  if kind == 'hash' then value = redis.call('HGETALL', key) end
  all[#all + 1] = { key, kind, value, redis.call('PTTL', key) }
end
return all`;

function textOf(value: unknown): string {
  const fields = value as string[];
  const found = new Map<string, string>();
  for (let at = 0; at < fields.length; at += 2) found.set(fields[at] ?? "", fields[at + 1] ?? "");
  return hashText(found);
}

/** Since Redis 7, DEBUG has to be allowed; versions before do not know the option. */
function debugArgs(): readonly string[] {
  const about = execFileSync(findRedisBinary(), ["--version"], { encoding: "utf8" });
  const major = Number(/\bv=(\d+)/.exec(about)?.[1]);
  return major < 7 ? [] : ["--enable-debug-command", "local"];
}

/** A real server whose clock stands still. */
export class RedisNode implements NodeUnderTest, AsyncDisposable {
  nowUs = 0;
  /** Of the Redis that it is like. */
  version: readonly number[] = [];
  isValkey = false;
  readonly #fleet: RedisFleet;
  readonly #server: FleetNode;
  readonly #client: Redis;
  readonly #listener: Redis;
  readonly #told: string[] = [];
  #runId = "";

  private constructor(fleet: RedisFleet, server: FleetNode) {
    this.#fleet = fleet;
    this.#server = server;
    this.#client = new Redis(server.url, {
      lazyConnect: true,
      retryStrategy: null,
      protocol: 2,
    });
    this.#listener = this.#client.duplicate();
    this.#listener.on("message", (channel: string, text: string) =>
      this.#told.push(`${LISTENED_CHANNELS.get(channel)} ${text}`),
    );
  }

  static async start(): Promise<RedisNode> {
    const server = { clock: true, extraArgs: debugArgs() };
    const fleet = await RedisFleet.start({ nodes: 1, provider: "process", server });
    const [node] = fleet.nodes;
    if (node === undefined) throw new Error("the fleet has no server");
    node.clock.rate(0);
    // Since Redis 8, the search for expired keys deletes a key that access would still find, for a millisecond more.
    await node.command("DEBUG", "SET-ACTIVE-EXPIRE", 0);
    const redis = new RedisNode(fleet, node);
    const [seconds, micros] = await redis.#client.time();
    redis.nowUs = Number(seconds) * 1_000_000 + Number(micros);
    await redis.#listener.subscribe(...LISTENED_CHANNELS.keys());
    const info = await redis.#client.info("server");
    redis.#runId = /\nrun_id:(\w+)/.exec(info)?.[1] ?? "";
    redis.isValkey = info.includes("\nvalkey_version:");
    redis.version = (/\nredis_version:([\d.]+)/.exec(info)?.[1] ?? "").split(".").map(Number);
    return redis;
  }

  /** For what only a real server can be asked. */
  get client(): Redis {
    return this.#client;
  }

  get runId(): string {
    return this.#runId;
  }

  async advance(byMs: number): Promise<void> {
    this.#server.clock.jump(byMs);
    this.nowUs += byMs * 1_000;
  }

  async batch(operations: readonly Operation[], recordId: string): Promise<BatchReply> {
    const encoded = encodeBatch(operations, recordId, NUMBER, CONSTANTS);
    const reply = await this.#client.call("EVAL", BATCH_SCRIPT, ...encoded);
    return decodeReply(reply, operations);
  }

  async handshake(request: HandshakeRequest): Promise<HandshakeReply> {
    const reply = await this.#client.eval(
      HANDSHAKE_SCRIPT,
      1,
      RECORD_KEY,
      ...encodeHandshake(request),
    );
    return decodeHandshake("", reply);
  }

  async put(key: string, text: string, ttlMs?: number): Promise<void> {
    if (ttlMs === undefined) await this.#client.set(key, text);
    else await this.#client.set(key, text, "PX", ttlMs);
  }

  async putHash(
    key: string,
    fields: Readonly<Record<string, string>>,
    ttlMs?: number,
  ): Promise<void> {
    await this.#client.del(key);
    await this.#client.hset(key, fields);
    if (ttlMs !== undefined) await this.#client.pexpire(key, ttlMs);
  }

  async putFence(bucket: string, text: string): Promise<void> {
    await this.#client.hset(RECORD_KEY, bucket, text, "top", text);
  }

  async forget(): Promise<void> {
    await this.#client.flushall();
  }

  async age(): Promise<void> {
    if ((await this.#client.exists(RECORD_KEY)) === 0) return;
    await this.#client.hset(RECORD_KEY, "runId", "another run");
  }

  async state(): Promise<NodeState> {
    const rows = (await this.#client.eval(DUMP, 0)) as [string, string, unknown, number][];
    const state: Record<string, KeyState | Record<string, string>> = {};
    for (const [key, kind, value, pttlMs] of rows) {
      if (key === RECORD_KEY) state[key] = this.#recordOf(value);
      else state[key] = { text: kind === "hash" ? textOf(value) : String(value), pttlMs };
    }
    return state;
  }

  async told(): Promise<readonly string[]> {
    // Behind all that was published before.
    await this.#listener.ping();
    return this.#told.splice(0);
  }

  /** Its run_id is a server's own choice. */
  #recordOf(value: unknown): Record<string, string> {
    const fields = value as string[];
    const record: Record<string, string> = {};
    for (let at = 0; at < fields.length; at += 2) record[fields[at] ?? ""] = fields[at + 1] ?? "";
    if (record["runId"] === this.#runId) record["runId"] = "this run";
    return record;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#client.disconnect();
    this.#listener.disconnect();
    await this.#fleet.stop();
  }
}
