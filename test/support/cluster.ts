import { RedisProcess } from "../../src/testing/index.js";
import { eventually } from "./settle.js";

const startMember = (): Promise<RedisProcess> =>
  RedisProcess.start({ cluster: true, extraArgs: ["--cluster-announce-ip", "127.0.0.1"] });

/** A Cluster of one server, which has all slots. */
export async function startCluster(): Promise<RedisProcess> {
  const server = await startMember();
  await addAllSlots(server);
  await clusterIsUp(server);
  return server;
}

/** Two members of a Cluster: the first has all slots, until some are {@link moveSlot moved}. */
export async function startPair(): Promise<readonly [RedisProcess, RedisProcess]> {
  const [first, second] = [await startCluster(), await startMember()];
  await first.command("CLUSTER", "MEET", "127.0.0.1", second.port);
  await eventually("they know each other", async () => {
    const infos = await Promise.all([first, second].map((one) => one.command("CLUSTER", "INFO")));
    return infos.every((info) => /state:ok[^]*known_nodes:2/.test(String(info)));
  });
  return [first, second];
}

/** A slot that is being moved key by key, as `redis-cli --cluster reshard` does it. */
export interface SlotMove {
  /** Moves these keys, of which some may be gone. */
  migrate(...keys: readonly string[]): Promise<void>;
  /** All of its keys have been moved. */
  end(): Promise<void>;
}

/** The keys of a slot that a server has. */
export async function keysInSlot(slot: number, server: RedisProcess): Promise<readonly string[]> {
  return (await server.command("CLUSTER", "GETKEYSINSLOT", slot, 1_000)) as string[];
}

export async function beginMove(
  slot: number,
  from: RedisProcess,
  to: RedisProcess,
): Promise<SlotMove> {
  const [fromId, toId] = await Promise.all([from, to].map((one) => one.command("CLUSTER", "MYID")));
  await to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", String(fromId));
  await from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", String(toId));
  return {
    async migrate(...keys) {
      await from.command("MIGRATE", "127.0.0.1", to.port, "", 0, 5_000, "KEYS", ...keys);
    },
    async end() {
      for (const one of [to, from])
        await one.command("CLUSTER", "SETSLOT", slot, "NODE", String(toId));
    },
  };
}

/** Moves a slot with its keys at once. */
export async function moveSlot(slot: number, from: RedisProcess, to: RedisProcess): Promise<void> {
  const move = await beginMove(slot, from, to);
  const keys = await keysInSlot(slot, from);
  if (keys.length > 0) await move.migrate(...keys);
  await move.end();
}

/** In the way that servers before Redis 7 know, too. */
export async function addAllSlots(server: RedisProcess): Promise<void> {
  await server.command("CLUSTER", "ADDSLOTS", ...Array.from({ length: 16_384 }, (_, at) => at));
}

/** Waits until it serves all slots, also after a restart. */
export async function clusterIsUp(server: RedisProcess): Promise<void> {
  await eventually("the cluster is up", async () =>
    String(await server.command("CLUSTER", "INFO")).includes("cluster_state:ok"),
  );
}
