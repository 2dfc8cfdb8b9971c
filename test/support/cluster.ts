import { RedisProcess } from "../../src/testing/index.js";
import { eventually } from "./settle.js";

/** A Cluster of one server, which has all slots. */
export async function startCluster(): Promise<RedisProcess> {
  const server = await RedisProcess.start({
    cluster: true,
    extraArgs: ["--cluster-announce-ip", "127.0.0.1"],
  });
  await addAllSlots(server);
  await clusterIsUp(server);
  return server;
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
