import { RECORD_KEY } from "../protocol/keys.js";
import type { LockKind } from "../protocol/lock-kind.js";
import type { AnyOperation, Operation, OperationKind } from "../protocol/operation.js";
import { sizeText } from "../protocol/semaphore-size.js";
import { deferredTextOf, turnTextOf, type Place } from "../protocol/node-queue.js";

/** Common to all batches of one manager. */
export interface BatchConstants {
  readonly fenceSlackUs: number;
}

/**
 * What the script is asked to do: the type of an operation, `close`, a release that keeps the name closed, and `count`,
 * an acquire whose refusal says how many wait.
 */
type Step = OperationKind | "close" | "count";

/**
 * Every kind of lock has its lock key; the keys of further names follow. The script derives the companion keys: to send
 * the eight of each name as well takes a tenth of a client's CPU and more, and those of other processes are not known.
 */
const KEY_COUNT = 1;

/** Arguments of every kind of lock, in the order in which they are sent; those specific to a kind follow. */
const ARGUMENTS = [
  "owner",
  "bucket",
  "fence",
  "inbox",
  "ticket",
  "reservedMs",
  "keptMs",
  "deferred",
] as const;

/** Number of {@link ARGUMENTS} up to and including that one. */
function upTo(last: (typeof ARGUMENTS)[number]): number {
  return ARGUMENTS.indexOf(last) + 1;
}

/**
 * Arguments of a step on an exclusive lock without waiters. The proposal of acquires is in the head of their group.
 */
const ARGUMENT_COUNTS: Readonly<Record<Step, number>> = {
  acquire: upTo("bucket"),
  count: upTo("bucket"),
  seal: upTo("fence"),
  extend: upTo("owner"),
  heal: upTo("fence"),
  release: upTo("fence"),
  close: upTo("fence"),
  leave: ARGUMENTS.length,
  refresh: ARGUMENTS.length,
  inspect: upTo("bucket"),
  size: upTo("owner"),
  watch: upTo("bucket"),
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

/** What the operations of a group have in common: consecutive ones with the same head. */
interface Head {
  readonly step: Step;
  readonly kind: LockKind["id"] | typeof PREEMPTING;
  /** For `close`: the remaining life of the key. */
  readonly ttlMs: number;
  /** Number per operation. */
  readonly keyCount: number;
  readonly argumentCount: number;
  /** Of acquires that do not bring their own as an argument, and of releases; undefined without fencing. */
  readonly proposal: number | undefined;
}

/** An operation as the script reads it. */
interface Words {
  readonly head: Head;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

function wordsOf(operation: AnyOperation): Words {
  const { kind, keys, ownerId, fence, waiter, previousId, keptMs, proclaimed, places } = operation;
  const { keepMs, countsWaiters, partIds } = operation;
  const isClose = kind === "release" && keepMs !== undefined;
  const step: Step = isClose ? "close" : countsWaiters === true ? "count" : kind;
  // Some steps work on whatever is stored there, of any kind.
  const isOfAnyKind =
    kind === "refresh" || kind === "inspect" || kind === "watch" || kind === "expire";
  const ownKind = operation.preempts === true ? PREEMPTING : keys.id;
  const scriptKind = isOfAnyKind ? "exclusive" : ownKind;
  // A waiter or an adoption sends all arguments, as does a lease that was extended beyond its ttl, or proclaims.
  const isPlain =
    scriptKind === "exclusive" &&
    waiter === undefined &&
    previousId === undefined &&
    keptMs === undefined &&
    proclaimed === undefined;
  const count = isPlain ? ARGUMENT_COUNTS[step] : ARGUMENTS.length;
  const args = [ownerId];
  if (count > PLACES.ARG_BUCKET) args.push(keys.fenceBucket);
  if (count > PLACES.ARG_FENCE) args.push(String(fence ?? ""));
  if (count > PLACES.ARG_INBOX) {
    args.push(waiter?.inbox ?? "", String(waiter?.ticket ?? 0));
    args.push(waiter === undefined ? "0" : turnTextOf(waiter), String(keptMs ?? ""));
    args.push(deferredTextOf(waiter?.deferred));
  }
  if (places !== undefined) args.push(...argumentsOfPlaces(places));
  else if (previousId !== undefined) args.push(previousId);
  else if (partIds !== undefined) args.push(...partIds);
  else if (proclaimed !== undefined) args.push(String(proclaimed.number), proclaimed.value);
  else if (!isOfAnyKind) {
    if (keys.permits !== undefined) args.push(sizeText(keys.permits.size.current));
    if (keys.scriptArgs.length > 0) args.push(...keys.scriptArgs);
  }
  const lockKeys =
    places === undefined
      ? keys.lockKeys
      : [keys.lockKey, ...places.map((place) => place.keys.lockKey)];
  const head: Head = {
    step,
    kind: scriptKind,
    ttlMs: keepMs ?? operation.ttlMs ?? 0,
    keyCount: lockKeys.length,
    argumentCount: args.length,
    proposal: kind === "acquire" && count <= PLACES.ARG_FENCE ? fence : operation.proposal,
  };
  return { head, keys: lockKeys, args };
}

/**
 * The arguments of a refresh: the number of groups of alike places, and of each group its size, its tickets, and how
 * long a name is reserved for them.
 */
function argumentsOfPlaces(places: readonly Place[]): string[] {
  const encoded = [""];
  let groupCount = 0;
  for (let from = 0; from < places.length; groupCount++) {
    const first = places[from] as Place;
    const { ticket } = first.waiter;
    // Of the others, the difference from the first: a few digits instead of sixteen.
    let tickets = String(ticket);
    let end = from + 1;
    for (; end < places.length && isAlike(places[end] as Place, first); end++) {
      tickets += `,${(places[end] as Place).waiter.ticket - ticket}`;
    }
    encoded.push(String(end - from), tickets, turnTextOf(first.waiter));
    from = end;
  }
  encoded[0] = String(groupCount);
  return encoded;
}

function isAlike({ waiter }: Place, { waiter: first }: Place): boolean {
  return waiter.turnMs === first.turnMs && waiter.placePrefix === first.placePrefix;
}

function isSame(one: Head, other: Head): boolean {
  return (
    one.step === other.step &&
    one.kind === other.kind &&
    one.ttlMs === other.ttlMs &&
    one.keyCount === other.keyCount &&
    one.argumentCount === other.argumentCount &&
    one.proposal === other.proposal
  );
}

/** Steps that are usually done on the fast path, see batch.lua. */
const PLAIN_STEPS: ReadonlySet<Step> = new Set(["acquire", "extend", "release"]);

/** On an exclusive lock without a waiter: who holds the name after it depends on no key but the lock key. */
function isPlain({ step, kind, argumentCount }: Head): boolean {
  return kind === "exclusive" && argumentCount <= PLACES.ARG_INBOX && PLAIN_STEPS.has(step);
}

/** The group that begins there: where it ends, and the words that its operations have in common. */
function groupAt(
  all: readonly { readonly head: Head }[],
  from: number,
): { readonly end: number; readonly words: readonly string[] } {
  const { head } = all[from] as { readonly head: Head };
  let end = from + 1;
  while (end < all.length && isSame((all[end] as { readonly head: Head }).head, head)) end++;
  const { step, kind, ttlMs, keyCount, argumentCount, proposal } = head;
  const counts = [String(ttlMs), String(keyCount), String(argumentCount)];
  return { end, words: [String(end - from), step, kind, ...counts, String(proposal ?? "")] };
}

/** Number of keys, keys and arguments of the batch script, in the order in which it reads them. */
export function encodeBatch(
  operations: readonly Operation[],
  recordId: string,
  number: number,
  { fenceSlackUs }: BatchConstants,
): string[] {
  const all = operations.map(wordsOf);
  const keys = all.flatMap((words) => words.keys);
  const encoded = [String(1 + keys.length), RECORD_KEY, ...keys];
  encoded.push(recordId, String(fenceSlackUs), String(number));
  for (let from = 0; from < all.length;) {
    const { end, words } = groupAt(all, from);
    encoded.push(...words);
    while (from < end) encoded.push(...(all[from++] as Words).args);
  }
  return encoded;
}

/** Texts of at least this length are encoded before they are written: Node.js writes shorter texts from its stack. */
const LONG = 4_096;

/** Beyond this size, all but the latest entries are outdated. */
const MAX_RECORD_IDS = 64;

/** Number of digits of a number that change from call to call, and the power of ten above them. */
const LOWER_DIGITS = 3;
const LOWER = 10 ** LOWER_DIGITS;

/** All that these digits can be. */
const LOWER_TEXTS = Array.from(
  { length: LOWER },
  (_, lower) => `${String(lower).padStart(LOWER_DIGITS, "0")}\r\n`,
);

/** Eval, script, number of keys, record; record id, slack and number. */
const WORDS_OF_ALL = 7;

const RECORD = bulks([RECORD_KEY]);

/** An operation as bytes of the Redis protocol. */
interface Wire {
  readonly head: Head;
  readonly keys: string;
  readonly args: string;
}

/** All that are sent together. */
interface Joined {
  /** Number of words in the command. */
  readonly count: string;
  /** Number of keys among them, the record's included. */
  readonly keyCount: string;
  readonly keys: string;
  readonly args: string;
}

/**
 * Batches as bytes of the Redis protocol.
 *
 * The same operations go to all nodes, so each is encoded once, and a batch with the same operations as the previous
 * one (the usual case: the same tick on the next node) reuses its text, too. ioredis would join the arguments of a
 * batch again for every node: that took half of the client's time under load.
 */
export class BatchWire {
  readonly constants: BatchConstants;
  readonly #slack: string;
  readonly #recordIds = new Map<string, string>();
  readonly #numberHeads = new Map<number, string>();
  #operations: readonly Operation[] = [];
  #absentKey: string | undefined;
  #joined: Joined = joined([], undefined);

  constructor(constants: BatchConstants) {
    this.constants = constants;
    this.#slack = bulks([String(constants.fenceSlackUs)]);
  }

  /**
   * `EVAL script` or `EVALSHA sha`, with the keys and arguments of the batch script.
   *
   * @param number of the call, which the reply repeats
   * @param recordKey another key in place of the record's: its fences are used, and no record is read
   * @param absentKey declared behind all others, which the script does not read, unless all operations are plain
   */
  encode(
    name: "eval" | "evalsha",
    script: string,
    operations: readonly Operation[],
    recordId: string,
    number: number,
    recordKey?: string,
    absentKey?: string,
  ): string | Buffer {
    const before = this.#operations;
    let isSame = operations.length === before.length && absentKey === this.#absentKey;
    for (let at = 0; isSame && at < before.length; at++) isSame = operations[at] === before[at];
    if (!isSame) {
      this.#operations = operations;
      this.#absentKey = absentKey;
      this.#joined = joined(operations, absentKey);
    }
    const { count, keyCount, keys, args } = this.#joined;
    const record = recordKey === undefined ? RECORD : bulks([recordKey]);
    const id = this.#recordIds.get(recordId) ?? this.#newRecordId(recordId);
    const upper = Math.floor(number / LOWER);
    const numberText =
      upper === 0
        ? bulks([String(number)])
        : (this.#numberHeads.get(upper) ?? this.#newNumberHead(upper)) +
          LOWER_TEXTS[number - upper * LOWER];
    const text =
      `${count}$${name.length}\r\n${name}\r\n$${script.length}\r\n${script}\r\n${keyCount}${record}${keys}` +
      `${id}${this.#slack}${numberText}${args}`;
    return text.length < LONG ? text : Buffer.from(text);
  }

  /** One per node; a new one is rare. */
  #newRecordId(recordId: string): string {
    if (this.#recordIds.size === MAX_RECORD_IDS) this.#recordIds.clear();
    const text = bulks([recordId]);
    this.#recordIds.set(recordId, text);
    return text;
  }

  /**
   * Turning so large a number into text takes longer than all else here, so its upper digits, which change with every
   * thousandth call of a connection, are kept, and the others looked up.
   */
  #newNumberHead(upper: number): string {
    if (this.#numberHeads.size === MAX_RECORD_IDS) this.#numberHeads.clear();
    const head = `$${String(upper).length + LOWER_DIGITS}\r\n${upper}`;
    this.#numberHeads.set(upper, head);
    return head;
  }
}

function joined(operations: readonly Operation[], absentKey: string | undefined): Joined {
  let keys = "";
  let args = "";
  let keyCount = 1;
  let wordCount = WORDS_OF_ALL;
  const all = operations.map(wireOf);
  for (let from = 0; from < all.length;) {
    const { end, words } = groupAt(all, from);
    const { head } = all[from] as Wire;
    const size = end - from;
    args += bulks(words);
    for (; from < end; from++) {
      keys += (all[from] as Wire).keys;
      args += (all[from] as Wire).args;
    }
    keyCount += size * head.keyCount;
    wordCount += words.length + size * (head.keyCount + head.argumentCount);
  }
  if (absentKey !== undefined && !all.every(({ head }) => isPlain(head))) {
    keys += bulks([absentKey]);
    keyCount++;
    wordCount++;
  }
  return { count: `*${wordCount}\r\n`, keyCount: bulks([String(keyCount)]), keys, args };
}

function wireOf(operation: Operation): Wire {
  if (operation.wire === undefined) {
    const { head, keys, args } = wordsOf(operation);
    const wire: Wire = { head, keys: bulks(keys), args: bulks(args) };
    operation.wire = wire;
  }
  return operation.wire as Wire;
}

/** Runs for every operation, so text that is ASCII, as it usually is, is measured in one step. */
function bulks(texts: readonly string[]): string {
  let ascii = "";
  for (const text of texts) ascii += `$${text.length}\r\n${text}\r\n`;
  if (Buffer.byteLength(ascii) === ascii.length) return ascii;
  return texts.map((text) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`).join("");
}
