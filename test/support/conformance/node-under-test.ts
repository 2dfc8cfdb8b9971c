import type {
  Batch,
  BatchReply,
  HandshakeReply,
  HandshakeRequest,
} from "../../../src/channel/transport.js";
import { inboxChannel, watchChannel } from "../../../src/protocol/keys.js";
import { MAX_PERMITS, type KnownSize } from "../../../src/protocol/semaphore-size.js";
import {
  newOperation,
  type Operation,
  type OperationKind,
  type PartsOf,
  type Proclaimed,
} from "../../../src/protocol/operation.js";
import type { Waiter } from "../../../src/protocol/node-queue.js";
import { keysOf } from "../../../src/kinds/exclusive.js";
import { sharedLock } from "../../../src/kinds/shared.js";
import { severalLock } from "../../../src/kinds/several.js";
import { ownedLock } from "../../../src/kinds/owned.js";
import { redissonLock } from "../../../src/kinds/redisson.js";
import { permitLock } from "../../../src/kinds/permit.js";
import { timestampLock } from "../../../src/kinds/timestamp.js";
import type { PlacePrefix } from "../../../src/protocol/lock-kind.js";

/** What every batch carries here. */
export const SLACK_US = 2_500_000;

/** Of every call. */
export const NUMBER = 281_474_976_710_655;

/** A key as it stands on a node. */
export interface KeyState {
  readonly text: string;
  /** -1 for a key without expiry. */
  readonly pttlMs: number;
}

/** All that a node remembers, by key; the record under the name "record". */
export type NodeState = Readonly<Record<string, KeyState | Readonly<Record<string, string>>>>;

/**
 * One node whose clock only goes on when it is told to: a real server, or one in memory. Answers
 * and states of the two are compared literally.
 */
export interface NodeUnderTest {
  /** Microseconds since 1970, which stand still between calls of `advance`. */
  readonly nowUs: number;
  advance(byMs: number): Promise<void>;
  batch(operations: readonly Operation[], recordId: string): Promise<BatchReply>;
  handshake(request: HandshakeRequest): Promise<HandshakeReply>;
  /** Puts a string there, past all operations; without `ttlMs` for good. */
  put(key: string, text: string, ttlMs?: number): Promise<void>;
  /** Puts a hash there, as another client would. */
  putHash(key: string, fields: Readonly<Record<string, string>>, ttlMs?: number): Promise<void>;
  /** As if such a token had been given there. */
  putFence(bucket: string, text: string): Promise<void>;
  /** Loses everything. */
  forget(): Promise<void>;
  /** Makes the record say that it was written in another run of the server. */
  age(): Promise<void>;
  state(): Promise<NodeState>;
  /** What those who listen were told since this was asked last: `p 20:lock:a`. */
  told(): Promise<readonly string[]>;
}

/** As one client knows it. */
function sized(count: number, version: number): KnownSize {
  return { current: { count, version }, learn: () => {} };
}

export const NAMES = {
  a: keysOf("lock:", "a"),
  b: keysOf("lock:", "b"),
  tagged: keysOf("lock:", "{t}x"),
  /** Readers of the name a. */
  aShared: sharedLock(keysOf("lock:", "a")),
  /** The name a for owners; only where the owner is in; and in the layout of Redisson. */
  aJob: ownedLock(keysOf("lock:", "a"), "job"),
  aJobAgain: ownedLock(keysOf("lock:", "a"), "job", true),
  aTask: ownedLock(keysOf("lock:", "a"), "täsk"),
  aHash: redissonLock(keysOf("lock:", "a")),
  aHashJob: redissonLock(keysOf("lock:", "a"), "job"),
  /** Several names at once. */
  ab: severalLock([keysOf("lock:", "b"), keysOf("lock:", "a")]),
  abTagged: severalLock([keysOf("lock:", "b"), keysOf("lock:", "{t}x"), keysOf("lock:", "a")]),
  /** The lock key says when the lock ends. */
  aStamp: timestampLock(keysOf("lock:", "a"), "timestamp"),
  aSeconds: timestampLock(keysOf("lock:", "a"), "timestamp-seconds"),
  /** Permits of the name a: two of them, and a third of another number. */
  a0: permitLock(keysOf("lock:", "a"), 2, 1, [0]),
  a1: permitLock(keysOf("lock:", "a"), 2, 1, [1]),
  /** The second, of whoever does not know how many there are. */
  a1ofMany: permitLock(keysOf("lock:", "a"), MAX_PERMITS, 1, [1]),
  a2of3: permitLock(keysOf("lock:", "a"), 3, 1, [2]),
  /** Any of them. */
  aPermits: permitLock(keysOf("lock:", "a"), 2),
  /** Of a semaphore of four: one, two, any two, and all. */
  a0of4: permitLock(keysOf("lock:", "a"), 4, 1, [0]),
  a1of4: permitLock(keysOf("lock:", "a"), 4, 1, [1]),
  a2of4: permitLock(keysOf("lock:", "a"), 4, 1, [2]),
  a3of4: permitLock(keysOf("lock:", "a"), 4, 1, [3]),
  a01of4: permitLock(keysOf("lock:", "a"), 4, 2, [0, 1]),
  a13of4: permitLock(keysOf("lock:", "a"), 4, 2, [1, 3]),
  a23of4: permitLock(keysOf("lock:", "a"), 4, 2, [2, 3]),
  aTwoOf4: permitLock(keysOf("lock:", "a"), 4, 2),
  aAllOf4: permitLock(keysOf("lock:", "a"), 4, 4, [0, 1, 2, 3]),
  /** Of a semaphore of twenty: nearly all, and the others one by one. */
  aMostOf20: permitLock(
    keysOf("lock:", "a"),
    20,
    18,
    Array.from({ length: 18 }, (_, permit) => permit),
  ),
  a18of20: permitLock(keysOf("lock:", "a"), 20, 1, [18]),
  a19of20: permitLock(keysOf("lock:", "a"), 20, 1, [19]),
  /** Of a semaphore that was resized to four, or five, and later to two. */
  aSized4: permitLock(keysOf("lock:", "a"), sized(4, 7)),
  aSized5: permitLock(keysOf("lock:", "a"), sized(5, 7)),
  aSized2: permitLock(keysOf("lock:", "a"), sized(2, 8)),
  a0sized2: permitLock(keysOf("lock:", "a"), sized(2, 8), 1, [0]),
  a0sized4: permitLock(keysOf("lock:", "a"), sized(4, 7), 1, [0]),
  a1sized4: permitLock(keysOf("lock:", "a"), sized(4, 7), 1, [1]),
  a3sized4: permitLock(keysOf("lock:", "a"), sized(4, 7), 1, [3]),
  bTagged: severalLock([keysOf("lock:", "b"), keysOf("lock:", "{t}x")]),
} as const;

export type Name = keyof typeof NAMES;

/**
 * Owners have 22 characters; what follows a colon behind them is a label. Those with a k say for how long their names
 * are kept, those with a p or q at the end at which inbox their processes are told of losses.
 */
export const OWNERS = {
  x: "x".padEnd(22, "_"),
  y: `${"y".padEnd(22, "_")}:host 7:é`,
  z: "z".padEnd(22, "_"),
  kx: `900~${"x".padEnd(22, "_")}`,
  ky: `40~${"y".padEnd(22, "_")}:host 7:é`,
  kz: `900~${"z".padEnd(22, "_")}`,
  xp: `${"x".padEnd(22, "_")}.p_______`,
  yq: `${"y".padEnd(22, "_")}.q_______:host 7:é`,
  kxp: `900~${"x".padEnd(22, "_")}.p_______`,
  kyq: `40~${"y".padEnd(22, "_")}.q_______:host 7:é`,
} as const;

export type Owner = keyof typeof OWNERS;

/** Those who wait. Somebody listens to the inboxes of the first two. */
export const INBOXES = {
  p: "p".padEnd(8, "_"),
  q: "q".padEnd(8, "_"),
  deaf: "d".padEnd(8, "_"),
} as const;

export type Inbox = keyof typeof INBOXES;

/** By the channel of each who listens: its letter; and those who observe the name a. */
export const LISTENED_CHANNELS: ReadonlyMap<string, string> = new Map([
  [inboxChannel(INBOXES.p), "p"],
  [inboxChannel(INBOXES.q), "q"],
  [watchChannel(NAMES.a.lockKey), "watch"],
]);

/** An operation as a table writes it: `fence` as it is, or relative to the node's clock, µs. */
export interface OperationSpec {
  readonly kind: OperationKind;
  readonly name?: Name;
  readonly owner?: Owner;
  readonly ttlMs?: number;
  readonly fence?: number | undefined;
  readonly fromNowUs?: number | undefined;
  /** Who waits: with an acquire, a release, a heal, and always with a leave. */
  readonly inbox?: Inbox | undefined;
  readonly ticket?: number | undefined;
  /** Its deferred acquire: whose, and how old it may be, ms. Without a fence if that is 0. */
  readonly deferred?: { readonly owner: Owner; readonly maxAgeMs: number } | undefined;
  /** Of a release, relative to the node's clock, µs: for the fence of whoever gets the name. */
  readonly proposalUs?: number | undefined;
  /** It waits for its turn as a reader, or at a permit. */
  readonly placePrefix?: PlacePrefix | undefined;
  /** Of its place, 20 by default. */
  readonly turnMs?: number;
  /** Takes the name from whoever holds it, with an acquire. */
  readonly preempts?: boolean | undefined;
  /** With an acquire: a refusal says how many wait. */
  readonly countsWaiters?: boolean | undefined;
  /** With an extend, a heal and a release. */
  readonly proclaimed?: Proclaimed | undefined;
  /** Whose lock it takes over, with an acquire. */
  readonly previous?: Owner | undefined;
  /** With an acquire of several names: who has some of them for it. */
  readonly parts?: readonly Owner[] | undefined;
  /** Of an extend, a heal and a release: of a lease that was extended beyond its ttl. */
  readonly keptMs?: number | undefined;
  /** Of a release: for how long the name stays closed. */
  readonly keepMs?: number | undefined;
  /** Of an expire: of each owner and the end that it has been seen with, ms from now; where that is not exact, `~`. */
  readonly signs?: readonly { readonly of: Owner; readonly inMs: number; readonly mark?: "~" }[];
  /** Of a refresh, all of its inbox. */
  readonly places?: readonly Pick<OperationSpec, "name" | "ticket" | "placePrefix">[];
}

export function operationOf(spec: OperationSpec, nowUs: number): Operation {
  const { kind, name = "a", owner = "x", ttlMs = 1_000, fence, fromNowUs, ticket = 1 } = spec;
  const { previous, keptMs, keepMs } = spec;
  const mustWait = kind === "leave" || kind === "refresh";
  const inbox = spec.inbox ?? (mustWait ? "p" : undefined);
  const parts = {
    keys: NAMES[name],
    ownerId: spec.signs
      ? signsOf(spec.signs, nowUs)
      : kind === "refresh"
        ? INBOXES[inbox ?? "p"]
        : OWNERS[owner],
    ttlMs,
    keptMs,
    fence: fromNowUs === undefined ? fence : nowUs + fromNowUs,
    sendBeforeMs: Number.POSITIVE_INFINITY,
    waiter: kind === "refresh" ? undefined : inbox && waiterOf(spec, inbox, ticket),
    places: spec.places?.map((place) => ({
      keys: NAMES[place.name ?? "a"],
      waiter: waiterOf(place, inbox ?? "p", place.ticket ?? 1),
    })),
    keepMs,
    proposal: spec.proposalUs === undefined ? undefined : nowUs + spec.proposalUs,
    preempts: spec.preempts,
    countsWaiters: spec.countsWaiters,
    proclaimed: spec.proclaimed,
    previousId: previous && OWNERS[previous],
    partIds: spec.parts?.map((part) => OWNERS[part]),
  };
  return newOperation(kind, parts as PartsOf<OperationKind>);
}

function signsOf(signs: NonNullable<OperationSpec["signs"]>, nowUs: number): string {
  const texts = signs.map(({ of, inMs, mark = "" }) => {
    const shown = OWNERS[of].slice(0, OWNERS[of].indexOf("~") + 7);
    return `${shown}@${mark}${Math.floor(nowUs / 1_000) + inMs}`;
  });
  return texts.join(";");
}

function waiterOf(
  {
    placePrefix = "",
    turnMs = 20,
    deferred,
    ttlMs = 1_000,
  }: Pick<OperationSpec, "placePrefix" | "turnMs" | "deferred" | "ttlMs">,
  inbox: Inbox,
  ticket: number,
): Waiter {
  const acquire = deferred && {
    ...{ ownerId: OWNERS[deferred.owner], ttlMs },
    maxAgeMs: deferred.maxAgeMs,
  };
  return { inbox: INBOXES[inbox], ticket, turnMs, placePrefix, deferred: acquire };
}

/** The words of an error are the server's own. */
export function withoutWords(reply: BatchReply): unknown {
  if (reply.kind !== "votes") return reply;
  const votes = reply.votes.map((vote) => {
    if (vote.kind !== "fault") return vote;
    return { kind: vote.kind, fault: vote.fault, sent: vote.sent };
  });
  return { ...reply, votes };
}

export function batchOf(operations: readonly Operation[], recordId: string): Batch {
  return { number: NUMBER, operations, recordId, withScript: true };
}
