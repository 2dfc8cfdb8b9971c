import { randomUUID } from "node:crypto";
import { FENCE_LEAD_US } from "../protocol/fencing.js";
import { RECORD_KEY } from "../protocol/keys.js";
import type { ListOffer } from "../protocol/node-list.js";
import { clientsOf, type RedisNode } from "../redis/node-config.js";
import { isOfOneServer, openPlainClient } from "../redis/plain-client.js";
import { HANDSHAKE_SCRIPT } from "../script/embedded-lua.js";
import { encodeHandshake } from "../script/handshake-codec.js";
import { show } from "../runtime/validate.js";
import { FLUSH_SCRIPT } from "./embedded-lua.js";

/** A server of this module, or a node of `quorate/memory`. */
export interface CommandedNode {
  command(...args: (string | number)[]): Promise<unknown>;
  restart(...args: never[]): unknown;
}

/** It puts no list of nodes on record. */
const NO_LIST: ListOffer = {
  ...{ keyPrefix: "", nodeId: undefined, isToGetId: false, list: undefined },
};

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

async function flushServer(command: Command, nodeCount: number): Promise<void> {
  const newId = randomUUID().replaceAll("-", "").slice(0, 22);
  const args = encodeHandshake({
    ...{ number: 0, connectionName: "", previous: undefined, newId, nodeCount },
    ...{ nodeList: NO_LIST, isLooking: false },
    ...{ maxTtlMs: 0, firstTtlMs: MAX_TTL_MS, clockStepMs: CLOCK_STEP_MS, wallMs: Date.now() },
    ...{ ifAbsent: "fresh", isDurable: false },
    order: { becomes: "attested", id: newId, topFence: 0 },
  });
  const limit = Date.now() * 1_000 + FENCE_LEAD_US;
  await command("EVAL", FLUSH_SCRIPT + HANDSHAKE_SCRIPT, 1, RECORD_KEY, ...args, limit);
}
