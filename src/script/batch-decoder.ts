import { createHash } from "node:crypto";
import type { BatchReply } from "../channel/transport.js";
import { operationFault } from "./redis-errors.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { amountIn } from "../protocol/record.js";
import { numbersIn } from "../protocol/permits.js";
import { sizeIn } from "../protocol/semaphore-size.js";
import { faultVote, type NameSnapshot, type Operation, type Vote } from "../protocol/operation.js";

/** The script's reply as votes, one per operation, and the number of the call that it says it answers. */
export function decodeReply(reply: unknown, operations: readonly Operation[]): BatchReply {
  const votes: Vote[] = [];
  if (typeof reply === "number") {
    for (const operation of operations) votes.push(decodeVote(0, operation));
    return { kind: "votes", number: reply, votes, isSameIncarnation: true };
  }
  const [head, ...answers] = Array.isArray(reply) ? (reply as readonly unknown[]) : [];
  if (typeof head !== "number" || answers.length !== operations.length) return NO_REPLY;
  for (const [index, operation] of operations.entries()) {
    const answer = answers[index];
    // Not a master any more: a new connection finds out what it is now.
    if (typeof answer === "string" && answer.startsWith("error READONLY")) {
      return { kind: "error", message: answer.slice("error ".length), isExecuted: "unknown" };
    }
    votes.push(decodeVote(answer, operation));
  }
  return { kind: "votes", number: Math.abs(head), votes, isSameIncarnation: head > 0 };
}

const NO_REPLY: BatchReply = Object.freeze({
  ...{ kind: "votes", number: undefined, votes: [], isSameIncarnation: true },
});

const HELD = { kind: "refused", reason: "held", remainingMs: 0, label: undefined } as const;
const GRANTED: Vote = Object.freeze({ kind: "granted", fence: 0 });
const FREE: Vote = Object.freeze({ ...HELD, reason: "free" });
const ENDED: Vote = Object.freeze({ ...HELD, reason: "ended" });

function decodeVote(reply: unknown, operation: Operation): Vote {
  if (reply !== 0) return decodeAnswer(reply, operation);
  const fence = operation.kind === "acquire" ? operation.fence : undefined;
  return fence === undefined ? GRANTED : { kind: "granted", fence };
}

/** Any but the usual one: apart from that, as a process that meets no other need not compile it. */
function decodeAnswer(reply: unknown, operation: Operation): Vote {
  const isInspected = operation.kind === "inspect" || operation.kind === "watch";
  if (isInspected && Array.isArray(reply)) return decodeSnapshot(reply);
  if (typeof reply !== "string") return unknownAnswer(reply);
  if (/^\d+$/.test(reply)) return { kind: "granted", fence: Number(reply) };
  const [word, detail] = firstWord(reply);
  switch (word) {
    case "granted": {
      const [fence, signs] = firstWord(detail);
      return {
        kind: "granted",
        fence: Number(fence),
        isHandedOver: signs.startsWith("1"),
        isWaitedFor: signs.endsWith("1"),
      };
    }
    case "waited": {
      const [count, rest] = firstWord(detail);
      const vote = decodeVote(rest, operation);
      return vote.kind === "refused" ? { waitingCount: Number(count), ...vote } : vote;
    }
    case "resized": {
      const [text, rest] = firstWord(detail);
      const [size, vote] = [sizeIn(text), decodeVote(rest === "0" ? 0 : rest, operation)];
      return size === undefined || vote.kind === "fault" ? vote : { size, ...vote };
    }
    case "size": {
      const [text, free] = firstWord(detail);
      const size = sizeIn(text);
      if (operation.kind !== "size" || size === undefined) return unknownAnswer(reply);
      return { kind: "granted", fence: 0, size, freePermits: numbersIn(free) ?? [] };
    }
    case "name": {
      const [at, rest] = firstWord(detail);
      const vote = decodeVote(rest, operation);
      const key = operation.keys.lockKeys[Number(at) - 1];
      return vote.kind === "refused" && key !== undefined ? { key, ...vote } : vote;
    }
    case "held": {
      const [ms, afterMs] = firstWord(detail);
      const [holder, afterHolder] = firstWord(afterMs);
      const [signs, label] = firstWord(afterHolder);
      return {
        kind: "refused",
        reason: "held",
        remainingMs: Number(ms),
        label: label || undefined,
        holder: holder || undefined,
        signs,
      };
    }
    case "shared": {
      const [ms, signs] = firstWord(detail);
      const remainingMs = Number(ms);
      return {
        kind: "refused",
        reason: "held",
        remainingMs,
        label: undefined,
        isShared: true,
        signs,
      };
    }
    case "taken": {
      const [ms, afterMs] = firstWord(detail);
      const [takenCount, afterTaken] = firstWord(afterMs);
      const [free, afterFree] = firstWord(afterTaken);
      const [holder, signs] = firstWord(afterFree);
      return {
        kind: "refused",
        reason: "held",
        remainingMs: Number(ms),
        label: undefined,
        takenPermits: Number(takenCount),
        freePermits: numbersIn(free) ?? [],
        holder: holder || undefined,
        signs,
      };
    }
    case "free":
      return FREE;
    case "ended":
      return ENDED;
    case "foreign":
      return decodeForeign(detail, operation.keys);
    case "places":
      return operation.kind === "refresh"
        ? decodeLooks(reply, reply.length - detail.length, operation.places.length)
        : unknownAnswer(reply);
    case "forgot":
      return faultVote("quarantined", false, "the node forgot its keys; it is asked who it is");
    case "error":
      return operationFault(detail);
    default:
      return unknownAnswer(reply);
  }
}

/** Splits a text at its first space. */
function firstWord(text: string): [word: string, rest: string] {
  const space = text.indexOf(" ");
  return space === -1 ? [text, ""] : [text.slice(0, space), text.slice(space + 1)];
}

/**
 * The node's clock, how long each name is blocked, and the signs of its holders: `1700 250,0 9000~x9_Kq2@1950,`.
 *
 * Parsed in place, digit by digit: a process that waits for thousands of names parses thousands per second, and
 * slicing a part of the text takes longer than reading it.
 *
 * @param from where it begins
 */
function decodeLooks(reply: string, from: number, count: number): Vote {
  const leftFrom = reply.indexOf(" ", from) + 1;
  const space = reply.indexOf(" ", leftFrom);
  const leftEnd = space === -1 ? reply.length : space;
  const blockedMs = new Float64Array(count);
  let at = leftFrom;
  for (let index = 0; index < count; index++) {
    let [ms, digitCount] = [0, 0];
    for (; at < leftEnd; digitCount++) {
      const code = reply.charCodeAt(at++);
      if (code === COMMA) break;
      ms = 10 * ms + code - ZERO;
    }
    // No permission to look: an attempt has to find out.
    blockedMs[index] = digitCount === 0 ? Number.POSITIVE_INFINITY : ms;
  }
  const nowMs = Number(reply.slice(from, leftFrom - 1));
  return {
    kind: "granted",
    fence: 0,
    looks: { nowMs, blockedMs, signs: reply.slice(leftEnd + 1) },
  };
}

const [COMMA, ZERO] = [44, 48];

function decodeSnapshot(reply: readonly unknown[]): Vote {
  const [holder, pttl, fence, waitingCount, coHolders, proclaimed, longest, secret] = reply;
  const list = Array.isArray(coHolders) ? (coHolders as readonly unknown[]) : [];
  const all = Array.from({ length: list.length / 2 }, (_, at) => {
    return { text: String(list[2 * at]), remainingMs: Number(list[2 * at + 1]) };
  });
  const [maxTtlMs = 0, clockStepMs = 0] = Array.isArray(longest) ? longest.map(amountIn) : [];
  const snapshot = {
    holder: typeof holder === "string" ? holder : undefined,
    remainingMs: Math.max(0, Number(pttl)),
    fence: typeof fence === "string" ? Number(fence) : undefined,
    waitingCount: Number(waitingCount),
    who: typeof holder === "string" ? createHash("sha1").update(holder).digest("hex") : undefined,
    proclaimed: Array.isArray(proclaimed) ? decodeProclaimed(proclaimed) : undefined,
    longest: { maxTtlMs, clockStepMs },
    secret: typeof secret === "string" ? secret : undefined,
    coHolders: all.toSorted((a, b) => (a.text < b.text ? -1 : 1)),
  };
  return { kind: "granted", fence: 0, snapshot };
}

function decodeProclaimed([token, number, value]: readonly unknown[]): NameSnapshot["proclaimed"] {
  if (typeof token !== "string") return undefined;
  return { token: Number(token), number: Number(number), value: String(value) };
}

function unknownAnswer(reply: unknown): Vote {
  return faultVote("server", true, `unknown answer ${String(reply)}`);
}

/** Which name of a set it is, from 1, and the value of its key. */
function decodeForeign(detail: string, keys: LockKind): Vote {
  const [at, label] = firstWord(detail);
  const vote = { kind: "refused", reason: "foreign", remainingMs: 0, label } as const;
  const key = at === "1" ? undefined : keys.lockKeys[Number(at) - 1];
  return key === undefined ? vote : { key, ...vote };
}
