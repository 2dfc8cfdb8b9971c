import { majority, type VoteEvent } from "./history.js";

/** A timer is called no later than this, µs: it counts whole milliseconds, and is late. */
const TIMER_US = 5_000;

/** The votes of one attempt (its acquire round and its seals), or of one extend round. */
export class Ballot {
  readonly granted = new Set<number>();
  readonly refused = new Set<number>();
  /** Of these: whom each named. */
  readonly #holders = new Map<number, string | undefined>();
  /** By node: the round in which it was asked last. */
  readonly #asked = new Map<number, number>();
  /** Of these: nodes with a value that is not a lock of the layout. */
  readonly foreign = new Set<number>();
  /** How many were known to have refused when it was given up. */
  refusedWhenLost: number | undefined;
  /** When that was. */
  lostAtUs: number | undefined;
  /** Since when it {@link isOutOfReach}. */
  outOfReachAtUs: number | undefined;
  /** It asked only where its owner already held the lock: its outcome says nothing to others. */
  isAgain = false;
  /** It was rolled back, whatever the nodes would have said: its caller gave up, or yielded to a preemptor. */
  isAborted = false;
  /** A stealing request is in no wait queue: it learns nothing for waiters. */
  isPreempting = false;
  /** Asked by another interface, which does not tell a split from contention. */
  isFromOutside = false;
  readonly #faults = new Set<number>();
  /** Of its acquire: when each node answered, the last time that it was asked. */
  readonly #answeredAtUs = new Map<number, number>();
  readonly nodeCount: number;
  readonly quorum: number;
  readonly #seen = new Set<string>();

  readonly beganAtUs: number;

  constructor(nodeCount: number, beganAtUs: number) {
    this.beganAtUs = beganAtUs;
    this.nodeCount = nodeCount;
    this.quorum = majority(nodeCount);
  }

  get inWords(): string {
    const by = [...this.#holders.values()].map((holder) => holder ?? "somebody").join(", ");
    return `${this.granted.size} granted, ${this.refused.size} refused (${by})`;
  }

  /** Nodes that one other had, as they say; all without an owner of their own are one. */
  get mostCount(): number {
    return this.#mostAmong(this.#holders.keys());
  }

  /** Nodes that have granted it, or refused it: or both, its acquire and then its token. */
  get answeredCount(): number {
    return new Set([...this.granted, ...this.refused]).size;
  }

  /** Whether the nodes that had not answered by then can complete a quorum of one other, and decide why it is lost. */
  isUndecidedAt(atUs: number): boolean {
    const answered = [...this.#answeredAtUs].filter(([, us]) => us <= atUs).map(([node]) => node);
    const most = this.#mostAmong(answered);
    return most < this.quorum && most + this.nodeCount - answered.length >= this.quorum;
  }

  #mostAmong(nodes: Iterable<number>): number {
    const counts = new Map<string | undefined, number>();
    for (const node of nodes) {
      if (!this.refused.has(node)) continue;
      const holder = this.#holders.get(node);
      counts.set(holder, (counts.get(holder) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  }

  get toleratedCount(): number {
    return this.nodeCount - this.quorum;
  }

  /** A node is asked. If it has refused, and is asked again, that no longer counts. */
  ask(node: number, round: number): void {
    if (this.#asked.has(node) && this.#asked.get(node) !== round) this.#forgetRefusal(node);
    this.#asked.set(node, round);
  }

  /** A node was; or nodes have only said that they executed what was left there. */
  get isAsked(): boolean {
    return this.#asked.size > 0;
  }

  #forgetRefusal(node: number): void {
    this.refused.delete(node);
    this.#holders.delete(node);
    this.#seen.delete(`acquire ${node}`);
  }

  get isRefusedByAll(): boolean {
    return this.refused.size === this.nodeCount;
  }

  /** Its rollback is being sent. */
  onLost(atUs: number): void {
    this.refusedWhenLost ??= this.refused.size;
    this.lostAtUs ??= atUs;
    if (this.isOutOfReach) this.outOfReachAtUs ??= atUs;
  }

  /** It lost without being aborted, and with too many known faults for refusals to be the reason. */
  get isOutOfReach(): boolean {
    const { nodeCount } = this;
    const hasFailed = !this.isAborted && this.granted.size < this.quorum;
    const pendingCount = nodeCount - this.granted.size - this.refused.size - this.#faults.size;
    const mayBeRefused = this.refused.size + pendingCount > this.toleratedCount;
    return this.lostAtUs !== undefined && hasFailed && !mayBeRefused && this.#isKnown(pendingCount);
  }

  /** What the silent nodes will say does not matter: the others cannot show that the nodes are split. */
  #isKnown(silentCount: number): boolean {
    // It is not told whom the nodes name, or does not ask.
    if (this.isAgain || this.isPreempting || this.isFromOutside) return true;
    const { mostCount, answeredCount, quorum } = this;
    if (silentCount === 0 || answeredCount + silentCount < quorum) return true;
    return mostCount + silentCount < quorum && mostCount + this.#faults.size >= quorum;
  }

  see({ op, node, vote, holder, isForeign, told, atUs }: VoteEvent): void {
    // It has executed since what it had refused.
    if (told !== undefined && this.refused.has(node)) this.#forgetRefusal(node);
    const key = `${op} ${node}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (op === "acquire" && vote !== "fault") this.#answeredAtUs.set(node, atUs);
    if (isForeign === true) this.foreign.add(node);
    if (vote === "fault") this.#faults.add(node);
    else if (vote === "refused") {
      this.refused.add(node);
      this.#holders.set(node, holder);
    }
    // Later ones are at best as good, and a fence above the token is no refusal.
    else if (vote === "granted" && op !== "seal" && this.granted.size < this.quorum) {
      this.granted.add(node);
    }
    if (this.isOutOfReach) this.outOfReachAtUs ??= atUs;
  }

  /** Its process was to ask anew before it was known that too few nodes can be reached. It asks by a timer. */
  isReplacedBy({ beganAtUs }: Ballot): boolean {
    const { lostAtUs, outOfReachAtUs } = this;
    if (lostAtUs === undefined || outOfReachAtUs === undefined) return false;
    return lostAtUs < beganAtUs && beganAtUs < outOfReachAtUs + TIMER_US;
  }
}
