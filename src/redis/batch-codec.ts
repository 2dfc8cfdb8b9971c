import type { BatchReply } from "../channel/transport.js";
import { RECORD_KEY, type NameKeys } from "../protocol/keys.js";
import { membersOfSet } from "../protocol/layout.js";
import { operationFault } from "./faults.js";
import { faultVote, turnTextOf, type Operation, type Vote } from "../protocol/operation.js";

/** What every batch of one manager carries. */
export interface BatchConstants {
  readonly fenceSlackUs: number;
  readonly fenceRetentionMs: number;
}

type Code = "A" | "W" | "O" | "S" | "E" | "H" | "T" | "R" | "B" | "K" | "L" | "I" | "V";

/** Of the script. Those with a queue have a third key. */
function codeOf(operation: Operation): Code {
  const { kind, waiter } = operation;
  switch (kind) {
    case "acquire":
      if (operation.previous !== undefined) return "O";
      return waiter === undefined ? "A" : "W";
    case "release":
      if (operation.keepMs !== undefined) return "K";
      return waiter === undefined ? "R" : "B";
    case "seal":
      return "S";
    case "extend":
      return "E";
    case "heal":
      return waiter === undefined ? "H" : "T";
    case "leave":
      return "L";
    case "inspect":
      return "I";
    case "revoke":
      return "V";
  }
}

/** Number of keys, keys and arguments of the batch script, in the order in which it reads them. */
export function encodeBatch(
  operations: readonly Operation[],
  recordId: string,
  constants: BatchConstants,
): string[] {
  const encoded = [RECORD_KEY];
  for (const operation of operations) encoded.push(...keysOf(operation));
  encoded.unshift(String(encoded.length));
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

/** How many operations from there on have one code and ttl: they share one head. */
export function groupSize(operations: readonly Operation[], from: number): number {
  const first = operations[from] as Operation;
  let end = from + 1;
  // Each says by itself how many keys and arguments it has.
  if (first.keys.layout !== undefined) return 1;
  for (; end < operations.length; end++) {
    const { kind, ttlMs, waiter, previous, keys, keepMs } = operations[end] as Operation;
    const isAlike =
      keys.layout === undefined &&
      kind === first.kind &&
      ttlMs === first.ttlMs &&
      (waiter === undefined) === (first.waiter === undefined) &&
      (previous === undefined) === (first.previous === undefined) &&
      keepMs === first.keepMs;
    if (!isAlike) break;
  }
  return end - from;
}

/**
 * Code, ttl in ms (of a release that keeps the name closed: for how long) and size of a group; of an operation with a layout also its own code, the layout,
 * and how many keys and arguments it has.
 */
export function headOf(operations: readonly Operation[], from: number, size: number): string[] {
  const first = operations[from] as Operation;
  const [code, ttlMs] = [codeOf(first), String(first.keepMs ?? first.ttlMs)];
  const { layout } = first.keys;
  if (layout === undefined) return [code, ttlMs, String(size)];
  const { kind, keys, args } = layout;
  return ["X", ttlMs, "1", code, kind, String(3 + keys.length), String(5 + args.length)];
}

/**
 * Lock key, fence key, and the queue's where it is used. Without fencing the fence key is not
 * touched; the lock key stands in for its slot. A plain extend has nothing to do with fences. By the
 * fence key an acquire or a heal finds out whether an operator has ended the lock.
 */
export function keysOf({ kind, keys, fence, waiter }: Operation): string[] {
  if (kind === "extend" && keys.layout === undefined) return [keys.lockKey];
  const isNamed = kind === "heal" || kind === "acquire" || fence !== undefined;
  const two = [keys.lockKey, isNamed ? keys.fenceKey : keys.lockKey];
  if (keys.layout !== undefined) return [...two, keys.queueKey, ...keys.layout.keys];
  return kind === "release" || waiter !== undefined ? [...two, keys.queueKey] : two;
}

/**
 * OwnerId and fence; for one who waits its inbox, its ticket, and how long its turn is ("" of nobody,
 * where a layout's arguments follow); for a hand-over the previous owner and its token.
 */
export function argumentsOf({ kind, ownerId, fence, waiter, previous, keys }: Operation): string[] {
  if (kind === "extend" && keys.layout === undefined) return [ownerId];
  const two = [ownerId, textOf(fence)];
  if (keys.layout !== undefined) {
    const { inbox = "", ticket = 0 } = waiter ?? {};
    const turn = waiter === undefined ? "0" : turnTextOf(waiter);
    return [...two, inbox, String(ticket), turn, ...keys.layout.args];
  }
  if (waiter === undefined) return two;
  const five = [...two, waiter.inbox, String(waiter.ticket), turnTextOf(waiter)];
  return previous === undefined ? five : [...five, previous.ownerId, textOf(previous.token)];
}

function textOf(fence: number | undefined): string {
  return fence === undefined ? "" : String(fence);
}

/** The script's reply as votes, one an operation. */
export function decodeReply(reply: unknown, operations: readonly Operation[]): BatchReply {
  if (reply === operations.length) {
    const votes = operations.map((operation) => decodeVote(0, operation));
    return { kind: "votes", votes, isSameIncarnation: true };
  }
  return decodeList(Array.isArray(reply) ? reply : [], operations);
}

function decodeList(reply: readonly unknown[], operations: readonly Operation[]): BatchReply {
  const votes: Vote[] = [];
  for (let index = 0; index < operations.length; index++) {
    const answer = reply[index + 1];
    // No master any more: a new connection finds out what it is.
    if (typeof answer === "string" && answer.startsWith("EREADONLY")) {
      return { kind: "error", message: answer.slice(1), isExecuted: "unknown" };
    }
    votes.push(decodeVote(answer, operations[index] as Operation));
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

const ENDED: Vote = Object.freeze({ ...FREE, reason: "ended" });

function decodeVote(reply: unknown, operation: Operation): Vote {
  if (reply === 0) {
    const { kind, fence } = operation;
    return kind === "acquire" && fence !== undefined ? { kind: "granted", fence } : GRANTED;
  }
  if (operation.kind === "inspect" && Array.isArray(reply)) return decodeSighting(reply);
  if (typeof reply !== "string") return unknownAnswer(reply);
  const detail = reply.slice(1);
  switch (reply.charAt(0)) {
    case "H":
      return decodeHeld(detail);
    case "S":
      return {
        kind: "refused",
        reason: "held",
        remainingMs: Number(detail),
        label: undefined,
        isShared: true,
      };
    case "P": {
      const colon = detail.indexOf(":");
      const takenSlots = detail.slice(colon + 1);
      const remainingMs = Number(detail.slice(0, colon));
      return { kind: "refused", reason: "held", remainingMs, label: undefined, takenSlots };
    }
    case "F":
      return FREE;
    case "D":
      return ENDED;
    case "T":
      return decodeForeign(detail, operation.keys);
    case "Q":
      return faultVote("quarantined", false, "the node forgot its keys; it is asked who it is");
    case "E":
      return operationFault(detail);
    case "O":
      return {
        kind: "granted",
        fence: Number(detail.slice(2)),
        isHandedOver: detail.charAt(0) === "1",
        isWaitedFor: detail.charAt(1) === "1",
      };
    default:
      return /^\d+$/.test(reply) ? { kind: "granted", fence: Number(reply) } : unknownAnswer(reply);
  }
}

function decodeSighting([holder, pttl, fence, waitingCount, beside]: readonly unknown[]): Vote {
  const list = Array.isArray(beside) ? (beside as readonly unknown[]) : [];
  const all = Array.from({ length: list.length / 2 }, (_, at) => {
    return { text: String(list[2 * at]), remainingMs: Number(list[2 * at + 1]) };
  });
  const sighting = {
    holder: typeof holder === "string" ? holder : undefined,
    remainingMs: Math.max(0, Number(pttl)),
    fence: typeof fence === "string" ? Number(fence) : undefined,
    waitingCount: Number(waitingCount),
    beside: all.toSorted((a, b) => (a.text < b.text ? -1 : 1)),
  };
  return { kind: "granted", fence: 0, sighting };
}

function unknownAnswer(reply: unknown): Vote {
  return faultVote("server", true, `unknown answer ${String(reply)}`);
}

/** `type`, or `type@2` of the second name of a set. */
function decodeForeign(detail: string, keys: NameKeys): Vote {
  const [label = "", at] = detail.split("@", 2);
  const key = at === undefined ? undefined : membersOfSet(keys)[Number(at) - 1]?.lockKey;
  const vote = { kind: "refused", reason: "foreign", remainingMs: 0, label } as const;
  return key === undefined ? vote : { ...vote, key };
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
