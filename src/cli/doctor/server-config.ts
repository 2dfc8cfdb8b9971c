import type { Redis } from "../../redis/plain-client.js";
import type { ServerSeen } from "./seen.js";

/** Settings that only administrators may read. After the first refusal, no more are requested. */
export async function configOf(
  redis: Redis,
  ask: <T>(reply: Promise<T>) => Promise<T>,
): Promise<
  Pick<ServerSeen, "appendFsync" | "idleTimeoutSeconds" | "tcpKeepaliveSeconds" | "latencySpikes">
> {
  const config = async (name: string): Promise<string | undefined> => {
    const [, value] = await ask(redis.config("GET", name));
    return value;
  };
  try {
    const appendFsync = await config("appendfsync");
    const [idle, keepalive] = [await config("timeout"), await config("tcp-keepalive")];
    const spikes = (await ask(redis.call("LATENCY", "LATEST"))) as unknown[][];
    return {
      appendFsync,
      idleTimeoutSeconds: idle === undefined ? undefined : Number(idle),
      tcpKeepaliveSeconds: keepalive === undefined ? undefined : Number(keepalive),
      latencySpikes: spikes.map(([event, , , maxMs]) => ({
        event: String(event),
        maxMs: Number(maxMs),
      })),
    };
  } catch {
    return {};
  }
}
