/**
 * The fields of a node's record, which all clients of the node share, and the version of the protocol that wrote them.
 *
 * Clients of several versions may meet on a node. The record has the highest version of any client that was there: a
 * client of an earlier version changes nothing in it and does not use the node.
 */
import { parseCapabilities, type Capabilities } from "./capabilities.js";

/**
 * Raised with every change that clients before it must not share a node with. Fields that they may ignore need no new
 * version. A record without a version was written before there was one, and counts as 0.
 */
export const PROTOCOL_VERSION = 2;

/**
 * - `fresh`: written where no record was found, by a client that never saw one
 * - `opening`: the same, and its writer has seen the records of all nodes together
 * - `open`: a new deployment, all of whose records were `opening`
 * - `forgot`: written by a client that knew of an earlier record, or over a record of another run
 * - `attested`: a client has waited out every lease from before it was written
 * - `unkept`: the node keeps no record (a Cluster), so it is never quarantined
 */
export type RecordState = "fresh" | "opening" | "open" | "forgot" | "attested" | "unkept";

/** The id of a record that is `unkept`. */
export const NO_RECORD = "unkept";

export interface IncarnationRecord {
  readonly id: string;
  readonly runId: string;
  readonly state: RecordState;
  /** Node time at which it was written, ms. */
  readonly writtenMs: number;
  /** The same by the wall clock of the client that wrote it, ms. */
  readonly writerMs: number;
  /** Configured node count of the clients that use the node; 0 once there are lists of nodes on it. */
  readonly nodeCount: number;
  /** Longest ttl that any client of this node may use, ms. */
  readonly maxTtlMs: number;
  /** The largest amount by which any client of this node expects a node's clock to gain on real time, ms. */
  readonly clockStepMs: number;
  /** From `opening` on: the ids of all nodes' records, as `fellowsText` writes them. */
  readonly fellows: string;
  /** The highest fence that the node has issued or received. */
  readonly topFence: number;
  /** See {@link PROTOCOL_VERSION}. */
  readonly version: number;
  /** What the last client that shook hands has found. */
  readonly capabilities: Capabilities;
  /** Of the node itself, whatever it forgets; "" if it has none yet. */
  readonly nodeId: string;
}

/** The names of the fields, in the order in which handshake.lua returns them. All others are left as they are. */
export const RECORD_FIELDS = [
  ...["id", "runId", "state", "writtenMs", "writerMs", "nodeCount", "maxTtlMs", "clockStepMs"],
  ...["fellows", "top", "version", "capabilities", "nodeId"],
] as const;

export type RecordField = (typeof RECORD_FIELDS)[number];

/**
 * What the fields of a node's hash are.
 *
 * - `none`: there is no record; the hash may still have fences
 * - `newer`: written by a later version of the protocol, so nothing else in it is read
 * - `garbage`: no version writes such a field
 */
export type ReadRecord =
  | { readonly kind: "none" }
  | { readonly kind: "record"; readonly record: IncarnationRecord }
  | { readonly kind: "newer"; readonly version: number }
  | { readonly kind: "garbage"; readonly field: RecordField; readonly text: string };

const STATES: ReadonlySet<string> = new Set(["fresh", "opening", "open", "forgot", "attested"]);

/** Ids are separated by spaces in `fellows`. */
const isId = (text: string): boolean => /^\S{1,128}$/.test(text);
const isNumber = (text: string): boolean => /\S/.test(text) && Number.isFinite(Number(text));
/** As long as a key can live: what one node says reaches the others, which could not execute more. */
const isAmount = (text: string): boolean =>
  isNumber(text) && Number(text) >= 0 && Number(text) <= Number.MAX_SAFE_INTEGER;

/** An amount that is read without the rest of the record: 0 for what is none. */
export function amountIn(text: unknown): number {
  return typeof text === "string" && isAmount(text) ? Number(text) : 0;
}

const isVersion = (text: string): boolean => /^\d{0,9}$/.test(text);

/** What a field must be. Those of the first versions may be missing, but no other. */
const RULES: readonly (readonly [field: RecordField, isValid: (text: string) => boolean])[] = [
  ["version", isVersion],
  ["id", isId],
  ["state", (text) => STATES.has(text)],
  ["writtenMs", isNumber],
  ["writerMs", isNumber],
  ["nodeCount", (text) => text === "" || isAmount(text)],
  ["maxTtlMs", isAmount],
  ["clockStepMs", (text) => text === "" || isAmount(text)],
  ["nodeId", (text) => text === "" || isId(text)],
];

/**
 * Reads a record strictly.
 *
 * @param at the text of a field; "" if it is missing
 * @param version that the reader speaks
 */
export function readRecord(
  at: (field: RecordField) => string,
  version: number = PROTOCOL_VERSION,
): ReadRecord {
  if (at("id") === "") return { kind: "none" };
  for (const [field, isValid] of RULES) {
    const text = at(field);
    if (!isValid(text)) return { kind: "garbage", field, text };
    if (field === "version" && Number(text) > version) {
      return { kind: "newer", version: Number(text) };
    }
  }
  const record = {
    id: at("id"),
    runId: at("runId"),
    state: at("state") as RecordState,
    writtenMs: Number(at("writtenMs")),
    writerMs: Number(at("writerMs")),
    nodeCount: Number(at("nodeCount")),
    maxTtlMs: Number(at("maxTtlMs")),
    clockStepMs: Number(at("clockStepMs")),
    fellows: at("fellows"),
    topFence: Number(at("top")),
    version: Number(at("version")),
    capabilities: parseCapabilities(at("capabilities")),
    nodeId: at("nodeId"),
  };
  return { kind: "record", record };
}

/** Why a node with such a record cannot be used; undefined if it can. */
export function recordProblem(
  read: ReadRecord,
  key: string,
  version: number = PROTOCOL_VERSION,
): string | undefined {
  if (read.kind === "newer") {
    return (
      `a client with version ${read.version} of the protocol has used it, and this one has version ${version}; ` +
      "upgrade quorate in this process"
    );
  }
  if (read.kind === "garbage") {
    const text = JSON.stringify(read.text.slice(0, 40));
    return (
      `no version of quorate wrote its record (${read.field} is ${text}); stop all clients, DEL ${key} there, and ` +
      "start them: the node then votes after maxTtlMs"
    );
  }
  return undefined;
}
