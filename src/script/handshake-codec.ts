import type {
  ConfigProblem,
  HandshakeReply,
  HandshakeRequest,
  RecordOrder,
} from "../channel/transport.js";
import type { IncarnationRecord, RecordState } from "../protocol/incarnation.js";

/** The problem of a server on which some of the keys are elsewhere. */
export const MEMBER_OF_CLUSTER =
  "a member of a Redis Cluster; give the node as a client: new Cluster([...]) of ioredis";

/** Arguments of the handshake script after its key. */
export function encodeHandshake(request: HandshakeRequest): (string | number)[] {
  const { order } = request;
  return [
    request.newId,
    request.ifAbsent ?? "",
    request.nodeCount,
    request.maxTtlMs,
    request.clockStepMs,
    Math.floor(request.wallMs),
    request.isDurable ? 1 : 0,
    ...(order === undefined || order.becomes === "fresh" ? ["", "", ""] : encodeOrder(order)),
    request.number,
  ];
}

function encodeOrder(order: Exclude<RecordOrder, { becomes: "fresh" }>): (string | number)[] {
  if (order.becomes === "open") return [order.becomes, order.id, ""];
  return [order.becomes, order.id, order.becomes === "opening" ? order.fellows : order.topFence];
}

/**
 * Parses the handshake script's reply. A replica or a member of a Cluster has no record and is reported as a problem.
 *
 * @throws Error for the reply of something else, which may answer every command alike
 */
export function decodeHandshake(
  connectionId: string,
  reply: unknown,
): Extract<HandshakeReply, { kind: "handshake" }> {
  if (!isAbout(reply)) throw new Error("the handshake is not answered as by a Redis server");
  const [number, ...about] = reply;
  const at = (index: number): string => {
    const value = about[index];
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  return {
    kind: "handshake",
    number: typeof number === "number" ? number : undefined,
    connectionId,
    runId: at(0),
    nodeTimeMs: Number(at(5)),
    problems: problemsOf(at),
    record: about.length > ABOUT_LENGTH ? recordOf((index) => at(ABOUT_LENGTH + index)) : undefined,
  };
}

/** Number of values about the server, before its record. */
const ABOUT_LENGTH = 7;

function isAbout(reply: unknown): reply is readonly unknown[] {
  return Array.isArray(reply) && reply.length > ABOUT_LENGTH;
}

/** The fields of a record, in the order of handshake.lua: for readers without a handshake. */
export const RECORD_FIELDS = [
  ...["id", "runId", "state", "writtenMs", "writerMs", "nodeCount", "maxTtlMs", "clockStepMs"],
  ...["fellows", "top"],
] as const;

/** Parses the values of {@link RECORD_FIELDS}, as HMGET returns them; undefined where there is no record. */
export function decodeRecord(values: readonly unknown[]): IncarnationRecord | undefined {
  const at = (index: number): string => (values[index] ?? "") as string;
  return at(0) === "" ? undefined : recordOf(at);
}

function recordOf(at: (index: number) => string): IncarnationRecord {
  return {
    id: at(0),
    runId: at(1),
    state: at(2) as RecordState,
    writtenMs: Number(at(3)),
    writerMs: Number(at(4)),
    nodeCount: Number(at(5)),
    maxTtlMs: Number(at(6)),
    clockStepMs: Number(at(7)),
    fellows: at(8),
    topFence: Number(at(9)),
  };
}

function problemsOf(at: (index: number) => string): ConfigProblem[] {
  const [role, mode, policy, maxMemoryBytes, denied] = [1, 2, 3, 4, 6].map(at);
  const problems: ConfigProblem[] = [];
  if (mode === "cluster") problems.push({ kind: "cluster", message: MEMBER_OF_CLUSTER });
  if (role !== "master") {
    problems.push({ kind: "replica", message: `not a master (its role is ${role})` });
  }
  if (denied !== "") {
    const commands = (denied ?? "").split(" ");
    const missing = commands.map((command) => `+${command.toLowerCase()}`).join(" ");
    const message = `the user may not run ${commands.join(", ")}: add ${missing} to its ACL (or they have been renamed)`;
    problems.push({ kind: "permission", message });
  }
  if (Number(maxMemoryBytes) > 0 && policy !== "noeviction") {
    const message = `maxmemory-policy ${policy} may evict locks that are held; use noeviction`;
    problems.push({ kind: "eviction", message });
  }
  return problems;
}
