import keySlot from "cluster-key-slot";
import {
  newOperation,
  type Operation,
  type OperationOf,
  type Vote,
} from "../protocol/operation.js";
import type { Place } from "../protocol/node-queue.js";
import { closedSign } from "../protocol/overdue.js";

/** What a Cluster is asked in one hash slot: an operation, or of a refresh the places in that slot. */
export interface SlotPart {
  readonly slot: number;
  readonly operation: Operation;
  /** Of the operation in the batch. */
  readonly index: number;
  /** Of it, or of the first place, see `Batch.number`. */
  readonly number: number;
  /** Of a refresh: which of its places. */
  readonly at: readonly number[];
}

/** Those of a batch, in order. */
export function slotPartsOf(operations: readonly Operation[], firstNumber: number): SlotPart[] {
  const parts: SlotPart[] = [];
  let number = firstNumber;
  operations.forEach((operation, index) => {
    if (operation.kind === "refresh") {
      parts.push(...partsOfRefresh(operation, index, number));
      number += operation.places.length;
    } else {
      parts.push({ slot: keySlot(operation.keys.lockKey), operation, index, number, at: [] });
      number++;
    }
  });
  return parts;
}

function partsOfRefresh(
  refresh: OperationOf<"refresh">,
  index: number,
  number: number,
): readonly SlotPart[] {
  const bySlot = new Map<number, number[]>();
  refresh.places.forEach(({ keys }, at) => {
    const slot = keySlot(keys.lockKey);
    const others = bySlot.get(slot);
    if (others === undefined) bySlot.set(slot, [at]);
    else others.push(at);
  });
  return [...bySlot].map(([slot, at]) => {
    const places = at.map((each) => refresh.places[each] as Place);
    const { keys } = places[0] as Place;
    const operation = newOperation("refresh", { ...refresh, keys, places });
    const [first = 0] = at;
    return { slot, operation, index, number: number + first, at };
  });
}

/** What a slot has answered about its part. */
export interface PartVote {
  readonly part: SlotPart;
  readonly vote: Vote | undefined;
}

/**
 * The vote on an operation. On a refresh, it is joined from those of the members that have answered, and the clock is
 * that of any of them: what the others have is unknown. So open signs are closed by the clock of their own member.
 */
export function joined(operation: Operation, votes: readonly PartVote[]): Vote | undefined {
  if (operation.kind !== "refresh") return votes[0]?.vote;
  const blockedMs = new Float64Array(operation.places.length).fill(Number.POSITIVE_INFINITY);
  const signs = operation.places.map(() => "");
  let nowMs: number | undefined;
  for (const { part, vote } of votes) {
    if (vote?.kind !== "granted" || vote.looks === undefined) continue;
    const { looks } = vote;
    const ofPart = looks.signs.split(",");
    part.at.forEach((at, index) => {
      blockedMs[at] = looks.blockedMs[index] as number;
      signs[at] = closedSign(ofPart[index] ?? "", looks.nowMs + blockedMs[at]);
    });
    ({ nowMs } = looks);
  }
  if (nowMs === undefined) return votes[0]?.vote;
  return { kind: "granted", fence: 0, looks: { nowMs, blockedMs, signs: signs.join(",") } };
}
