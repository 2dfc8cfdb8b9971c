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
  for (const operation of operations) encoded.push(...argumentsOf(operation));
  return encoded;
}

/** Without fencing the fence key is not touched; the lock key stands in for its slot. */
export function keysOf({ keys, fence }: Operation): [string, string] {
  return [keys.lockKey, fence === undefined ? keys.lockKey : keys.fenceKey];
}

/** Code, ownerId, ttl and fence, all but the ownerId plain digits and letters. */
export function argumentsOf({
  kind,
  ownerId,
  ttlMs,
  fence,
}: Operation): [string, string, string, string] {
  return [CODES[kind], ownerId, String(ttlMs), fence === undefined ? "" : String(fence)];
}

/** The script's reply as votes, one an operation. */
export function decodeReply(reply: readonly unknown[], operationCount: number): BatchReply {
  const votes: Vote[] = [];
  for (let index = 0; index < operationCount; index++) {
    votes.push(decodeVote(reply[2 * index + 1], reply[2 * index + 2]));
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

function decodeVote(status: unknown, detail: unknown): Vote {
  switch (status) {
    case 1:
      return detail === 0 ? GRANTED : { kind: "granted", fence: Number(detail) };
    case 2:
      return decodeHeld(String(detail));
    case 3:
      return FREE;
    case 4:
      return { kind: "refused", reason: "foreign", remainingMs: 0, label: String(detail) };
    case 5:
      return faultVote("quarantined", false, "the node forgot its keys; it is asked who it is");
    case 6:
      return faultVote("server", true, String(detail));
    default:
      return faultVote("server", true, `unknown answer ${String(status)}`);
  }
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
