import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { LockManager } from "../../src/index.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { RedisFleet, type FleetNode, type RedisServerOptions } from "../../src/testing/index.js";
import { root } from "../docs/project.js";
import { makeCertificates } from "./certificates.js";
import { startCluster } from "./cluster.js";
import { at, nodeState } from "./nodes.js";
import { AsyncDisposableStackOf } from "./owned.js";
import { startSentinel } from "./sentinel.js";

/** The longest time for an operation that the faults are planted for, ms. */
export const NODE_TIMEOUT_MS = 1_000;

/** Servers that do not stand on one and the same machine, as far as addresses tell. */
export const APART: readonly string[] = ["--bind", "0.0.0.0", "--protected-mode", "no"];

/** An address of its own for each server that was started with {@link APART}. */
export function hostOf(index: number): string {
  return `127.0.0.${index + 2}`;
}

/** The commands of the user in docs/operate/permissions.md. */
export const DENIED_PASSWORD = "hunter2";

/** One fault of one server. */
interface Fault {
  /** Severity and code of all that the doctor has to say of that node. */
  readonly found: readonly string[];
  readonly server?: RedisServerOptions;
  /** A client used it before, and left a record. */
  readonly isUsed?: boolean;
  /** Plants it. @returns options of ioredis beside host and port, and `durable` */
  plant?(node: FleetNode, fleet: RedisFleet): Promise<object | void>;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  idle: {
    found: ["warning idle-timeout", "warning keepalive", "note replicas"],
    isUsed: true,
    plant: async (node) => {
      await node.command("CONFIG", "SET", "timeout", 30);
      await node.command("CONFIG", "SET", "tcp-keepalive", 0);
    },
  },
  replica: {
    found: ["error replica"],
    plant: async (node, { nodes }) => {
      await node.command("REPLICAOF", "127.0.0.1", at(nodes, 0).port);
    },
  },
  dead: { found: ["error unreachable"], plant: (node) => node.kill() },
  frozen: { found: ["error unreachable"], plant: (node) => node.pause() },
  denied: {
    found: ["error permission"],
    plant: (node) => userWith(node, "+@all", "-set"),
  },
  partly: {
    found: ["warning lock-partly-fails"],
    isUsed: true,
    plant: (node) => userWith(node, "+@all", "-zadd"),
  },
  noEval: {
    found: ["error misconfigured"],
    server: { extraArgs: ["--rename-command", "EVAL", ""] },
  },
  password: {
    found: ["error misconfigured"],
    server: { requirepass: "another" },
    plant: async () => ({ password: DENIED_PASSWORD }),
  },
  behind: {
    found: ["error clock"],
    server: { clock: true },
    isUsed: true,
    plant: async (node) => node.clock.jump(-20_000),
  },
  ahead: {
    found: ["warning clock"],
    server: { clock: true },
    isUsed: true,
    plant: async (node) => node.clock.jump(1_500),
  },
  flushed: { found: ["note quarantined"], isUsed: true },
  restarted: {
    found: ["note quarantined", "note could-be-durable"],
    server: { appendonly: true, appendfsync: "always" },
    isUsed: true,
    plant: (node) => node.restart(),
  },
  slow: {
    found: ["warning slow"],
    isUsed: true,
    plant: async (node) => {
      const link = await node.linkFor("doctor");
      link.delay(NODE_TIMEOUT_MS / 8 + 10);
      return { host: "127.0.0.1", port: link.port };
    },
  },
  durable: {
    found: ["error not-durable"],
    server: { appendonly: true, appendfsync: "everysec" },
    isUsed: true,
    plant: async () => ({ durable: true }),
  },
  couldBeDurable: {
    found: ["note could-be-durable"],
    server: { appendonly: true, appendfsync: "always" },
    isUsed: true,
  },
  evicting: {
    found: ["error eviction", "warning evicted", "warning memory"],
    plant: async (node) => {
      const used = await usedMemory(node);
      await node.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      await node.command("CONFIG", "SET", "maxmemory", used + 500_000);
      for (let count = 0; count < 20; count++) {
        await node.command("SET", `filling ${count}`, "x".repeat(50_000));
      }
    },
  },
  full: {
    found: ["error lock-fails", "warning memory"],
    isUsed: true,
    plant: async (node) => {
      await node.command("CONFIG", "SET", "maxmemory", 500_000);
    },
  },
  counted: {
    found: ["warning node-list", "warning max-ttl", "note clock-step"],
    isUsed: true,
    plant: async (node) => {
      await node.command("HSET", RECORD_KEY, "nodeCount", 3, "maxTtlMs", 120_000);
      await node.command("HSET", RECORD_KEY, "clockStepMs", 30_000);
    },
  },
  fence: {
    found: ["error record"],
    isUsed: true,
    plant: async (node) => {
      await node.command("HSET", RECORD_KEY, "floor", Number.MAX_SAFE_INTEGER - 1_000);
    },
  },
  spike: {
    found: ["warning latency"],
    isUsed: true,
    plant: async (node) => {
      await node.command("CONFIG", "SET", "latency-monitor-threshold", 1);
      // A loop that is long enough on any machine: within a script no clock can be asked on every server.
      const busy = "for _ = 1, ARGV[1] do end";
      for (let count = 1e7; (await longestSpikeMs(node)) <= NODE_TIMEOUT_MS; count *= 2) {
        await node.command("EVAL", busy, 0, count);
      }
    },
  },
};

async function userWith(node: FleetNode, ...rules: string[]): Promise<object> {
  const [username, password] = ["locker", DENIED_PASSWORD];
  await node.command("ACL", "SETUSER", username, "ON", `>${password}`, "~*", "&*", ...rules);
  return { username, password };
}

async function longestSpikeMs(node: FleetNode): Promise<number> {
  const spikes = (await node.command("LATENCY", "LATEST")) as unknown[][];
  return Math.max(0, ...spikes.map(([, , , ms]) => Number(ms)));
}

async function usedMemory(node: FleetNode): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(String(await node.command("INFO", "memory")))?.[1]);
}

/** Nodes with a fault each, and what has to be found. */
export interface FaultyFleet extends AsyncDisposable {
  /** For a config file, as JavaScript: one of the nodes is a client. */
  readonly nodes: readonly string[];
  /** By the name of the fault: severities and codes. */
  readonly found: Readonly<Record<string, readonly string[]>>;
  /** Names of the faults, in the order of {@link nodes}. */
  readonly names: readonly string[];
}

/** Starts real servers, and plants every fault that a server can have. */
export async function startFaultyFleet(): Promise<FaultyFleet> {
  const faults = Object.entries(FAULTS);
  await using stack = new AsyncDisposableStackOf();
  const fleet = stack.own(
    await RedisFleet.start({
      nodes: faults.length,
      server: (index) => {
        const { server } = at(faults, index)[1];
        return { ...server, extraArgs: [...APART, ...(server?.extraArgs ?? [])] };
      },
    }),
  );
  const certificates = stack.own(await makeCertificates());
  const extra = stack.own(
    await RedisFleet.start({
      nodes: 2,
      server: (index) => (index === 0 ? { tls: certificates.files } : { extraArgs: [...APART] }),
    }),
  );
  const cluster = stack.own(await startCluster());
  const [encrypted, watched] = [at(extra.nodes, 0), at(extra.nodes, 1)];
  const sentinel = stack.own(await startSentinel("locks", watched.port));
  await leaveRecords(fleet, faults);
  const planted = await Promise.all(
    faults.map(async ([, fault], index) => {
      const node = at(fleet.nodes, index);
      const own = { host: hostOf(index), port: node.port };
      const { durable = false, ...options } = { ...own, ...(await fault.plant?.(node, fleet)) } as {
        durable?: boolean;
      };
      return JSON.stringify({ options, durable });
    }),
  );
  const ioredis = pathToFileURL(join(root, "node_modules/ioredis/built/index.js")).href;
  const again = `redis://localhost:${at(fleet.nodes, 0).port}`;
  const others: Readonly<Record<string, readonly [node: string, ...found: string[]]>> = {
    again: [
      JSON.stringify(again),
      ...["error same-server", "warning idle-timeout", "warning keepalive", "note replicas"],
    ],
    tls: [
      JSON.stringify({
        options: { port: encrypted.port, host: "127.0.0.1", tls: { ca: certificates.ca } },
      }),
      ...["warning certificate", "note quarantined", "warning same-machine"],
    ],
    sentinel: [
      JSON.stringify({
        options: { sentinels: [{ host: "127.0.0.1", port: sentinel.port }], name: "locks" },
      }),
      ...["note sentinel", "note quarantined", "warning same-machine"],
    ],
    member: [
      JSON.stringify(`redis://127.0.0.1:${cluster.port}`),
      ...["error cluster-member", "warning same-machine"],
    ],
    cluster: [
      `new (await import(${JSON.stringify(ioredis)})).Cluster([{ host: "127.0.0.1", port: ${cluster.port} }], { lazyConnect: true })`,
      "note cluster",
    ],
  };
  const owned = stack.move();
  return {
    nodes: [...planted, ...Object.values(others).map(([node]) => node)],
    names: [...Object.keys(FAULTS), ...Object.keys(others)],
    found: {
      ...Object.fromEntries(faults.map(([name, { found }]) => [name, found])),
      ...Object.fromEntries(Object.entries(others).map(([name, [, ...found]]) => [name, found])),
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

/** As clients would, of as many nodes as there will be. */
async function leaveRecords(
  fleet: RedisFleet,
  faults: readonly (readonly [string, Fault])[],
): Promise<void> {
  const used = fleet.nodes.filter((_, index) => at(faults, index)[1].isUsed === true);
  const urls = used.map(({ directUrl }) => directUrl);
  const locks = new LockManager(urls);
  locks.on("warning", () => {});
  await locks.ready({ all: true });
  const flushed = at(fleet.nodes, Object.keys(FAULTS).indexOf("flushed"));
  await flushed.flush();
  await locks.request("name", () => {});
  await nodeState(locks, used.indexOf(flushed), "quarantined");
  await locks.close();
  const count = Object.keys(FAULTS).length + OTHER_COUNT;
  await Promise.all(used.map((node) => node.command("HSET", RECORD_KEY, "nodeCount", count)));
  await Promise.all(used.map((node) => node.command("HDEL", RECORD_KEY, "nodes:lock:")));
}

/** Nodes beside those of {@link FAULTS}. */
const OTHER_COUNT = 5;
