import { randomUUID } from "node:crypto";
import { FENCE_LEAD_US } from "../protocol/fencing.js";
import { RECORD_KEY } from "../protocol/keys.js";
import { clientsOf, type RedisNode } from "../redis/node-config.js";
import { isOfOneServer, openPlainClient } from "../redis/plain-client.js";
import { HANDSHAKE_SCRIPT } from "../script/embedded-lua.js";
import { encodeHandshake } from "../script/handshake-codec.js";
import { show } from "../validate.js";

/** A server of this module, or a node of `quorate/memory`. */
export interface CommandedNode {
  command(...args: (string | number)[]): Promise<unknown>;
  restart(...args: never[]): unknown;
}

type Command = CommandedNode["command"];

/** How long connecting may take, ms. */
const CONNECT_MS = 5_000;

/** For a node without a record: the defaults of a lock manager. */
const MAX_TTL_MS = 60_000;
const CLOCK_STEP_MS = 5_000;

/**
 * Removes all keys from all nodes (`FLUSHALL`), and lets them vote at once. Use it where a test suite would flush:
 * `beforeEach(() => flushNodes([redis]))`. A node that was only flushed does not vote for `maxTtlMs`, as it may have
 * lost a lock whose holder is still at work.
 *
 * Call it instead of a flush, not after one: a lock manager that has noticed a flush goes on waiting. Fencing tokens go
 * on growing. Locks that are still held are gone from the nodes, and their holders find out by the
 * next renewal: release them first. Never call it where anything depends on the locks.
 *
 * @param nodes all nodes of the locks: servers of this module, nodes of `quorate/memory`, or what a `LockManager` or
 *   a `Redlock` takes (URLs, clients, options). Clients are neither used nor closed; Quorate opens connections of its own.
 * @throws TypeError for bad arguments, naming the node and the value.
 * @throws Error if a node cannot be reached, or with its error.
 */
export async function flushNodes(nodes: readonly (CommandedNode | RedisNode)[]): Promise<void> {
  if (!Array.isArray(nodes) || nodes.length === 0) {
    throw new TypeError(`\`nodes\` must be a list of nodes, got ${show(nodes)}`);
  }
  const runs = nodes.map((node, index) =>
    isCommanded(node)
      ? () => flushServer((...args) => node.command(...args), nodes.length)
      : flushOf(node, index, nodes.length),
  );
  await Promise.all(runs.map((run) => run()));
}

/** A client of ioredis has a `command`, too. */
function isCommanded(node: unknown): node is CommandedNode {
  if (typeof node !== "object" || node === null) return false;
  const { command, restart } = node as Partial<CommandedNode>;
  return typeof command === "function" && typeof restart === "function";
}

/** @throws TypeError */
function flushOf(node: RedisNode, index: number, nodeCount: number): () => Promise<void> {
  const clients = clientsOf(withoutPrefix(node), index, CONNECT_MS);
  return async () => {
    const opened = await openPlainClient(clients, CONNECT_MS);
    if (opened.kind === "failed") throw new Error(`${clients.name}: ${opened.failure.message}`);
    const { client, close } = opened;
    try {
      if (isOfOneServer(client)) {
        await flushServer((name, ...args) => client.call(String(name), args), nodeCount);
      } else {
        // A Cluster has no record to restore.
        await Promise.all(client.nodes("master").map((member) => member.flushall()));
      }
    } finally {
      close();
    }
  };
}

/** The clients of a `Redlock` may have a prefix. The record has none. */
function withoutPrefix(node: RedisNode): RedisNode {
  const { options } = Object(node) as { readonly options?: { readonly keyPrefix?: unknown } };
  const isClient = typeof node === "object" && "duplicate" in node;
  if (!isClient || typeof options?.keyPrefix !== "string") return node;
  return { client: node, options: { keyPrefix: "" } };
}

/**
 * In one step, so that no lock manager finds that the node's data is gone: keeps of its record what the handshake script,
 * which follows, then writes anew. The last argument is the highest fence to keep, as a test may have spoiled it.
 */
const FLUSH_AND_KEEP = `
local limit = tonumber(table.remove(ARGV))
local kept = redis.call('HMGET', KEYS[1], 'id', 'top', 'nodeCount', 'maxTtlMs', 'clockStepMs')
local top = tonumber(kept[2] or '') or 0
redis.call('FLUSHALL')
ARGV[1], ARGV[9] = kept[1] or ARGV[1], kept[1] or ARGV[1]
ARGV[3], ARGV[4], ARGV[5] = kept[3] or ARGV[3], kept[4] or ARGV[4], kept[5] or ARGV[5]
if top > 0 and top <= limit then ARGV[10] = string.format('%.0f', top) end
`;

async function flushServer(command: Command, nodeCount: number): Promise<void> {
  const newId = randomUUID().replaceAll("-", "").slice(0, 22);
  const args = encodeHandshake({
    ...{ number: 0, previous: undefined, newId, nodeCount },
    ...{ maxTtlMs: MAX_TTL_MS, clockStepMs: CLOCK_STEP_MS, wallMs: Date.now() },
    ...{ ifAbsent: "fresh", isDurable: false },
    order: { becomes: "attested", id: newId, topFence: 0 },
  });
  const limit = Date.now() * 1_000 + FENCE_LEAD_US;
  await command("EVAL", FLUSH_AND_KEEP + HANDSHAKE_SCRIPT, 1, RECORD_KEY, ...args, limit);
}
