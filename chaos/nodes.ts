import { LockManager } from "../src/index.js";
import { labelOf } from "../src/protocol/owner-id.js";
import { RedisFleet } from "../src/testing/index.js";
import type { LeftRecord } from "./history/records.js";
import { CUT_FAULTS } from "./nemesis/faults.js";
import { isDurable, linkedSeats, type CampaignSettings } from "./settings.js";

const KEY_PREFIX = "lock:";

/** In the form that clients take. */
export type NodeList = readonly { readonly url: string; readonly durable: boolean }[];

export function startFleet({ nodeCount }: CampaignSettings): Promise<RedisFleet> {
  return RedisFleet.start({
    nodes: nodeCount,
    links: true,
    server: (node) => ({
      clock: true,
      ...(isDurable(node) && { appendonly: true, appendfsync: "always" }),
    }),
  });
}

export function nodesOf(fleet: RedisFleet): NodeList {
  return listOf(fleet.urls);
}

/** The nodes that the client of each seat gets: some have links of their own. */
export function nodesBySeat(fleet: RedisFleet, settings: CampaignSettings): Promise<NodeList[]> {
  const { clientCount, faults, schedule } = settings;
  const isCut = schedule === "random" && CUT_FAULTS.some((kind) => faults.includes(kind));
  const linked = isCut || schedule === "slow-replies" ? linkedSeats(clientCount) : [];
  const lists = Array.from({ length: clientCount }, async (_, seat) => {
    if (!linked.includes(seat)) return nodesOf(fleet);
    return listOf((await fleet.linksFor(linkName(seat))).map(({ url }) => url));
  });
  return Promise.all(lists);
}

/** Identifies a seat's links; the successor of a killed client takes them over. */
export function linkName(seat: number): string {
  return `client ${seat}`;
}

function listOf(urls: readonly string[]): NodeList {
  return urls.map((url, index) => ({ url, durable: isDurable(index) }));
}

/** Opens the new deployment before any client starts, as an operator would. */
export async function openDeployment(nodes: NodeList, settings: CampaignSettings): Promise<void> {
  const { ttlMs, maxTtlMs, nodeTimeoutMs, clockStepMs } = settings;
  await using locks = new LockManager(nodes, { ttlMs, maxTtlMs, nodeTimeoutMs, clockStepMs });
  locks.on("warning", () => {});
  await locks.ready();
  await (await locks.acquire("first")).release();
}

/** All lock keys on the nodes. Their labels show their owners. */
export async function leftKeys(fleet: RedisFleet, atUs: number): Promise<LeftRecord[]> {
  const perNode = await Promise.all(
    fleet.nodes.map(async (node) => {
      const keys = (await node.command("KEYS", `${KEY_PREFIX}*`)) as string[];
      return Promise.all(keys.map(async (key) => ({ node, key, ...(await read(node, key)) })));
    }),
  );
  return perNode.flat().flatMap(({ node, key, value, ttlMs }) => {
    // It was there a moment ago, and has expired since.
    if (value === null) return [];
    return {
      kind: "left",
      atUs,
      node: node.index,
      name: key.slice(KEY_PREFIX.length),
      ownerId: value,
      process: labelOf(value) ?? "",
      ttlMs,
    };
  });
}

async function read(node: RedisFleet["nodes"][number], key: string) {
  const value = (await node.command("GET", key)) as string | null;
  return { value, ttlMs: Number(await node.command("PTTL", key)) };
}
