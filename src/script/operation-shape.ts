import { argumentCountOfPlaces, argumentsOfPlaces } from "./place-shape.js";
import type { KindId } from "../protocol/lock-kind.js";
import type { AnyOperation, OperationKind } from "../protocol/operation.js";
import { deferredTextOf, turnTextOf } from "../protocol/waiter.js";

/** What the script is asked to do: the type of an operation, and `close`, a release that keeps the name closed. */
type Step = OperationKind | "close";

/** Every kind of lock has its lock key; the keys of further names follow. The script derives the companion keys. */
const KEY_COUNT = 1;

/** Arguments of every kind of lock, in the order in which they are sent; those specific to a kind follow. */
const ARGUMENTS = ["owner", "bucket", "fence", "inbox", "ticket", "reservedMs", "keptMs", "deferred"] as const;

type Argument = (typeof ARGUMENTS)[number];

const NONE: readonly string[] = [];

/** Number of {@link ARGUMENTS} up to and including that one. */
function upTo(last: Argument): number {
  return ARGUMENTS.indexOf(last) + 1;
}

/**
 * Arguments of a step on an exclusive lock without waiters. The proposal of acquires is in the head of their group.
 */
const ARGUMENT_COUNTS: Readonly<Record<Step, number>> = {
  acquire: upTo("bucket"),
  seal: upTo("fence"),
  extend: upTo("owner"),
  heal: upTo("fence"),
  release: upTo("fence"),
  close: upTo("fence"),
  leave: ARGUMENTS.length,
  refresh: ARGUMENTS.length,
  inspect: upTo("bucket"),
  expire: upTo("owner"),
  revoke: upTo("bucket"),
};

/** The kind that is sent for an acquire that takes an exclusive lock, whoever holds it. */
const PREEMPTING = "stolen";

/**
 * Their positions in the script, counted from the first of an operation: constants of it, by name. And the number of
 * arguments before those of the kind.
 */
export const PLACES = {
  KEYS_OF_ALL: KEY_COUNT,
  ARG_OWNER: ARGUMENTS.indexOf("owner"),
  ARG_BUCKET: ARGUMENTS.indexOf("bucket"),
  ARG_FENCE: ARGUMENTS.indexOf("fence"),
  ARG_INBOX: ARGUMENTS.indexOf("inbox"),
  ARG_TICKET: ARGUMENTS.indexOf("ticket"),
  ARG_RESERVED_MS: ARGUMENTS.indexOf("reservedMs"),
  ARG_KEPT_MS: ARGUMENTS.indexOf("keptMs"),
  ARG_DEFERRED: ARGUMENTS.indexOf("deferred"),
  ARGS_OF_ALL: ARGUMENTS.length,
} as const;

/** What the operations of a group have in common. */
export interface GroupHead {
  readonly step: Step;
  readonly kind: KindId | typeof PREEMPTING;
  /** For `close`: the remaining life of the key. */
  readonly ttlMs: number;
  readonly size: number;
  /** Number per operation. */
  readonly keyCount: number;
  readonly argumentCount: number;
  /** Of acquires that do not bring their own as an argument, and of releases; undefined without fencing. */
  readonly proposal: number | undefined;
}

/** The head of the group that begins there: of consecutive operations that are alike. */
export function headOf(operations: readonly AnyOperation[], from: number): GroupHead {
  const first = headOfOne(operations[from] as AnyOperation);
  let end = from + 1;
  while (end < operations.length && isAlike(headOfOne(operations[end] as AnyOperation), first))
    end++;
  return { ...first, size: end - from };
}

/** As it is sent. */
export function wordsOf(head: GroupHead): string[] {
  const { step, kind, ttlMs, size, keyCount, argumentCount, proposal } = head;
  return [step, kind, ...[ttlMs, size, keyCount, argumentCount].map(String), textOf(proposal)];
}

function headOfOne(operation: AnyOperation): GroupHead {
  const { kind, ttlMs = 0, keepMs, keys, places, fence, proposal } = operation;
  const argumentCount = argumentCountOf(operation);
  // Counted without building the lists: there are many.
  const moreArguments =
    places === undefined ? kindArgumentsOf(operation).length : argumentCountOfPlaces(places);
  return {
    step: stepOf(operation),
    kind: kindOf(operation),
    ttlMs: keepMs ?? ttlMs,
    size: 1,
    keyCount: places === undefined ? keys.lockKeys.length : KEY_COUNT + places.length,
    argumentCount: argumentCount + moreArguments,
    proposal: kind === "acquire" && argumentCount <= PLACES.ARG_FENCE ? fence : proposal,
  };
}

function isAlike(one: GroupHead, other: GroupHead): boolean {
  return (
    one.step === other.step &&
    one.kind === other.kind &&
    one.ttlMs === other.ttlMs &&
    one.keyCount === other.keyCount &&
    one.argumentCount === other.argumentCount &&
    one.proposal === other.proposal
  );
}

function stepOf({ kind, keepMs }: AnyOperation): Step {
  return kind === "release" && keepMs !== undefined ? "close" : kind;
}

/** The script's kind for the step; some steps work on whatever is stored there, of any kind. */
function kindOf({ kind, keys, preempts }: AnyOperation): KindId | typeof PREEMPTING {
  if (kind === "refresh" || kind === "inspect" || kind === "expire") return "exclusive";
  return preempts === true ? PREEMPTING : keys.id;
}

/**
 * A waiter or an adoption sends all of them, as does a lease that was extended beyond its ttl, and every step on a kind
 * other than the exclusive lock.
 */
function argumentCountOf(operation: AnyOperation): number {
  const { waiter, previous, keptMs } = operation;
  const isPlain =
    kindOf(operation) === "exclusive" &&
    waiter === undefined &&
    previous === undefined &&
    keptMs === undefined;
  return isPlain ? ARGUMENT_COUNTS[stepOf(operation)] : ARGUMENTS.length;
}

/** The keys of an operation. */
export function keysOf({ keys, places }: AnyOperation): readonly string[] {
  if (places === undefined) return keys.lockKeys;
  return [keys.lockKey, ...places.map((place) => place.keys.lockKey)];
}

/** The arguments of an operation. */
export function argumentsOf(operation: AnyOperation): string[] {
  const argumentCount = argumentCountOf(operation);
  const args = [];
  for (let at = 0; at < argumentCount; at++) {
    args.push(argumentOf(ARGUMENTS[at] as Argument, operation));
  }
  const more = kindArgumentsOf(operation);
  if (more.length > 0) args.push(...more);
  return args;
}

function argumentOf(name: Argument, operation: AnyOperation): string {
  switch (name) {
    case "owner":
      return operation.ownerId;
    case "bucket":
      return operation.keys.fenceBucket;
    case "fence":
      return textOf(operation.fence);
    case "inbox":
      return operation.waiter?.inbox ?? "";
    case "ticket":
      return String(operation.waiter?.ticket ?? 0);
    case "reservedMs":
      return operation.waiter === undefined ? "0" : turnTextOf(operation.waiter);
    case "keptMs":
      return textOf(operation.keptMs);
    case "deferred":
      return deferredTextOf(operation.waiter?.deferred);
  }
}

/** Of an exclusive lock that is passed on: the previous owner and its token. */
function kindArgumentsOf({ kind, keys, previous, places }: AnyOperation): readonly string[] {
  if (places !== undefined) return argumentsOfPlaces(places);
  if (previous !== undefined) return [previous.ownerId, textOf(previous.token)];
  return kind === "inspect" || kind === "expire" ? NONE : keys.scriptArgs;
}

function textOf(number: number | undefined): string {
  return number === undefined ? "" : String(number);
}
