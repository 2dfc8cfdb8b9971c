/**
 * How the doctor examines nodes. Unlike the other commands, it bypasses the public API, because it must see what a lock
 * manager hides or changes: it queries nodes that must not vote, reads their records without writing them (a lock
 * manager may write a record when it connects, or quarantine the node), and tries locks on a single node.
 */
import type { TLSSocket } from "node:tls";
import { firstNumber, outOfStep, OUT_OF_STEP_REMEDY } from "../../channel/node-connection.js";
import { handshakeTimeoutMs } from "../../protocol/deadlines.js";
import type { Sighting } from "../../protocol/quarantine.js";
import {
  INTERLEAVES,
  isExcused,
  MEMBER_OF_CLUSTER,
  type ConfigProblem,
} from "../../protocol/capabilities.js";
import { companionKey, RECORD_KEY } from "../../protocol/keys.js";
import { LAST_LIST_FIELD, listFieldOf } from "../../protocol/node-list.js";
import { RECORD_FIELDS } from "../../protocol/record.js";
import type { NodeClients } from "../../nodes/server-nodes.js";
import { askHandshake, named, orSentinel } from "../../redis/introduction.js";
import { showsInterleaving } from "../../redis/atomicity.js";
import { isOfOneServer, openPlainClient, type Redis } from "../../redis/plain-client.js";
import { systemEntropy } from "../../runtime/system.js";
import { decodeRecord, recordProblems } from "../../script/handshake-codec.js";
import { connectionFailure, isOfClusterMember, isWrongType } from "../../script/redis-errors.js";
import { watchHost } from "./host.js";
import { bestOf, rateOf, roundTrips } from "./round-trips.js";
import { excusesOf, type DoctorSettings, type FleetSeen, type NodeSeen } from "./seen.js";
import { configOf } from "./server-config.js";
import { infoFields, serverOfInfo } from "./server-info.js";
import { spokenAt } from "./spoken.js";
import { tryLocks } from "./try-locks.js";
import { within } from "../../runtime/within.js";

/** A node that cannot be reached is asked for at most so long what else its port speaks, ms. */
const SPOKEN_MS = 3_000;

/** How long this machine's clocks are watched by default, ms. */
const HOST_MS = 3_000;

export interface ProbeSettings extends DoctorSettings {
  /** How long this machine is watched, ms. */
  readonly hostMs?: number;
}

/** Examines all nodes and this machine. Does not reject if something is wrong with one of them. */
export async function probeFleet(
  nodes: readonly NodeClients[],
  settings: ProbeSettings,
): Promise<FleetSeen> {
  const timeoutMs = handshakeTimeoutMs(settings.nodeTimeoutMs);
  const [host, ...seen] = await Promise.all([
    watchHost(settings.hostMs ?? HOST_MS),
    ...nodes.map((node) => probeNode(node, settings, timeoutMs)),
  ]);
  return { nodes: seen, host };
}

type Found = { -readonly [K in keyof NodeSeen]: NodeSeen[K] };

async function probeNode(
  node: NodeClients,
  settings: ProbeSettings,
  timeoutMs: number,
): Promise<NodeSeen> {
  const found: Found = {
    ...{
      node: node.name,
      redisCli: "redis-cli",
      user: "default",
      kind: "cluster",
      isDurable: node.isDurable,
      isRunIdOptional: node.isRunIdOptional,
      areScriptsAtomic: node.areScriptsAtomic,
    },
    ...{
      nodeList: "",
      lastNodeList: "",
      topFence: 0,
      floorFence: 0,
      roundTripsMs: [],
      problems: [],
      lockFailures: [],
    },
  };
  const plain = await openPlainClient(node, timeoutMs);
  if (plain.kind === "failed") {
    if (!node.isCluster) await describeFailed(node.open(), found, timeoutMs);
    return { ...found, failure: plain.failure };
  }
  const { client, close } = plain;
  try {
    if (isOfOneServer(client)) {
      await examine(client, found, settings, timeoutMs);
      found.problems = [...found.problems, ...(await atomicity(node, client, found, timeoutMs))];
    }
    if (mayTryLocks(found, settings)) {
      const listen = node.isCluster ? undefined : () => openPlainClient(node, timeoutMs);
      const { keyPrefix } = settings;
      found.lockFailures = await tryLocks({ client, listen, keyPrefix, timeoutMs });
    }
  } catch (error) {
    const answered = isOfOneServer(client) ? within(orSentinel(client, error), timeoutMs) : error;
    found.failure = connectionFailure(await answered);
  } finally {
    close();
  }
  return found;
}

/** The problem of scripts that are not atomic, if it shows, and is not known already. */
async function atomicity(
  node: NodeClients,
  client: Redis,
  { problems }: Found,
  timeoutMs: number,
): Promise<readonly ConfigProblem[]> {
  if (problems.some(({ kind }) => kind === INTERLEAVES.kind)) return [];
  const another = await openPlainClient(node, timeoutMs);
  if (another.kind === "failed") return [];
  try {
    const looking = showsInterleaving(client, another.client);
    return (await within(looking, timeoutMs)) ? [INTERLEAVES] : [];
  } catch {
    return [];
  } finally {
    another.close();
  }
}

/** With other problems, failing locks would only be a consequence of them. */
function mayTryLocks(node: NodeSeen, settings: DoctorSettings): boolean {
  return node.problems.every((problem) => isExcused(problem, excusesOf(node, settings)));
}

function describe(redis: Redis, found: Found): void {
  const { host = "localhost", port, path, sentinels, tls, db, username } = redis.options;
  const isNamed = sentinels !== undefined && sentinels !== null;
  found.kind = isNamed ? "sentinel" : "server";
  found.user = username ?? "default";
  found.isTls = Boolean(tls);
  // The master that the Sentinels have named.
  const { remoteAddress, remotePort } = isNamed ? (redis.stream ?? {}) : {};
  const where = path
    ? ["-s", path]
    : ["-h", remoteAddress ?? host, "-p", String(remotePort ?? port ?? 6_379)];
  const how = [...(tls ? ["--tls"] : []), ...(db ? ["-n", String(db)] : [])];
  found.redisCli = ["redis-cli", ...where, ...how].join(" ");
}

/** What can be known of a node without a connection to it, by a client that is not connected. */
async function describeFailed(redis: Redis, found: Found, timeoutMs: number): Promise<void> {
  describe(redis, found);
  const { host = "localhost", port = 6_379, path } = redis.options;
  if (found.kind !== "server" || path !== undefined) return;
  const answerMs = Math.min(timeoutMs, SPOKEN_MS);
  found.spoken = await spokenAt({ host, port }, found.isTls === true, answerMs);
}

async function examine(
  redis: Redis,
  found: Found,
  settings: ProbeSettings,
  timeoutMs: number,
): Promise<void> {
  describe(redis, found);
  found.address = redis.stream.remoteAddress;
  found.certificateDaysLeft = certificateDaysLeft(redis.stream);
  const ask = <T>(reply: Promise<T>): Promise<T> => within(reply, timeoutMs);
  const { db } = redis.options;
  if (db) await ask(redis.select(db));
  const sentMs = performance.now();
  const about = await ask(handshake(redis, settings));
  found.problems = about.problems;
  const times = await roundTrips(redis, ask);
  found.roundTripsMs = times.map(({ roundTripMs }) => roundTripMs);
  found.clock = bestOf(times);
  found.rate = await rateOf(redis, ask);
  const info = infoFields(
    `${await ask(redis.info())}\r\n${await ask(redis.info("commandstats")).catch(() => "")}`,
  );
  found.server = { ...serverOfInfo(info), ...(await configOf(redis, ask)) };
  if (found.problems.some(({ kind }) => kind === "replica" || kind === "cluster")) return;
  const listField = listFieldOf(settings.keyPrefix);
  const others = [listField, LAST_LIST_FIELD, "top", "floor"];
  const reading = named("HMGET", redis.hmget(RECORD_KEY, ...RECORD_FIELDS, ...others));
  const fields = await ask(reading).catch((error: Error) => {
    if (!isWrongType(error.cause)) throw error;
    const { message } = connectionFailure(error);
    found.problems = [...found.problems, { kind: "record", message }];
  });
  if (fields === undefined) return;
  const [nodeList, lastNodeList, top, floor] = fields.slice(RECORD_FIELDS.length);
  found.nodeList = nodeList ?? "";
  found.lastNodeList = lastNodeList ?? "";
  found.topFence = Number(top) || 0;
  found.floorFence = Number(floor) || 0;
  const read = decodeRecord(fields);
  found.problems = [...found.problems, ...recordProblems(read)];
  const record = read.kind === "record" ? read.record : undefined;
  found.sighting = sightingOf(record, about.nodeTimeMs, sentMs);
}

/** The handshake of a client that connects, but for a record that does not exist, and without writing one. */
async function handshake(
  redis: Redis,
  { clockStepMs }: DoctorSettings,
): Promise<Pick<Awaited<ReturnType<typeof askHandshake>>, "nodeTimeMs" | "problems">> {
  const nowhere = companionKey("doctor", systemEntropy().id());
  const request = {
    number: firstNumber(systemEntropy()),
    connectionName: "",
    ...{ previous: undefined, newId: "", ifAbsent: undefined, nodeCount: 0, clockStepMs },
    ...{ maxTtlMs: 0, firstTtlMs: 0 },
    ...{ wallMs: Date.now(), isDurable: false, order: undefined, isLooking: true },
    nodeList: { keyPrefix: "", nodeId: undefined, isToGetId: false, list: undefined },
  };
  try {
    const answered = await askHandshake(redis, nowhere, request);
    const failure = outOfStep(request, answered);
    if (failure !== undefined) throw new Error(`${failure.message}; ${OUT_OF_STEP_REMEDY}`);
    return answered;
  } catch (error) {
    if (!isOfClusterMember(error)) throw error;
    const member = { kind: "cluster", message: MEMBER_OF_CLUSTER } as const;
    return { nodeTimeMs: 0, problems: [member] };
  }
}

function certificateDaysLeft(stream: unknown): number | undefined {
  const socket = stream as Partial<TLSSocket>;
  if (socket.encrypted !== true || socket.getPeerCertificate === undefined) return undefined;
  const until = Date.parse(socket.getPeerCertificate().valid_to);
  return Number.isNaN(until) ? undefined : (until - Date.now()) / 86_400_000;
}

function sightingOf(
  record: Sighting["record"],
  nodeTimeMs: number,
  sentSteadyMs: number,
): Sighting {
  return {
    record,
    nodeTimeMs,
    sentSteadyMs,
    seenSteadyMs: performance.now(),
    seenWallMs: Date.now(),
    sawChange: false,
    ownSinceMs: undefined,
  };
}
