import type { LockKind } from "../protocol/lock-kind.js";
import type { Vote } from "../protocol/operation.js";
import { usableForMs } from "../protocol/lease-times.js";
import type { AttemptFailure } from "../protocol/attempt-failure.js";
import type { LeaseSettings } from "./lease-settings.js";

/**
 * How many are remembered. Requests for one name are mostly alike, and then the last failure says it all; one that
 * finds nothing here asks the nodes itself.
 */
const MAX_KNOWN = 8;

/** What a request wants. */
export interface Wish {
  readonly keys: LockKind;
  readonly settings: LeaseSettings;
}

interface KnownFailure {
  readonly failure: AttemptFailure;
  readonly request: Wish;
  /** Lease clock. */
  readonly sentMs: number;
}

/** How attempts of one wait queue failed: the others in it need not find that out themselves. */
export class KnownFailures {
  /** The last is the most recent. */
  #known: readonly KnownFailure[] = [];

  /** @param request whose attempt failed */
  add(failure: AttemptFailure, request: Wish, sentMs: number): void {
    const others = this.#known.filter((known) => !isTold(failure, request, known.request));
    this.#known = [...others, { failure, request, sentMs }].slice(-MAX_KNOWN);
  }

  /**
   * The last that says something to that request.
   *
   * @param sinceMs lease clock: only what was sent after that, as it has seen nothing older, or has asked itself then
   */
  findFor(request: Wish, sinceMs: number): AttemptFailure | undefined {
    return this.#known.findLast(
      ({ failure, request: asked, sentMs }) => sentMs > sinceMs && isTold(failure, asked, request),
    )?.failure;
  }
}

/** A set of names is not told how its first name was refused: it asks for all, and says which of them are held. */
function isTold(failure: AttemptFailure, asked: Wish, other: Wish): boolean {
  return asked.keys.name === other.keys.name && saysTo(failure, asked, other);
}

/**
 * Whether another request of the same wait queue would have failed as well, had it asked in place of the one that did.
 * Not if what it wants differs, or if it is content with less: with slower answers, or with less time left.
 */
export function saysTo({ kind, votes }: AttemptFailure, asked: Wish, other: Wish): boolean {
  // What delays a waiter for several names says nothing to waiters for one of them. All want that one.
  if (asked.keys.names.length > 1 && asked.keys.name !== other.keys.name) return false;
  if (votes.some(isAboutKind) && !isSameKind(asked.keys, other.keys)) return false;
  if (kind === "refused" || kind === "split") return true;
  const [its, others] = [asked.settings, other.settings];
  return kind === "exhausted"
    ? usableForMs(others) <= usableForMs(its)
    : others.nodeTimeoutMs <= its.nodeTimeoutMs;
}

/** Other kinds of locks may find the same data, and the same permissions, as they should be. */
function isAboutKind(vote: Vote | undefined): boolean {
  if (vote?.kind === "refused") return vote.reason === "foreign";
  return vote?.kind === "fault" && vote.fault === "misconfigured";
}

function isSameKind(one: LockKind, other: LockKind): boolean {
  return (
    one.id === other.id &&
    one.layout === other.layout &&
    one.permits?.count === other.permits?.count
  );
}
