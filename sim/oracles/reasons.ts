import { getOrAdd } from "./get-or-add.js";
import {
  waitQueueOf,
  type CallEvent,
  type GrantEvent,
  type History,
  type HistoryEvent,
  type HistorySettings,
  type LostEvent,
  type SendEvent,
  type SettleEvent,
  type Violate,
  type VoteEvent,
} from "./history.js";
import { Ballot } from "./ballot.js";
import { isPermit, isSet, rootOf, rootsOf, waitedFor } from "./names.js";
import { NodeLists } from "./node-lists.js";

/** An acquire that has not settled. */
interface OpenCall {
  readonly call: CallEvent;
  /** How many attempts at the name its process had begun before. */
  readonly firstAttempt: number;
  /** Another acquire of the name was open in the same process: attempts may be either's. */
  isShared: boolean;
  /** The same, of what waits in the wait queue of the name: sets let others of their wait queue pass. */
  isInWaitQueue: boolean;
  /** One of them has options of its own: how its attempt fails may say nothing to the others. */
  isUnlike: boolean;
  /** When it came, or had asked how many permits there are, another one stood there, and it must not come before that. */
  isBehind: boolean;
}

/**
 * E1: whoever does not get a lock, or loses it, is told the true reason. `refused` if somebody had a quorum of the nodes,
 * `split` if nodes that gave the name to several made a quorum impossible, `unreachable` if not, `exhausted` if a quorum granted too late, or other tokens came in
 * between, `queued` if nobody was asked, `foreign` if what stands at the name on so many nodes is no lock of the layout
 * that no quorum was left, and nothing else; `taken` if so many nodes refused an extend that no quorum could confirm it,
 * or one says that an operator has ended it, or its process was granted the name just now, and one of the two locks
 * excludes all others. Adoptions have reasons of their own. Contention and silence are never taken
 * for each other.
 */
export function checkReasons(history: History, violate: Violate): void {
  const reasons = new Reasons(history.settings, new NodeLists(history));
  for (const event of history.events) {
    const message = reasons.see(event);
    if (message !== undefined) violate(event.atUs, message);
  }
}

/** Those of one process who ask for one name by one interface learn from each other's attempts. */
type Asking = Pick<CallEvent, "process" | "name" | "via">;

class Reasons {
  readonly #lists: NodeLists;
  readonly #isNarrow: boolean;
  readonly #steadyPpm: number;
  readonly #open = new Map<number, OpenCall>();
  /** By process, interface and name, in the order of their beginnings. */
  readonly #attempts = new Map<string, Ballot[]>();
  /** An attempt's acquire and seals are one ballot; every extend round is one of its own. */
  readonly #ballots = new Map<string, Ballot>();
  /** By owner. */
  readonly #extends = new Map<string, Ballot[]>();
  readonly #given = new Set<string>();
  /** Names of semaphores: they may have fewer permits than a caller knows. */
  readonly #resized = new Set<string>();
  /** Locks that were passed on just now, by process and name, to callers that have not settled yet. */
  #passedOn: { readonly at: string; readonly atUs: number }[] = [];
  /** By owner: one of each name. */
  readonly #grants = new Map<string, GrantEvent[]>();
  /** Owners who were told that an operator has ended their lock. */
  readonly #ended = new Set<string>();

  constructor({ isNarrow = false, steadyPpm }: HistorySettings, lists: NodeLists) {
    this.#steadyPpm = steadyPpm;
    this.#lists = lists;
    this.#isNarrow = isNarrow;
  }

  /** What is wrong with the event, if anything is. */
  see(event: HistoryEvent): string | undefined {
    switch (event.kind) {
      case "send":
        this.#onSend(event);
        return undefined;
      case "vote":
        if (event.told !== undefined) this.#onBegun(event);
        this.#ballots.get(ballotKey(event))?.see(event);
        if (event.isEnded === true) this.#ended.add(event.ownerId);
        return undefined;
      case "call":
        if (event.what === "acquire") this.#onCall(event);
        return undefined;
      case "size":
        this.#resized.add(event.name);
        return undefined;
      case "grant":
        getOrAdd(this.#grants, event.ownerId, () => []).push(event);
        return undefined;
      case "end":
        if (event.why === "given") this.#given.add(event.ownerId);
        return undefined;
      case "passed": {
        const { process, name, atUs } = event;
        this.#passedOn.push({ at: `${process} ${name}`, atUs });
        return undefined;
      }
      case "settle":
        return this.#onSettle(event);
      case "lost":
        return this.#onLost(event);
      default:
        return undefined;
    }
  }

  #onCall(call: CallEvent): void {
    const { process, name, via } = call;
    const own = [...this.#open.values()].filter(
      ({ call: other }) => other.process === process && other.via === via,
    );
    const waitQueue = own.filter(
      ({ call: other }) => waitQueueOf(other.name) === waitQueueOf(name),
    );
    const isUnlike = call.hasOwnOptions === true || waitQueue.some((other) => other.isUnlike);
    for (const other of waitQueue) {
      other.isInWaitQueue = true;
      other.isUnlike ||= isUnlike;
    }
    const others = waitQueue.filter((open) => open.call.name === name);
    for (const other of others) {
      other.isShared = true;
      const mayAskSize = this.#attemptsAt(other.call).length === other.firstAttempt;
      other.isBehind ||= mayAskSize && other.call.asksSize === true && other.call.isFair === true;
    }
    const firstAttempt = this.#attemptsAt(call).length;
    const [isShared, isInWaitQueue] = [others.length > 0, waitQueue.length > 0];
    // A set that lacks the name stands there as well, whatever its first name is.
    const isBehindSet = own.some(
      ({ call: other }) => isSet(other.name) && rootsOf(other.name).includes(name),
    );
    const isBehind = (isInWaitQueue || isBehindSet) && call.isFair === true;
    this.#open.set(call.call, { call, firstAttempt, isShared, isInWaitQueue, isUnlike, isBehind });
  }

  #onSend(event: SendEvent): void {
    const { op, ownerId } = event;
    const known = this.#ballotOf(event);
    if (op === "acquire") known?.ask(event.node, event.round);
    if (op === "release") this.#ballots.get(ownerId)?.onLost(event.atUs);
    if ((op !== "acquire" && op !== "extend") || known !== undefined) return;
    if (event.previous !== undefined && this.#given.has(event.previous)) return;
    const ballot = this.#onBegun(event);
    ballot.isAgain = event.isAgain === true;
    ballot.isPreempting = event.isPreempting === true;
    if (ballot.isPreempting) this.#onPreemption(event);
    ballot.isFromOutside = event.via === "redlock";
    if (op === "acquire") ballot.ask(event.node, event.round);
  }

  /** An attempt, by its first send or by the message of a node that has executed it; or a round of extends. */
  #onBegun(event: SendEvent | VoteEvent): Ballot {
    const known = this.#ballotOf(event);
    if (known !== undefined) return known;
    const ballot = new Ballot(this.#lists.of(event.process).length, event.atUs);
    this.#ballots.set(ballotKey(event), ballot);
    const of = event.op === "acquire" ? this.#attemptsAt({ via: undefined, ...event }) : undefined;
    (of ?? getOrAdd(this.#extends, event.ownerId, () => [])).push(ballot);
    return ballot;
  }

  /** A waiter goes on under its ownerId where all nodes have refused it: what follows is another attempt. */
  #ballotOf(event: SendEvent | VoteEvent): Ballot | undefined {
    const ballot = this.#ballots.get(ballotKey(event));
    const isWaiters =
      event.kind === "send" ? event.deferred !== undefined : event.told !== undefined;
    const mayGoOn = event.op === "acquire" && isWaiters;
    return mayGoOn && ballot?.isRefusedByAll === true ? undefined : ballot;
  }

  /** Those of its process gave way to it just now. */
  #onPreemption(event: SendEvent): void {
    for (const ballot of this.#attemptsAt(event)) {
      if (ballot.lostAtUs === event.atUs) ballot.isAborted = true;
    }
  }

  /** What was taken back in this instant was not lost by itself. If it was lost before, nobody hears why any more. */
  #onAbort(who: Asking, atUs: number): void {
    for (const ballot of this.#attemptsAt(who)) {
      const isLost = ballot.lostAtUs !== undefined;
      const isKnown = isLost && ballot.lostAtUs !== atUs && ballot.isOutOfReach;
      if (isLost && !isKnown) ballot.isAborted = true;
    }
  }

  #onSettle({ call, result, atUs }: SettleEvent): string | undefined {
    const open = this.#open.get(call);
    if (open === undefined) return undefined;
    this.#open.delete(call);
    const { process, name } = open.call;
    // Whoever gives up by itself may not even have asked.
    if (result === "aborted") {
      this.#onAbort(open.call, atUs);
      return undefined;
    }
    if (result === "tooMany" && rootsOf(name).some((root) => this.#resized.has(root)))
      return undefined;
    const own = this.#attemptsAt(open.call)
      .slice(open.firstAttempt)
      // It may be the attempt of another that stands in line with it, and has more time.
      .filter((ballot) => open.isShared || !this.#isTooLate(ballot, open.call, 1));
    // Whether it began with one that came at the end of its time, only its own clock says.
    const lastAt = own.findLastIndex((ballot) => !this.#isTooLate(ballot, open.call, -1));
    const candidates = open.isShared ? own : own.slice(Math.max(0, lastAt));
    // It was never admitted: whatever was asked was asked for others.
    if (result === "queued" && (open.isShared || own.length === 0)) return undefined;
    if (candidates.some((ballot) => this.#bears(ballot, result))) return undefined;
    if (result === "granted" && this.#takePassedOn(`${process} ${name}`, atUs)) return undefined;
    // One who stood in line is told how the attempt of another had ended, some time ago, and one that is
    // not admitted again how its own had. So is one who uses redlock's interface, when all votes are in.
    if (
      (open.isInWaitQueue || this.#isNarrow || open.call.via === "redlock") &&
      result === "unreachable" &&
      candidates.some((ballot) => this.#wasSilent(ballot, open.call))
    ) {
      return undefined;
    }
    if (result === "refused" && this.#hasYielded(open.call, atUs)) return undefined;
    // The last attempt was split, but an earlier one was told that somebody had the name.
    if (result === "refused" && own.some((ballot) => this.#bears(ballot, result))) return undefined;
    // Nor has one to ask who is refused because others of its process came before.
    const later = candidates.filter(
      ({ beganAtUs, isPreempting, isAgain }) =>
        beganAtUs > open.call.atUs && !isPreempting && !isAgain,
    );
    // Its time may have been over just before an attempt failed, in the same turn of the event loop.
    const isOutOfReach = later.some((ballot) => {
      const isReplaced = own.some((other) => ballot.isReplacedBy(other));
      return ballot.lostAtUs !== atUs && ballot.isOutOfReach && !isReplaced;
    });
    const isKnown = isOutOfReach && !open.isUnlike;
    if (open.isBehind && result === "refused" && !isKnown) return undefined;
    const votes = candidates.map((ballot) => ballot.inWords).join("; ");
    return `acquire of ${name} by ${process} was told ${result}: ${votes}`;
  }

  /** Nobody was asked for it. */
  #takePassedOn(at: string, atUs: number): boolean {
    this.#passedOn = this.#passedOn.filter((passed) => passed.atUs === atUs);
    const index = this.#passedOn.findIndex((passed) => passed.at === at);
    if (index >= 0) this.#passedOn.splice(index, 1);
    return index >= 0;
  }

  /** Too few had answered when it was lost, or when its time was over: what came after that decided nothing. */
  #wasSilent(ballot: Ballot, call: CallEvent): boolean {
    const { refusedWhenLost = 0, lostAtUs = 0, beganAtUs, toleratedCount } = ballot;
    if (refusedWhenLost <= toleratedCount) return true;
    return ballot.isUndecidedAt(Math.max(lostAtUs, beganAtUs + this.#nodeTimeoutUs(call)));
  }

  /** By a clock that may be fast. A call that others may let in has the time for one more attempt. */
  #nodeTimeoutUs({ withinMs, waitMs = 0, name, mode, owner, isStealing }: CallEvent): number {
    const isLonger =
      isPermit(name) || mode === "shared" || owner !== undefined || isStealing === true;
    const timeoutUs = ((withinMs - waitMs) * 1_000) / (isLonger ? 3 : 2);
    return timeoutUs * (1 - this.#steadyPpm / 1_000_000);
  }

  /**
   * Nodes executed what it had left there, and said so when its time was over: it does not begin with that.
   *
   * @param sign 1 if its clock is as slow as it may be, and -1 if it is as fast
   */
  #isTooLate({ isAsked, beganAtUs }: Ballot, call: CallEvent, sign: 1 | -1): boolean {
    const { atUs, waitMs = 0, withinMs } = call;
    // A candidate waits without limit.
    if (withinMs === Number.POSITIVE_INFINITY) return false;
    const waitUs = waitMs * 1_000 * (1 + (sign * this.#steadyPpm) / 1_000_000);
    return !isAsked && beganAtUs > atUs + waitUs;
  }

  /** Another request of its process began, just now, to steal the name; its attempt was rolled back for that. */
  #hasYielded(call: CallEvent, atUs: number): boolean {
    const isStolen = [...this.#open.values()].some(({ call: thief }) => {
      const isThief = thief.isStealing === true && thief.process === call.process;
      if (!isThief || !rootsOf(call.name).includes(thief.name)) return false;
      const hasAsked = this.#attemptsAt(thief).some(
        ({ isPreempting, beganAtUs }) => isPreempting && beganAtUs === atUs,
      );
      return hasAsked || thief.atUs === atUs;
    });
    return isStolen && this.#attemptsAt(call).some(({ lostAtUs }) => lostAtUs === atUs);
  }

  #bears(ballot: Ballot, result: string): boolean {
    // Nobody else could have asked at the same moment, or it is not told whom the nodes name.
    const isAlone = ballot.isAgain || ballot.isPreempting || ballot.isFromOutside;
    const { nodeCount, quorum, toleratedCount } = ballot;
    const isRefused = ballot.refused.size > toleratedCount;
    const { answeredCount } = ballot;
    const isHeld = isAlone ? isRefused : ballot.mostCount >= quorum;
    const mayBeHeld = ballot.mostCount + nodeCount - answeredCount >= quorum;
    const isUnknown = answeredCount < quorum || mayBeHeld;
    if (result === "refused") return isHeld;
    // A quorum had granted it, but did not store its token.
    const isUnsealed = ballot.granted.size >= quorum;
    if (result === "unreachable") {
      const isOpen = !isAlone && !isHeld && isUnknown;
      return isOpen || ((isAlone || isUnsealed) && !isRefused);
    }
    if (result === "split") return !isAlone && !isHeld && !isUnknown;
    if (result === "foreign") return ballot.foreign.size > toleratedCount;
    if (result === "queued") return false;
    return result === "granted" || (result === "exhausted" && ballot.granted.size >= quorum);
  }

  #onLost(event: LostEvent): string | undefined {
    const { reason, ownerId, name } = event;
    if (reason !== "taken" || this.#ended.has(ownerId) || this.#isDisproved(event))
      return undefined;
    const rounds = this.#extends.get(ownerId) ?? [];
    if (rounds.some(({ refused, toleratedCount }) => refused.size > toleratedCount))
      return undefined;
    const votes = rounds.map((ballot) => ballot.inWords).join("; ");
    return `${ownerId} was told that ${name} is taken: ${votes}`;
  }

  /** Its process was granted the name, and both cannot hold it. */
  #isDisproved({ ownerId, process, atUs }: LostEvent): boolean {
    const own = this.#grants.get(ownerId) ?? [];
    const names = own.map(({ name }) => rootOf(name));
    const isExclusive = own.every(excludesAll);
    return [...this.#grants.values()].flat().some((grant) => {
      const isAnother = grant.ownerId !== ownerId && grant.process === process;
      const isNow = grant.atUs === atUs && names.includes(rootOf(grant.name));
      return isAnother && isNow && (isExclusive || excludesAll(grant));
    });
  }

  #attemptsAt({ process, name, via }: Asking): Ballot[] {
    // Attempts are at one permit or another, for a call that wants any.
    const key = `${process} ${via ?? "manager"} ${waitedFor(name)}`;
    return getOrAdd(this.#attempts, key, () => []);
  }
}

function excludesAll({ name, mode, owner }: GrantEvent): boolean {
  return mode === undefined && owner === undefined && !isPermit(name);
}

function ballotKey({ op, ownerId, round }: Pick<SendEvent, "op" | "ownerId" | "round">): string {
  return op === "acquire" || op === "seal" ? ownerId : `round ${round}`;
}
