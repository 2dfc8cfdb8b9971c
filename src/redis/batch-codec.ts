import type { BatchReply } from "../channel/transport.js";
import { RECORD_KEY } from "../protocol/keys.js";
import { faultVote, type Operation, type OperationKind, type Vote } from "../protocol/operation.js";

/** What every batch of one manager carries. */
export interface BatchConstants {
  readonly fenceSlackUs: number;
  readonly fenceRetentionMs: number;
}

const CODES: Readonly<Record<OperationKind, string>> = {
  acquire: "A",
  seal: "S",
  extend: "E",
  heal: "H",
  release: "R",
};

/** Number of keys, keys and arguments of the batch script, in the order in which it reads them. */
export function encodeBatch(
  operations: readonly Operation[],
  recordId: string,
  constants: BatchConstants,
): string[] {
  const encoded = [String(2 * operations.length + 1), RECORD_KEY];
  for (const operation of operations) encoded.push(...keysOf(operation));
  encoded.push(recordId, String(constants.fenceSlackUs), String(constants.fenceRetentionMs));
  for (let from = 0; from < operations.length;) {
    const size = groupSize(operations, from);
    encoded.push(...headOf(operations, from, size));
    for (const operation of operations.slice(from, from + size)) {
      encoded.push(...argumentsOf(operation));
    }
    from += size;
  }
  return encoded;
}

/** How many operations from there on are of one kind and ttl: they share one head. */
export function groupSize(operations: readonly Operation[], from: number): number {
  const first = operations[from];
  let end = from + 1;
  while (operations[end]?.kind === first?.kind && operations[end]?.ttlMs === first?.ttlMs) end++;
  return Math.min(end, operations.length) - from;
}

/** Code, ttl in ms and size of a group. */
export function headOf(
  operations: readonly Operation[],
  from: number,
  size: number,
): [string, string, string] {
  const { kind, ttlMs } = operations[from] as Operation;
  return [CODES[kind], String(ttlMs), String(size)];
}

/** Without fencing the fence key is not touched; the lock key stands in for its slot. */
export function keysOf({ keys, fence }: Operation): [string, string] {
  return [keys.lockKey, fence === undefined ? keys.lockKey : keys.fenceKey];
}

/** OwnerId and fence. */
export function argumentsOf({ ownerId, fence }: Operation): [string, string] {
  return [ownerId, fence === undefined ? "" : String(fence)];
}

/** The script's reply as votes, one an operation. */
export function decodeReply(
  reply: readonly unknown[],
  operations: readonly Operation[],
): BatchReply {
  const votes: Vote[] = [];
  for (let index = 0; index < operations.length; index++) {
    votes.push(decodeVote(reply[index + 1], operations[index] as Operation));
  }
  return { kind: "votes", votes, isSameIncarnation: reply[0] !== 0 };
}

const GRANTED: Vote = Object.freeze({ kind: "granted", fence: 0 });
const FREE: Vote = Object.freeze({
  kind: "refused",
  reason: "free",
  remainingMs: 0,
  label: undefined,
});

function decodeVote(reply: unknown, operation: Operation): Vote {
  if (reply === 0) {
    const { kind, fence } = operation;
    return kind === "acquire" && fence !== undefined ? { kind: "granted", fence } : GRANTED;
  }
  if (typeof reply !== "string") return unknownAnswer(reply);
  const detail = reply.slice(1);
  switch (reply.charAt(0)) {
    case "H":
      return decodeHeld(detail);
    case "F":
      return FREE;
    case "T":
      return { kind: "refused", reason: "foreign", remainingMs: 0, label: detail };
    case "Q":
      return faultVote("quarantined", false, "the node forgot its keys; it is asked who it is");
    case "E":
      return faultVote("server", true, detail);
    default:
      return /^\d+$/.test(reply) ? { kind: "granted", fence: Number(reply) } : unknownAnswer(reply);
  }
}

function unknownAnswer(reply: unknown): Vote {
  return faultVote("server", true, `unknown answer ${String(reply)}`);
}

function decodeHeld(detail: string): Vote {
  const colon = detail.indexOf(":");
  const label = detail.slice(colon + 1);
  return {
    kind: "refused",
    reason: "held",
    remainingMs: Number(detail.slice(0, colon)),
    label: label === "" ? undefined : label,
  };
}
