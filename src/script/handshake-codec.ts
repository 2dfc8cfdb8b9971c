import type { HandshakeReply, HandshakeRequest, RecordOrder } from "../channel/transport.js";
import { lacksOf, parseCapabilities, type ConfigProblem } from "../protocol/capabilities.js";
import { inboxChannel, RECORD_KEY } from "../protocol/keys.js";
import { listFieldOf } from "../protocol/node-list.js";
import {
  PROTOCOL_VERSION,
  readRecord,
  RECORD_FIELDS,
  recordProblem,
  type ReadRecord,
} from "../protocol/record.js";

/**
 * Arguments of the handshake script after its key.
 *
 * @param info what INFO says outside of the script
 */
export function encodeHandshake(request: HandshakeRequest, info = ""): (string | number)[] {
  const { order, nodeList } = request;
  return [
    request.newId,
    request.ifAbsent ?? "",
    request.nodeCount,
    request.maxTtlMs,
    request.clockStepMs,
    Math.floor(request.wallMs),
    request.isDurable ? 1 : 0,
    ...(order === undefined || order.becomes === "fresh" ? ["", "", ""] : encodeOrder(order)),
    PROTOCOL_VERSION,
    inboxChannel(""),
    nodeList.nodeId ?? (nodeList.isToGetId ? request.newId : ""),
    listFieldOf(nodeList.keyPrefix),
    nodeList.list ?? "",
    request.isLooking ? 1 : 0,
    request.firstTtlMs,
    nodeList.topFence ?? 0,
    info,
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
  const read = readRecordOf((index) => at(ABOUT_LENGTH + index));
  const capabilities = parseCapabilities(at(3));
  return {
    kind: "handshake",
    number: typeof number === "number" ? number : undefined,
    connectionId,
    runId: at(0),
    nodeTimeMs: Number(at(1)),
    capabilities,
    problems: [...lacksOf(capabilities), ...deniedIn(at(2)), ...recordProblems(read)],
    record: read.kind === "record" ? read.record : undefined,
    nodeList: at(ABOUT_LENGTH + RECORD_FIELDS.length),
    earlierTtlMs: Number(at(ABOUT_LENGTH + RECORD_FIELDS.length + 1)),
    lastNodeList: at(ABOUT_LENGTH + RECORD_FIELDS.length + 2),
  };
}

/** Number of values about the server, before its record. */
const ABOUT_LENGTH = 4;

/** The script's time is a whole number, which no other reply has in that place. */
function isAbout(reply: unknown): reply is readonly unknown[] {
  return Array.isArray(reply) && reply.length > ABOUT_LENGTH && /^\d+$/.test(String(reply[2]));
}

/** Reads the values of {@link RECORD_FIELDS}, as HMGET returns them: for readers without a handshake. */
export function decodeRecord(values: readonly unknown[]): ReadRecord {
  return readRecordOf((index) => (values[index] ?? "") as string);
}

function readRecordOf(at: (index: number) => string): ReadRecord {
  return readRecord((field) => at(RECORD_FIELDS.indexOf(field)));
}

/** What makes the record, and with it the node, unusable. */
export function recordProblems(read: ReadRecord): readonly ConfigProblem[] {
  const message = recordProblem(read, RECORD_KEY);
  const kind = read.kind === "newer" ? "laterRecord" : "record";
  return message === undefined ? [] : [{ kind, message }];
}

function deniedIn(denied: string): readonly ConfigProblem[] {
  if (denied === "") return [];
  const commands = denied.split(" ");
  const missing = commands.map((command) => `+${command.toLowerCase()}`).join(" ");
  const message = `the user may not run ${commands.join(", ")}: add ${missing} to its ACL (or they have been renamed)`;
  return [{ kind: "permission", message }];
}
