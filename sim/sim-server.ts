import type { Batch, HandshakeRequest } from "../src/channel/transport.js";
import { bytesOf, textOf } from "../src/memory/bytes.js";
import { RedisError } from "../src/memory/errors.js";
import type { Entry } from "../src/memory/keyspace.js";
import { MemoryRedis } from "../src/memory/memory-redis.js";
import { plainReply, type Reply } from "../src/memory/reply.js";
import type { CompiledScript } from "../src/memory/lua/lua-vm.js";
import { MAX_FENCE } from "../src/protocol/fencing.js";
import { fenceBucketOf, RECORD_KEY } from "../src/protocol/keys.js";
import { listFieldOf } from "../src/protocol/node-list.js";
import { readRecord, type IncarnationRecord } from "../src/protocol/record.js";
import { encodeBatch, type BatchConstants } from "../src/script/batch-encoder.js";
import { withFewerBuckets } from "../src/script/fence-buckets.js";
import { encodeHandshake } from "../src/script/handshake-codec.js";
import { BATCH_SCRIPT } from "../src/script/batch-script.js";
import { HANDSHAKE_SCRIPT } from "../src/script/embedded-lua.js";
import { operationAtWork } from "./at-work.js";
import { FOREIGN_COMMANDS } from "./foreign/commands.js";
import { NodeKeys, type ForeignStep, type KeyChange } from "./node-keys.js";
import { KEY_PREFIX, watchedKey } from "./watched-keys.js";

/** What goes wrong while one batch runs. */
export interface BatchTrouble {
  /** Whether the server is out of memory. */
  readonly isOutOfMemory: boolean;
  /** Names whose fence is exhausted. */
  readonly spoiltNames: readonly string[];
}

/** Constants of every batch of a client, and how many fences the nodes keep. */
export interface SimConstants extends BatchConstants {
  readonly fenceBuckets: number;
}

/** The field of the record that has the list of nodes. */
const LIST_FIELD = listFieldOf(KEY_PREFIX);

/** No higher fence can be issued. */
const LAST_FENCE = String(MAX_FENCE);

/** A reply as it travels: what it says depends on which request it is taken to answer. */
export type CommandReply =
  | { readonly value: unknown; readonly lie?: Lie | undefined }
  | { readonly error: string };

/** What a node says of its fences, whatever they are. */
export interface Lie {
  readonly fence: number;
}

/** The commands of other code need Redis 8.4. */
const VERSION = [8, 6] as const;

/** The server of a node: the scripts that ship, encoded as in production, in memory. */
export class SimServer {
  readonly keys: NodeKeys;
  readonly redis: MemoryRedis;
  #script: { readonly sha: string; readonly script: CompiledScript } | undefined;
  #record: IncarnationRecord | undefined;
  #nodeList = "";

  constructor(nowUs: () => number, onChange: (change: KeyChange) => void) {
    this.redis = new MemoryRedis({ nowUs, version: VERSION, more: FOREIGN_COMMANDS });
    const isWatched = (key: string): boolean => watchedKey(key) !== undefined;
    this.keys = new NodeKeys(this.redis.keys, isWatched, onChange);
  }

  get record(): IncarnationRecord | undefined {
    return this.#record;
  }

  /** The list of nodes on its record; "" if there is none. */
  get nodeList(): string {
    return this.#nodeList;
  }

  /** Its keys have changed: reads the record again. */
  readRecord(): void {
    const entry = this.redis.keys.find(RECORD_KEY) as Entry<"hash"> | undefined;
    this.#record = entry && recordIn(entry.value);
    this.#nodeList = textOf(entry?.value.get(LIST_FIELD) ?? "");
  }

  /** Removes everything that has expired by now. */
  sweep(): void {
    this.redis.tick();
    this.keys.sweep();
  }

  deleteNodeList(): void {
    this.redis.execute(["HDEL", RECORD_KEY, LIST_FIELD, "nodeCount"].map(bytesOf));
    this.readRecord();
  }

  handshake(request: HandshakeRequest, runId: string): unknown {
    const { redis } = this;
    if (redis.about.run_id !== runId) redis.about = { ...redis.about, run_id: runId };
    const args = encodeHandshake(request).map((arg) => bytesOf(String(arg)));
    const { script } = redis.scripts.load(HANDSHAKE_SCRIPT);
    const reply = redis.evaluate(script, [RECORD_KEY, ...args], 1);
    this.readRecord();
    return plainReply(reply);
  }

  /** Runs a command of foreign code unchanged. */
  command(argv: readonly string[], by: ForeignStep): CommandReply {
    try {
      const run = (): Reply => this.redis.execute(argv.map(bytesOf));
      return { value: plainReply(this.keys.during(() => by, run)) };
    } catch (error) {
      if (!(error instanceof RedisError)) throw error;
      return { error: error.message };
    }
  }

  batch(
    { operations, recordId, number, withScript }: Batch,
    constants: SimConstants,
    trouble: BatchTrouble,
  ): CommandReply {
    try {
      const script = this.#scriptOf(withScript);
      const sent = operations.map((operation) =>
        withFewerBuckets(operation, constants.fenceBuckets),
      );
      const [count, ...given] = encodeBatch(sent, recordId, number, constants).map(bytesOf);
      const reply = this.#amid(trouble, () => {
        return this.keys.during(
          (key, before) => operationAtWork(operations, key, before),
          () => this.redis.evaluate(script, given, Number(count)),
        );
      });
      return { value: plainReply(reply) };
    } catch (error) {
      if (!(error instanceof RedisError)) throw error;
      return { error: error.message };
    }
  }

  #scriptOf(withScript: boolean): CompiledScript {
    const { scripts } = this.redis;
    if (withScript) return (this.#script = scripts.load(BATCH_SCRIPT)).script;
    return scripts.bySha(this.#script?.sha ?? "");
  }

  #amid<Result>({ isOutOfMemory, spoiltNames }: BatchTrouble, run: () => Result): Result {
    const { redis } = this;
    const restore = spoiltNames.map((name) => this.#spoil(name));
    redis.isOutOfMemory = isOutOfMemory;
    try {
      return run();
    } finally {
      redis.isOutOfMemory = false;
      for (const each of restore) each();
    }
  }

  /** Returns how to undo it. */
  #spoil(name: string): () => void {
    const table = this.redis.keys.find(RECORD_KEY) as Entry<"hash"> | undefined;
    const fences = table?.value;
    if (fences === undefined) return () => {};
    const bucket = fenceBucketOf(KEY_PREFIX + name);
    const before = fences.get(bucket);
    fences.set(bucket, LAST_FENCE).set("top", LAST_FENCE);
    return () => {
      if (before !== undefined) fences.set(bucket, before);
      else fences.delete(bucket);
      if (fences.get("top") === LAST_FENCE) fences.set("top", String(highestIn(fences)));
    };
  }
}

function highestIn(fences: ReadonlyMap<string, string>): number {
  const buckets = [...fences].filter(([field]) => /^\d+$/.test(field));
  return Math.max(0, ...buckets.map(([, fence]) => Number(fence)));
}

function recordIn(fields: ReadonlyMap<string, string>): IncarnationRecord | undefined {
  const read = readRecord((field) => textOf(fields.get(field) ?? ""));
  return read.kind === "record" ? read.record : undefined;
}
