import { RedisProcess } from "../../src/testing/index.js";
import { eventually } from "./settle.js";

/** A Cluster of one server, which has all slots. */
export async function startCluster(): Promise<RedisProcess> {
  const server = await RedisProcess.start({
    cluster: true,
    extraArgs: ["--cluster-announce-ip", "127.0.0.1"],
  });
  await server.command("CLUSTER", "ADDSLOTSRANGE", 0, 16_383);
  await clusterIsUp(server);
  return server;
}

/** Waits until it serves all slots, also after a restart. */
export async function clusterIsUp(server: RedisProcess): Promise<void> {
  await eventually("the cluster is up", async () =>
    String(await server.command("CLUSTER", "INFO")).includes("cluster_state:ok"),
  );
}
