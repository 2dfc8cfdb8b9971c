import { createHash } from "node:crypto";
import { provenText, type NodeGrant } from "../protocol/node-messages.js";
import { newOperation, type Operation } from "../protocol/operation.js";

/** The same operation, but what it defers: nodes only keep the place. Of a release; others keep theirs. */
export function withoutDeferred(operation: Operation): Operation {
  if (operation.kind !== "release" || operation.waiter?.deferred === undefined) return operation;
  const waiter = { ...operation.waiter, deferred: undefined };
  return newOperation("release", { ...operation, waiter });
}

/** The same, but nobody enters the queue with it: of its owner, nothing stays there. Of a release; others stay as they are. */
export function withoutPlace(operation: Operation): Operation {
  if (operation.kind !== "release" || operation.waiter === undefined) return operation;
  const waiter = { ...operation.waiter, ticket: 0, deferred: undefined };
  return newOperation("release", { ...operation, waiter });
}

/** A call in which a node heard that this process waits. */
interface HeardCall {
  readonly number: number;
  /** How many numbers it has, from that one on: a transport may make several calls of one. */
  readonly count: number;
  /** Lease clock, ms. */
  readonly sentMs: number;
  readonly recordId: string;
}

/** More were sent in the time for which a node may rely on one only by a process that waits for thousands of names. */
const MAX_CALLS = 1_024;

/**
 * The calls of one connection after which the node may execute deferred acquires, so that its grants can be dated: a
 * lock begins when the call was sent in which the node last heard of us, whenever the message arrives.
 */
export class HeardCalls {
  #calls: HeardCall[] = [];

  add(call: HeardCall): void {
    this.#calls.push(call);
    if (this.#calls.length > 2 * MAX_CALLS) this.#calls = this.#calls.slice(-MAX_CALLS);
  }

  clear(): void {
    this.#calls = [];
  }

  /** When the call was sent on which the grant relies; undefined if it is not proven for that owner. */
  dateOf(grant: NodeGrant, ownerId: string): number | undefined {
    const call = this.#calls.findLast(
      ({ number, count }) => number <= grant.number && grant.number < number + count,
    );
    if (call === undefined) return undefined;
    const text = provenText(ownerId, call.recordId, grant);
    const proof = createHash("sha1").update(text).digest("hex");
    return proof === grant.proof ? call.sentMs : undefined;
  }
}
