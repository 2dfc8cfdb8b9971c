import type { ConnectionFailure } from "../../channel/transport.js";
import { isExcused, type ConfigProblem } from "../../protocol/capabilities.js";
import { RECORD_KEY } from "../../protocol/keys.js";
import { excusesOf } from "./seen.js";
import type { DoctorSettings, Finding, HostSeen, NodeSeen, ServerSeen, Severity } from "./seen.js";

/** Certificates that expire sooner are reported, days. */
const CERTIFICATE_DAYS = 14;

/** Share of `maxmemory` from which a server counts as nearly full. */
const NEARLY_FULL = 0.9;

const OLDEST_VERSION = [6, 2] as const;

type Check = (node: NodeSeen, settings: DoctorSettings, host: HostSeen) => readonly Finding[];

/** All checks of a node that do not need the others. */
export const NODE_CHECKS: readonly Check[] = [
  reachable,
  certificate,
  roundTrip,
  clockRate,
  version,
  kind,
  misconfigured,
  replicas,
  eviction,
  memory,
  persistence,
  locking,
  record,
  latency,
  idleConnections,
];

function finding(
  { node }: NodeSeen,
  severity: Severity,
  code: string,
  saw: string,
  change: string,
): readonly Finding[] {
  return [{ severity, node, code, saw, change }];
}

const NONE: readonly Finding[] = [];

function reachable(node: NodeSeen): readonly Finding[] {
  const { failure } = node;
  if (failure === undefined) return NONE;
  const { message, isMisconfigured } = failure;
  const { isTls = false, spoken } = node;
  if (spoken === "plain" && isTls) {
    const saw = `it is configured with TLS (rediss://), and its port answers without: ${message}`;
    const change = "use redis://, or the server's tls-port; until then it does not vote";
    return finding(node, "error", "plain-port", saw, change);
  }
  if (spoken === "tls" && !isTls) {
    const saw = `it is configured without TLS (redis://), and its port expects it: ${message}`;
    const change = "use rediss://, or the server's port without TLS; until then it does not vote";
    return finding(node, "error", "tls-port", saw, change);
  }
  const code = isMisconfigured ? "misconfigured" : "unreachable";
  if (/\bACL\b/.test(message)) {
    return finding(node, "error", code, message, permitting(node, message));
  }
  const change = `${stepFor(node, failure)}; until then it does not vote`;
  return finding(node, "error", code, message, change);
}

/** What to do about a server that runs, by what it says; the first match counts. */
const ADVICE: readonly (readonly [said: RegExp, step: (node: NodeSeen) => string])[] = [
  [
    /^BUSY/,
    ({ redisCli }) => `wait for the script that it executes to end, or ${redisCli} SCRIPT KILL`,
  ],
  [/^LOADING/, () => "wait until it has loaded its data"],
  [/^ERR max number of clients/, () => "close connections that nobody needs, or raise maxclients"],
  [/is a Sentinel/, () => "give the master, or its Sentinels as shown above"],
  [/not answered as by a Redis|no Redis server/, () => "correct its address"],
  [
    /server does not answer$/,
    () => "see why it hangs (machine, disk, log), or correct its address",
  ],
  [/no TCP connection$/, () => "start its machine, open the firewall, or correct its address"],
  [/certificate's altnames/, () => "use a name that its certificate has, or add this one to it"],
  [/^the server closed the/, () => "find the reason in its log, or correct its address"],
];

function stepFor(node: NodeSeen, { message, isMisconfigured }: ConnectionFailure): string {
  const [, step] = ADVICE.find(([said]) => said.test(message)) ?? [];
  if (step !== undefined) return step(node);
  if (isMisconfigured) return "correct its credentials or configuration";
  const isAnswer = /^[A-Z]{2,} /.test(message);
  return isAnswer ? "mend what it complains of" : "start the server, or correct its address";
}

function certificate(node: NodeSeen): readonly Finding[] {
  const { certificateDaysLeft: daysLeft } = node;
  if (daysLeft === undefined || daysLeft >= CERTIFICATE_DAYS) return NONE;
  const saw = `its TLS certificate expires in ${daysLeft.toFixed(1)} days`;
  const change = `renew it, then ${node.redisCli} CONFIG SET tls-cert-file FILE tls-key-file FILE`;
  return finding(node, "warning", "certificate", saw, change);
}

/**
 * A quarter of the deadline leaves room for load; slower nodes miss it now and then. A stall of this process is not the
 * node's fault, so it is subtracted from the longest round trip, but not from the median.
 */
function roundTrip(
  node: NodeSeen,
  { nodeTimeoutMs }: DoctorSettings,
  { stallMs }: HostSeen,
): readonly Finding[] {
  const sorted = node.roundTripsMs.toSorted((a, b) => a - b);
  const longestMs = Math.max(sorted[sorted.length >> 1] ?? 0, (sorted.at(-1) ?? 0) - stallMs);
  if (longestMs <= nodeTimeoutMs / 4) return NONE;
  const saw = `a round trip took ${milliseconds(longestMs)} (nodeTimeoutMs is ${nodeTimeoutMs})`;
  const change = `set \`nodeTimeoutMs\` (--node-timeout) to ${Math.ceil((4 * longestMs) / 50) * 50}, or use a nearer node`;
  return finding(node, "warning", "slow", saw, change);
}

/** Share of a time by which a clock may differ from it. Such a short time tells no more. */
const RATE_LIMIT = 0.5;

/** Expiries are measured on that clock. */
function clockRate(node: NodeSeen): readonly Finding[] {
  const { rate } = node;
  if (rate === undefined) return NONE;
  const { advancedMs, elapsedMs, errorMs } = rate;
  if (Math.abs(advancedMs - elapsedMs) <= RATE_LIMIT * elapsedMs + errorMs) return NONE;
  const saw = `its clock advanced by ${milliseconds(advancedMs)} within ${milliseconds(elapsedMs)}: locks expire there too late, or too early`;
  const change = "check its time service, and whether its machine or container fakes or stops time";
  return finding(node, "error", "clock-rate", saw, change);
}

function version(node: NodeSeen): readonly Finding[] {
  const { server } = node;
  if (server === undefined) return NONE;
  const named = `${server.flavour} ${server.version}`;
  if (["KeyDB", "Dragonfly", "Garnet"].includes(server.flavour)) {
    const change = "use Redis 6.2 or later, or Valkey; Quorate is not tested on others";
    return finding(node, "note", "flavour", named, change);
  }
  if (server.flavour === "Valkey" || isAtLeast(server.version, OLDEST_VERSION)) return NONE;
  return finding(node, "warning", "old-version", named, "upgrade to Redis 6.2 or later");
}

function isAtLeast(text: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = text.split(".").map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

function kind(node: NodeSeen): readonly Finding[] {
  if (node.kind === "cluster") {
    const saw = "a Redis Cluster used as one node: a failover inside it can lose a lock unnoticed";
    const change = "prefer a plain master; check fencing tokens in the store";
    return finding(node, "note", "cluster", saw, change);
  }
  if (node.kind !== "sentinel") return NONE;
  const saw =
    "a master behind Sentinel: a failover can lose locks, and during a network partition the node can vote twice";
  const change = `prefer a plain master, or ${node.redisCli} CONFIG SET min-replicas-to-write 1`;
  return finding(node, "note", "sentinel", saw, change);
}

const PROBLEM_CODES = {
  replica: "replica",
  cluster: "cluster-member",
  eviction: "eviction",
  permission: "permission",
  interleaves: "not-atomic",
  notAtomic: "not-atomic",
  info: "no-info",
  undeclaredKeys: "undeclared-keys",
  runId: "no-run-id",
  laterRecord: "record",
  record: "record",
} as const satisfies Record<ConfigProblem["kind"], string>;

function misconfigured(node: NodeSeen, settings: DoctorSettings): readonly Finding[] {
  const changes = {
    // It has a copy of its master's record, with its id.
    replica: `use its master instead; or ${node.redisCli} REPLICAOF NO ONE, and then FLUSHALL before clients use it`,
    cluster: "pass the Cluster as one node, `new Cluster([...])` of ioredis in a .mjs config file",
    eviction: `${node.redisCli} CONFIG SET maxmemory-policy noeviction, and in its redis.conf`,
    interleaves: "use Redis or Valkey; Garnet only with --lua-transaction-mode",
    notAtomic:
      "use Redis or Valkey; or start it with --lua-transaction-mode, and set `atomicScripts: true` for it",
    info: "use a server that lets scripts call INFO (docs/operate/managed-redis.md)",
    undeclaredKeys: "let scripts use keys that they do not declare, or use Redis or Valkey",
    runId: "use Redis or Valkey; or let it keep every write, and set `acceptNoRunId: true` for it",
    laterRecord: `stop all clients of an earlier version and upgrade them; or, if nothing uses it, ${node.redisCli} DEL ${RECORD_KEY}`,
    record: `stop all clients, ${node.redisCli} DEL ${RECORD_KEY}, and start them; the node then votes after maxTtlMs`,
  };
  return node.problems.flatMap((each) => {
    const { kind: problem, message } = each;
    const severity = isExcused(each, excusesOf(node, settings)) ? "note" : "error";
    const change = problem === "permission" ? permitting(node, message) : changes[problem];
    return finding(node, severity, PROBLEM_CODES[problem], message, change);
  });
}

function replicas(node: NodeSeen): readonly Finding[] {
  const count = node.server?.replicaCount ?? 0;
  if (count === 0 || node.kind !== "server") return NONE;
  const saw = `${count} ${count === 1 ? "replica follows" : "replicas follow"} it`;
  const change = "never promote one: it can lack the latest locks, and would be quarantined";
  return finding(node, "note", "replicas", saw, change);
}

function eviction(node: NodeSeen): readonly Finding[] {
  const { evictedKeyCount = 0, evictionPolicy = "" } = node.server ?? {};
  if (evictedKeyCount === 0) return NONE;
  const saw = `it has evicted ${evictedKeyCount} keys since it started, possibly locks (policy now: ${evictionPolicy})`;
  const change = "give it more memory, or use a dedicated server for locks";
  return finding(node, "warning", "evicted", saw, change);
}

function memory(node: NodeSeen): readonly Finding[] {
  const { usedMemoryBytes = 0, maxMemoryBytes = 0 } = node.server ?? {};
  if (maxMemoryBytes === 0 || usedMemoryBytes < NEARLY_FULL * maxMemoryBytes) return NONE;
  const saw = `it uses ${megabytes(usedMemoryBytes)} of ${megabytes(maxMemoryBytes)} (maxmemory); when it is full, it grants no locks`;
  const change = `${node.redisCli} CONFIG SET maxmemory ${2 * Math.max(usedMemoryBytes, maxMemoryBytes)}`;
  return finding(node, "warning", "memory", saw, change);
}

function persistence(node: NodeSeen): readonly Finding[] {
  const { failure, server } = node;
  if (server === undefined) {
    if (!node.isDurable || failure !== undefined) return NONE;
    const saw = "it is configured as `durable`, and it cannot be checked that it keeps every write";
    const change = "appendonly must be yes and appendfsync always on all of its servers";
    return finding(node, "note", "durable-unknown", saw, change);
  }
  const { hasAof, appendFsync } = server;
  const isKept = hasAof && appendFsync === "always";
  if (!node.isDurable) {
    if (!isKept) return NONE;
    const saw = "it keeps every write, but `durable` is not set: a restart quarantines it";
    const change = "configure it as { url, durable: true } in every client";
    return finding(node, "note", "could-be-durable", saw, change);
  }
  if (isKept) return NONE;
  if (hasAof && appendFsync === undefined) {
    const saw =
      "it is configured as `durable`, but this user may not check that appendfsync is always";
    const change = `${node.redisCli} CONFIG GET appendfsync must say always`;
    return finding(node, "note", "durable-unknown", saw, change);
  }
  const found = hasAof ? `appendfsync ${appendFsync}` : "appendonly no";
  const saw = `it is configured as \`durable\`, but has ${found}: after a crash it votes although it has lost locks`;
  // One option at a time: Redis 6 takes no more.
  const settings = [hasAof ? [] : "appendonly yes", "appendfsync always"].flat();
  const commands = settings.map((setting) => `${node.redisCli} CONFIG SET ${setting}`);
  const change = `${commands.join(", then ")}, and the same in its redis.conf; or remove \`durable\` in every client`;
  return finding(node, "error", "not-durable", saw, change);
}

/** The command that grants what is missing according to the message. */
function permitting({ redisCli, user }: NodeSeen, message: string): string {
  const rules = message.match(/\+[a-z]+(?:\|[a-z]+)?|[~&]quorate:\S*/g) ?? [];
  const all = "all permissions are in docs/operate/permissions.md";
  return rules.length === 0 ? all : `${redisCli} ACL SETUSER ${user} ${rules.join(" ")}; ${all}`;
}

const LOCKING = {
  every: ["error", "lock-fails", "it grants no locks"],
  some: ["warning", "lock-partly-fails", "exclusive locks work"],
  speed: ["warning", "lock-slower", "locks work, but more slowly"],
} as const;

function locking(node: NodeSeen): readonly Finding[] {
  return node.lockFailures.flatMap(({ neededBy, what, message }) => {
    const [severity, code, effect] = LOCKING[neededBy];
    const isPermission = /\bACL\b|NOPERM|Permissions in|permission/.test(message);
    const change = isPermission ? permitting(node, message) : "correct the server's configuration";
    return finding(node, severity, code, `${what}: ${message} (${effect})`, change);
  });
}

function record(node: NodeSeen, settings: DoctorSettings): readonly Finding[] {
  const seen = node.sighting?.record;
  if (seen === undefined) return NONE;
  const { maxTtlMs, clockStepMs } = settings;
  const found: Finding[] = [];
  // A client that does not set it keeps to the record.
  if (maxTtlMs !== undefined) found.push(...longestTtl(node, seen.maxTtlMs, maxTtlMs));
  if (seen.clockStepMs !== clockStepMs) {
    const saw = `clockStepMs ${seen.clockStepMs} is on record, ${clockStepMs} is configured here`;
    const change =
      seen.clockStepMs > clockStepMs
        ? `set \`clockStepMs\` to ${seen.clockStepMs} here, if the other clients do`
        : "nothing: the first client with the larger one records it";
    found.push(...finding(node, "note", "clock-step", saw, change));
  }
  return found;
}

function longestTtl(node: NodeSeen, recordedMs: number, maxTtlMs: number): readonly Finding[] {
  const saw = `maxTtlMs ${recordedMs} is on record, ${maxTtlMs} is configured here`;
  if (recordedMs > maxTtlMs) {
    const change = `set \`maxTtlMs\` to ${recordedMs} here; or, if no client uses it any longer, ${hset(node, "maxTtlMs", maxTtlMs)}, and restart the clients`;
    const effect = "quarantine uses the larger one";
    return finding(node, "warning", "max-ttl", `${saw}: ${effect}`, change);
  }
  if (recordedMs === maxTtlMs) return NONE;
  const change = `before clients use it: ${hset(node, "maxTtlMs", maxTtlMs)}, on every node`;
  return finding(node, "note", "max-ttl", saw, change);
}

function hset({ redisCli }: NodeSeen, field: string, value: number): string {
  return `${redisCli} HSET ${RECORD_KEY} ${field} ${value}`;
}

function latency(node: NodeSeen, { nodeTimeoutMs }: DoctorSettings): readonly Finding[] {
  const found = latenciesOf(node.server).filter(([, ms, limit]) => ms > limit * nodeTimeoutMs);
  return found.flatMap(([what, ms]) => {
    const saw = `${what} ${milliseconds(ms)} (nodeTimeoutMs is ${nodeTimeoutMs})`;
    const change = `find what blocks it (${node.redisCli} SLOWLOG GET, LATENCY DOCTOR), or use a dedicated server for locks`;
    return finding(node, "warning", "latency", saw, change);
  });
}

/** What took time, how long it took, and what share of the deadline it may take. */
function latenciesOf(
  server: ServerSeen | undefined,
): readonly (readonly [string, number, number])[] {
  if (server === undefined) return [];
  return [
    ["a script call takes, on average,", server.scriptMs ?? 0, 1 / 20],
    ["the last fork for persistence blocked it for", server.lastForkMs, 1 / 4],
    ...(server.latencySpikes ?? []).map(
      ({ event, maxMs }) => [`its latency monitor saw "${event}" take`, maxMs, 1] as const,
    ),
  ];
}

function idleConnections(node: NodeSeen): readonly Finding[] {
  const { idleTimeoutSeconds = 0, tcpKeepaliveSeconds } = node.server ?? {};
  const found: Finding[] = [];
  if (idleTimeoutSeconds > 0) {
    const saw = `it closes connections that are idle for ${idleTimeoutSeconds} s, so the next lock waits for a new one`;
    const change = `${node.redisCli} CONFIG SET timeout 0`;
    found.push(...finding(node, "warning", "idle-timeout", saw, change));
  }
  if (tcpKeepaliveSeconds === 0) {
    const saw = "tcp-keepalive is 0: connections of machines that no longer exist stay open";
    const change = `${node.redisCli} CONFIG SET tcp-keepalive 300`;
    found.push(...finding(node, "warning", "keepalive", saw, change));
  }
  return found;
}

export function milliseconds(ms: number): string {
  return `${Math.abs(ms) < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

function megabytes(bytes: number): string {
  const mb = bytes / 1_048_576;
  return `${mb < 10 ? mb.toFixed(1) : Math.round(mb)} MB`;
}
