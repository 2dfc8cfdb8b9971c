import { detailOf, firstOf, quoted, type ErrorText } from "./error-text.js";
import { QuorateError } from "./errors.js";
import type { NodeStatus } from "./events.js";
import type { LockLayout } from "../protocol/lock-layout.js";
import type { NodeVote } from "./tally.js";

const REMEDY = "Use another name, or another `keyPrefix`";
/** As between the `SETNX` and the `EXPIRE` of code that takes locks by hand. */
const OR_DELETE = "; or delete it, if it is a lock whose client crashed before it set the expiry";

/** The lock key holds data that is not a lock. It was not changed. */
export class ForeignKeyError extends QuorateError {
  readonly code: "QUORATE_FOREIGN_KEY" | "QUORATE_MIXED_LAYOUT" = "QUORATE_FOREIGN_KEY";
  /** With several names: the key that caused the error. */
  readonly key: string;
  /** What it holds: a Redis type, or a layout. */
  readonly found: string;

  constructor(
    lockName: string,
    key: string,
    found: string,
    votes: readonly NodeVote[],
    text: ErrorText = {
      happened: `key ${quoted(key)} holds data that is not a lock (${found})`,
      remedy: found.endsWith("without expiry") ? REMEDY + OR_DELETE : REMEDY,
    },
  ) {
    super(text, lockName, votes);
    this.key = key;
    this.found = found;
  }
}

/**
 * The same name is locked in another layout. That lock was not changed. Whether it is held now does not matter:
 * clients with different layouts do not agree about when it is free.
 */
export class MixedLayoutError extends ForeignKeyError {
  override readonly code = "QUORATE_MIXED_LAYOUT";
  declare readonly found: LockLayout;
  /** In which layout it was to be locked. */
  readonly expected: LockLayout;

  constructor(
    lockName: string,
    key: string,
    layouts: { readonly found: LockLayout; readonly expected: LockLayout },
    votes: readonly NodeVote[],
  ) {
    const { found, expected } = layouts;
    const happened = `key ${quoted(key)} holds a lock in the layout "${found}", not "${expected}"`;
    const remedy = "Let all users of the name have one `layout`";
    super(lockName, key, found, votes, { happened, remedy });
    this.expected = expected;
  }
}

/**
 * The name is a semaphore of another number of permits on the nodes, held by others; they were not
 * touched. All who use a name have to agree on its permits, unless it is resized.
 */
export class PermitsMismatchError extends QuorateError {
  readonly code = "QUORATE_PERMITS_MISMATCH";
  /** As the caller specified it. */
  readonly permits: number;
  /** As stored on the nodes. */
  readonly foundPermits: number;
  constructor(lockName: string, permits: number, foundPermits: number, votes: readonly NodeVote[]) {
    const found = `a semaphore of ${foundPermits} permits on the nodes`;
    const happened = `${quoted(lockName)} is ${found}, not of ${permits}`;
    const remedy = "Give the same number everywhere, or `resize` the semaphore";
    super({ happened, remedy }, lockName, votes);
    this.permits = permits;
    this.foundPermits = foundPermits;
  }
}

/** A ttl that is longer than the records allow for. */
export interface RecordedTtl {
  readonly neededMs: number;
  readonly recordedMs: number;
}

interface Misconfiguration {
  readonly listDifference?: string | undefined;
  readonly recordedTtl?: RecordedTtl | undefined;
}

function ttlText(lockName: string, ttl: RecordedTtl | undefined): ErrorText | undefined {
  if (ttl === undefined) return undefined;
  const who = lockName === "" ? "locks of this manager" : quoted(lockName);
  const happened = `${who} would last ${ttl.neededMs} ms, and the nodes allow for ${ttl.recordedMs} ms (\`maxTtlMs\` on record)`;
  return {
    happened,
    remedy: "Set `maxTtlMs`, which raises it for every client, or use a shorter ttl",
  };
}

/** Nodes are set up so that they must not vote: credentials, role, eviction, a server twice. */
export class MisconfiguredError extends QuorateError {
  readonly code = "QUORATE_MISCONFIGURED";
  /** From {@link LockManager.ready}, which asks for no votes: all nodes, in configured order. */
  readonly nodes: readonly NodeStatus[];
  /** Both lists of nodes, where those of this client and on record differ. */
  readonly listDifference: string | undefined;
  /** What a lock needs of the longest ttl on the nodes' records, and what they have, where that is less, ms. */
  readonly recordedTtl: RecordedTtl | undefined;
  constructor(
    lockName: string,
    votes: readonly NodeVote[],
    nodes: readonly NodeStatus[] = [],
    { listDifference, recordedTtl }: Misconfiguration = {},
  ) {
    const list = [
      ...nodes.flatMap(({ node, state, detail }) =>
        state === "misconfigured" ? detailOf(node, detail) : [],
      ),
      ...votes.flatMap(({ node, fault, message = "" }) =>
        fault === "misconfigured" ? detailOf(node, message) : [],
      ),
    ];
    const text =
      ttlText(lockName, recordedTtl) ??
      (listDifference === undefined
        ? {
            happened: `nodes are misconfigured (${firstOf(list)})`,
            remedy: "Mend them: `locks.nodes` has the reason for each",
          }
        : {
            happened: `clients have other nodes: ${listDifference}`,
            remedy: "Let all have the same nodes: `error.listDifference` has both lists",
          });
    super(text, lockName, votes);
    this.recordedTtl = recordedTtl;
    this.nodes = nodes;
    this.listDifference = listDifference;
  }
}
