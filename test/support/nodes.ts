import { setTimeout as sleep } from "node:timers/promises";
import type { LockManager, NodeState } from "../../src/index.js";
import { RedisProcess, type RedisServer } from "../../src/testing/index.js";
import { eventually } from "./settle.js";
import { fenceBucketOf, RECORD_KEY } from "../../src/protocol/keys.js";

/** A node, on a server or in memory, that can be asked past all locks. */
export type Commanded = Pick<RedisServer, "command" | "url">;

/** The element, which the test knows to be there. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`there is no element ${index}`);
  return item;
}

/** Waits until the manager sees every node in the state. `ready()` waits for a quorum only. */
export async function allNodes(
  locks: Pick<LockManager, "nodes">,
  state: NodeState = "ready",
  limitMs?: number,
): Promise<void> {
  await eventually(
    `all nodes ${state}`,
    () => locks.nodes.every((node) => node.state === state),
    limitMs,
  );
}

export async function nodeState(
  locks: Pick<LockManager, "nodes">,
  index: number,
  state: NodeState,
  limitMs?: number,
): Promise<void> {
  await eventually(`node ${index} ${state}`, () => at(locks.nodes, index).state === state, limitMs);
}

/** What the server has under the key, past any link; null if nothing. */
export async function valueOf(server: Commanded, key: string): Promise<string | null> {
  return (await server.command("GET", key)) as string | null;
}

/** Waits for the value: a grant is made by a quorum, and the others get to it a moment later. */
export async function nodeHolds(server: Commanded, key: string, value: string): Promise<void> {
  await eventually(
    `${server.url} holds ${value} under ${key}`,
    async () => (await valueOf(server, key)) === value,
  );
}

/** Waits until the name is locked on all of them. */
export async function allHold(servers: readonly Commanded[], name: string): Promise<void> {
  await eventually("all nodes hold it", async () => {
    const values = await Promise.all(servers.map((server) => valueOf(server, `lock:${name}`)));
    return !values.includes(null);
  });
}

export async function pttlOf(server: Commanded, key: string): Promise<number> {
  return Number(await server.command("PTTL", key));
}

/** All lock keys of all servers. */
export async function lockKeys(servers: readonly Commanded[]): Promise<string[]> {
  const lists = await Promise.all(servers.map((server) => server.command("KEYS", "lock:*")));
  return lists.flat().map(String);
}

/**
 * Waits until no server has a lock key any more, nor gets one in the next moment: what is still on
 * its way to a node when the quorum has answered would otherwise be missed. The limit is shorter than the life of a
 * key, which would otherwise go by itself.
 */
export async function noLockKeys(servers: readonly Commanded[], limitMs = 10_000): Promise<void> {
  let left: readonly string[] = [];
  const isNoneLeft = async (): Promise<boolean> => {
    left = await lockKeys(servers);
    return left.length === 0;
  };
  await eventually(
    () => `no lock key is left, and there are ${left.join(", ")}`,
    async () => {
      if (!(await isNoneLeft())) return false;
      await sleep(30);
      return isNoneLeft();
    },
    limitMs,
  );
}

/** Locks the name the way any other Redlock client does. */
export async function holdByHand(
  servers: readonly Commanded[],
  name: string,
  ttlMs = 60_000,
): Promise<void> {
  await Promise.all(
    servers.map((server) =>
      server.command("SET", `lock:${name}`, "somebody-else", "NX", "PX", ttlMs),
    ),
  );
}

/** Frees what {@link holdByHand} locked, or any other lock, without asking. */
export async function freeByHand(servers: readonly Commanded[], name: string): Promise<void> {
  await Promise.all(servers.map((server) => server.command("DEL", `lock:${name}`)));
}

const bucketOf = (name: string): string => fenceBucketOf(`lock:${name}`);

/** The fence that counts for the name; null if the node has none. */
export async function fenceOf(server: Commanded, name: string): Promise<string | null> {
  return (await server.command("HGET", RECORD_KEY, bucketOf(name))) as string | null;
}

/** A fence far ahead of those that the nodes issue, and still plausible: by a year. */
export function fenceAhead(): number {
  return (Date.now() + 365 * 86_400_000) * 1_000;
}

/** As if such a token had been given there; no fence is above the top. */
export async function setFence(server: Commanded, name: string, fence: number): Promise<void> {
  await server.command("HSET", RECORD_KEY, bucketOf(name), String(fence), "top", String(fence));
}

export async function dropFence(server: Commanded, name: string): Promise<void> {
  await server.command("HDEL", RECORD_KEY, bucketOf(name));
}

/** Major version of the servers that tests run on; Valkey calls itself Redis 7. */
export async function serverVersion(): Promise<number> {
  await using server = await RedisProcess.start();
  const info = String(await server.command("INFO", "server"));
  return Number(/redis_version:(\d+)/.exec(info)?.[1]);
}

/** How many processes stand in the queue of the name. When each was there last stands beside them. */
export async function queueSize(server: Commanded, name: string): Promise<number> {
  const members = (await server.command(
    "ZRANGE",
    `quorate:queue:{lock:${name}}`,
    0,
    -1,
  )) as string[];
  return members.filter((member) => !member.startsWith("@")).length;
}
