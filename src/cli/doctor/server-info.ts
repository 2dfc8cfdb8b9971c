import type { ServerSeen } from "./seen.js";

/** Fields of an INFO reply by name. */
export type InfoFields = ReadonlyMap<string, string>;

export function infoFields(text: string): InfoFields {
  const fields = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0 && !line.startsWith("#")) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
}

type OfInfo = Omit<
  ServerSeen,
  "appendFsync" | "idleTimeoutSeconds" | "tcpKeepaliveSeconds" | "latencySpikes"
>;

/** What INFO reports, including its section commandstats. */
export function serverOfInfo(fields: InfoFields): OfInfo {
  const text = (name: string): string => fields.get(name) ?? "";
  const number = (name: string): number => Number(text(name)) || 0;
  const [flavour, version] = flavourOf(fields);
  return {
    runId: text("run_id"),
    flavour,
    version,
    replicaCount: number("connected_slaves"),
    maxMemoryBytes: number("maxmemory"),
    usedMemoryBytes: number("used_memory"),
    evictionPolicy: text("maxmemory_policy"),
    evictedKeyCount: number("evicted_keys"),
    hasAof: text("aof_enabled") === "1",
    lastForkMs: number("latest_fork_usec") / 1_000,
    scriptMs: scriptMs(text("cmdstat_evalsha")),
  };
}

function flavourOf(fields: InfoFields): readonly [ServerSeen["flavour"], string] {
  const version = fields.get("redis_version") ?? "unknown";
  const ofValkey = fields.get("valkey_version");
  if (ofValkey !== undefined) return ["Valkey", ofValkey];
  const ofDragonfly = fields.get("dragonfly_version");
  if (ofDragonfly !== undefined) return ["Dragonfly", ofDragonfly];
  const ofGarnet = fields.get("garnet_version");
  if (ofGarnet !== undefined) return ["Garnet", ofGarnet];
  const isKeyDb = fields.has("mvcc_depth") || /keydb/i.test(fields.get("executable") ?? "");
  return [isKeyDb ? "KeyDB" : "Redis", version];
}

/** `calls=12,usec=340,usec_per_call=28.33,...` */
function scriptMs(stats: string): number | undefined {
  const micros = /usec_per_call=([\d.]+)/.exec(stats)?.[1];
  return micros === undefined ? undefined : Number(micros) / 1_000;
}
