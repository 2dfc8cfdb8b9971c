import { agreedHolder, quorumSize } from "./quorum.js";
import { labelOf } from "./owner-id.js";
import { MARKERS } from "./markers.js";
import type { NameSnapshot } from "./operation.js";

/** How often an observer asks the nodes, ms: it shows nothing that is older, whatever messages are lost. */
export const WATCH_POLL_MS = 2_000;

/** How long a node tells the observers of a name after it was asked by one, ms of its clock. */
export const WATCH_MS = 5_000;

/** The list of observed names that a node keeps stands for all names where it is this long, in bytes: about 170 names. */
export const OBSERVED_LENGTH = 2_000;

/** Longer messages are dropped unread. */
const MAX_LENGTH = 16_384;

/** Who holds a name, as one node says. */
export interface NodeStanding {
  /** Tells holders apart, and is no secret: the hash of its ownerId. Undefined where nobody holds it. */
  readonly who: string | undefined;
  readonly label: string | undefined;
  /** Its token, where it has proclaimed something there; otherwise the node's counter, which may be above it. */
  readonly fence: number;
  /** Of what it has proclaimed: they count from 1; 0 where it has proclaimed nothing there. */
  readonly number: number;
  readonly value: string | undefined;
}

/** A holder, as a quorum of nodes says. */
export type Holding = NodeStanding & { readonly who: string };

/** The answer of a node that was asked. */
export function standingIn({ holder, who, fence = 0, proclaimed }: NameSnapshot): NodeStanding {
  const isFree = holder === undefined || holder.startsWith(MARKERS.turn);
  if (isFree) return { who: undefined, label: undefined, fence, number: 0, value: undefined };
  return {
    who,
    label: labelOf(holder),
    fence: proclaimed?.token ?? fence,
    number: proclaimed?.number ?? 0,
    value: proclaimed?.value,
  };
}

const MESSAGE = /^([0-9a-f]{40}) ((?:free|held) .*)$/su;
const FREE = /^free (0|[1-9]\d{0,15})$/u;
const HELD = /^held (0|[1-9]\d{0,15}) (0|[1-9]\d{0,9}) ([0-9a-f]{40}) (0|[1-9]\d{0,3}) (.*)$/su;

/** A message of a node about a name: its proof, and the text that it proves. Anything else yields undefined. */
export function parseWatchMessage(
  message: string,
): { readonly proof: string; readonly text: string } | undefined {
  if (message.length > MAX_LENGTH) return undefined;
  const [, proof, text] = MESSAGE.exec(message) ?? [];
  return proof === undefined || text === undefined ? undefined : { proof, text };
}

/** What the proof is the hash of. */
export function provenStanding(secret: string, text: string): string {
  return `${secret} ${text}`;
}

/** What a node says in such a message; undefined for what it would not say. */
export function parseStanding(text: string): NodeStanding | undefined {
  const nobody = { who: undefined, label: undefined, number: 0, value: undefined };
  const [, freeFence] = FREE.exec(text) ?? [];
  if (freeFence !== undefined) return isSafe({ ...nobody, fence: Number(freeFence) });
  const [, fence, numberText, who, labelLength, rest = ""] = HELD.exec(text) ?? [];
  if (who === undefined) return undefined;
  // In bytes, as the node counts.
  const bytes = Buffer.from(rest);
  const [end, number] = [Number(labelLength), Number(numberText)];
  if (end > bytes.length) return undefined;
  const value = number > 0 ? bytes.subarray(end).toString() : undefined;
  const label = bytes.subarray(0, end).toString() || undefined;
  return isSafe({ who, label, fence: Number(fence), number, value });
}

function isSafe(standing: NodeStanding): NodeStanding | undefined {
  return Number.isSafeInteger(standing.fence) ? standing : undefined;
}

/**
 * Whether a node said this after that: on a node the counter only grows with each holder, what a holder proclaims is
 * numbered, and a holder comes before its end. Its token may be below the counter that was told before it proclaimed.
 */
export function isLater(one: NodeStanding, other: NodeStanding): boolean {
  const isSame = one.who !== undefined && one.who === other.who;
  if (isSame && one.number !== other.number) return one.number > other.number;
  if (one.fence !== other.fence) return one.fence > other.fence;
  if ((one.who === undefined) !== (other.who === undefined)) return one.who === undefined;
  return one.number > other.number;
}

/**
 * What a quorum says, with what its holder is known to have proclaimed: where fewer nodes answer than before, or late
 * messages of one are read, what they know of it may be what it proclaimed earlier.
 *
 * @param last the holder that was shown last
 */
export function withLatest(agreed: Holding, last: Holding | undefined): Holding {
  if (last === undefined || agreed.who !== last.who || agreed.number >= last.number) return agreed;
  return { ...agreed, number: last.number, value: last.value };
}

/**
 * Whether nodes name a holder whose end was shown: one has told of its end, and another only now of its beginning. It is
 * believed if they are asked.
 *
 * @param last the holder that was shown last
 */
export function isOver(
  agreed: Holding | null,
  shown: Holding | null | undefined,
  last: Holding | undefined,
): boolean {
  return shown === null && agreed !== null && agreed.who === last?.who;
}

/** Whether that is something else than what was shown before. */
export function isNews(shown: Holding | null | undefined, agreed: Holding | null): boolean {
  if (shown === undefined || shown?.who !== agreed?.who) return true;
  return agreed?.number !== shown?.number;
}

/**
 * The highest fence that a quorum of nodes has reached, of those that name the same holder, or nobody. The token of the
 * next holder is above it, once that is sealed.
 */
export function reachedBy(
  standings: readonly (NodeStanding | undefined)[],
  who: string | undefined,
): number {
  const fences = standings.flatMap((one) =>
    one !== undefined && one.who === who ? one.fence : [],
  );
  return fences.toSorted((a, b) => b - a)[quorumSize(standings.length) - 1] ?? 0;
}

/**
 * Whether the token of a holder is not stored on a quorum of nodes yet, although the name is: it is above all that a
 * quorum had reached with those before it.
 *
 * @param last the holder that was shown last
 */
export function isUnsealed(
  { who, fence }: Holding,
  last: string | undefined,
  reached: number,
): boolean {
  return who === last ? fence < reached : fence <= reached && reached > 0;
}

/**
 * Who holds the name: null for nobody, undefined where no quorum says the same. Of what its nodes know of it, the most
 * that a quorum knows: the next holder's token is above that.
 *
 * @param standings by node index
 */
export function agreedOn(
  standings: readonly (NodeStanding | undefined)[],
): Holding | null | undefined {
  const said = standings.map((one) => one && (one.who === undefined ? [] : [one.who]));
  const who = agreedHolder(said);
  if (who === null || who === undefined) return who;
  const same = standings.flatMap((one) => (one?.who === who ? [one] : []));
  const fence = reachedBy(standings, who);
  const least = quorumSize(standings.length) - 1;
  const { label, number = 0, value } = same.toSorted((a, b) => b.number - a.number)[least] ?? {};
  return { who, label, fence, number, value };
}
