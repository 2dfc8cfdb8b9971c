import { argumentsOfPlaces, countsOfPlaces, keysOfPlaces } from "./place-shape.js";
import { COMPANIONS, companionKey } from "../protocol/keys.js";
import type { KindId } from "../protocol/lock-kind.js";
import type { Operation, OperationKind } from "../protocol/operation.js";
import { turnTextOf } from "../protocol/waiter.js";

/** What the script is asked to do: what an operation is, and `close`, a release that keeps the name closed. */
type Step = OperationKind | "close";

/** Keys that any kind of lock has, in the order in which they are sent; those of the kind come behind. */
const KEYS = ["lock", "fence", "queue"] as const;

/** Arguments that any kind of lock has, in the order in which they are sent; those of the kind come behind. */
const ARGUMENTS = ["owner", "fence", "inbox", "ticket", "reservedMs"] as const;

type Key = (typeof KEYS)[number];
type Argument = (typeof ARGUMENTS)[number];

const NONE: readonly string[] = [];

interface Shape {
  /** The first so many of {@link KEYS}. */
  readonly keyCount: number;
  /** The first so many of {@link ARGUMENTS}. */
  readonly argumentCount: number;
}

function shape(lastKey: Key, lastArgument: Argument): Shape {
  return {
    keyCount: KEYS.indexOf(lastKey) + 1,
    argumentCount: ARGUMENTS.indexOf(lastArgument) + 1,
  };
}

/** What a step on a plain mutex brings where nobody waits. */
const SHAPES: Readonly<Record<Step, Shape>> = {
  acquire: shape("fence", "fence"),
  seal: shape("fence", "fence"),
  extend: shape("lock", "owner"),
  heal: shape("fence", "fence"),
  release: shape("queue", "fence"),
  close: shape("queue", "fence"),
  leave: shape("queue", "reservedMs"),
  refresh: shape("queue", "reservedMs"),
  inspect: shape("queue", "fence"),
  revoke: shape("fence", "fence"),
};

/** What one who waits brings, and every step on another kind of lock than the plain mutex. */
const WHOLE = shape("queue", "reservedMs");

/** As what an acquire is sent that takes a plain mutex from whoever holds it. */
const PREEMPTING = "stolen";

/**
 * Where the script finds them, counted from the first of an operation: constants of it, by name. And how
 * many there are before those of the kind.
 */
export const PLACES = {
  KEY_LOCK: KEYS.indexOf("lock"),
  KEY_FENCE: KEYS.indexOf("fence"),
  KEY_QUEUE: KEYS.indexOf("queue"),
  KEYS_OF_ALL: KEYS.length,
  ARG_OWNER: ARGUMENTS.indexOf("owner"),
  ARG_FENCE: ARGUMENTS.indexOf("fence"),
  ARG_INBOX: ARGUMENTS.indexOf("inbox"),
  ARG_TICKET: ARGUMENTS.indexOf("ticket"),
  ARG_RESERVED_MS: ARGUMENTS.indexOf("reservedMs"),
  ARGS_OF_ALL: ARGUMENTS.length,
} as const;

/** What the operations of a group have in common. */
export interface GroupHead {
  readonly step: Step;
  readonly kind: KindId | typeof PREEMPTING;
  /** Of `close`: what the key may still live. */
  readonly ttlMs: number;
  readonly size: number;
  /** Of each. */
  readonly keyCount: number;
  readonly argumentCount: number;
}

/** The head of the group that begins there: of operations that are alike, as many as there are in a row. */
export function headOf(operations: readonly Operation[], from: number): GroupHead {
  const first = headOfOne(operations[from] as Operation);
  let end = from + 1;
  while (end < operations.length && isAlike(headOfOne(operations[end] as Operation), first)) end++;
  return { ...first, size: end - from };
}

/** As it is sent. */
export function wordsOf(head: GroupHead): string[] {
  const { step, kind, ttlMs, size, keyCount, argumentCount } = head;
  return [step, kind, ...[ttlMs, size, keyCount, argumentCount].map(String)];
}

function headOfOne(operation: Operation): GroupHead {
  const { ttlMs, keepMs, places } = operation;
  const { keyCount, argumentCount } = shapeOf(operation);
  // Counted, and not made: they are many.
  const more = places === undefined ? countsOf(operation) : countsOfPlaces(places);
  return {
    step: stepOf(operation),
    kind: kindOf(operation),
    ttlMs: keepMs ?? ttlMs,
    size: 1,
    keyCount: keyCount + more.keys,
    argumentCount: argumentCount + more.arguments,
  };
}

function countsOf(operation: Operation): { keys: number; arguments: number } {
  const [keys, given] = [kindKeysOf(operation), kindArgumentsOf(operation)];
  return { keys: keys.length, arguments: given.length };
}

function isAlike(one: GroupHead, other: GroupHead): boolean {
  return (
    one.step === other.step &&
    one.kind === other.kind &&
    one.ttlMs === other.ttlMs &&
    one.keyCount === other.keyCount &&
    one.argumentCount === other.argumentCount
  );
}

function stepOf({ kind, keepMs }: Operation): Step {
  return kind === "release" && keepMs !== undefined ? "close" : kind;
}

/** By which of its kinds the script does the step; a refresh and a look are about no lock of any kind. */
function kindOf({ kind, keys, preempts }: Operation): KindId | typeof PREEMPTING {
  if (kind === "refresh" || kind === "inspect") return "exclusive";
  return preempts === true ? PREEMPTING : keys.id;
}

function shapeOf(operation: Operation): Shape {
  const isPlain = kindOf(operation) === "exclusive" && operation.waiter === undefined;
  return isPlain ? SHAPES[stepOf(operation)] : WHOLE;
}

/** The keys that an operation brings. */
export function keysOf(operation: Operation): string[] {
  const { keyCount } = shapeOf(operation);
  const keys = [];
  for (let at = 0; at < keyCount; at++) keys.push(keyOf(KEYS[at] as Key, operation));
  const more = kindKeysOf(operation);
  if (more.length > 0) keys.push(...more);
  return keys;
}

/**
 * Without fencing the fence key is not touched; the lock key stands in for its slot. By the fence key an
 * acquire or a heal finds out whether an operator has ended the lock.
 */
function keyOf(name: Key, { kind, keys, fence }: Operation): string {
  switch (name) {
    case "lock":
      return keys.lockKey;
    case "fence": {
      const isNamed = kind === "heal" || kind === "acquire" || fence !== undefined;
      return isNamed ? keys.fenceKey : keys.lockKey;
    }
    case "queue":
      return keys.queueKey;
  }
}

/** The arguments that an operation brings. */
export function argumentsOf(operation: Operation): string[] {
  const { argumentCount } = shapeOf(operation);
  const args = [];
  for (let at = 0; at < argumentCount; at++) {
    args.push(argumentOf(ARGUMENTS[at] as Argument, operation));
  }
  const more = kindArgumentsOf(operation);
  if (more.length > 0) args.push(...more);
  return args;
}

function argumentOf(name: Argument, operation: Operation): string {
  switch (name) {
    case "owner":
      return operation.ownerId;
    case "fence":
      return textOf(operation.fence);
    case "inbox":
      return operation.waiter?.inbox ?? "";
    case "ticket":
      return String(operation.waiter?.ticket ?? 0);
    case "reservedMs":
      return operation.waiter === undefined ? "0" : turnTextOf(operation.waiter);
  }
}

function kindKeysOf({ kind, keys, places }: Operation): readonly string[] {
  if (places !== undefined) return keysOfPlaces(places);
  if (kind === "inspect") return COMPANIONS.map((what) => companionKey(what, keys.lockKey));
  return keys.scriptKeys;
}

/** Of a plain mutex that is handed over: the previous owner and its token. */
function kindArgumentsOf({ kind, keys, previous, places }: Operation): readonly string[] {
  if (places !== undefined) return argumentsOfPlaces(places);
  if (previous !== undefined) return [previous.ownerId, textOf(previous.token)];
  return kind === "inspect" ? NONE : keys.scriptArgs;
}

function textOf(fence: number | undefined): string {
  return fence === undefined ? "" : String(fence);
}
