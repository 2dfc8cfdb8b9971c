import { QuorateError } from "./errors.js";

/**
 * - `self`: without `reentrant: true` the acquire would wait for the caller's own lock
 * - `upgrade`: a lock is joined as what it is; the exclusive one would wait for the shared one, one of
 *   another owner for that of the first, and one without a fencing token gets none
 * - `partial`: the lock has some of the requested names, but not all
 * - `outside`: `acquire` and `tryAcquire` join, and there is nothing to join
 */
export type ReentryProblem = "self" | "upgrade" | "partial" | "outside";

/** The lock that the caller's async context has already. */
export interface HeldAlready {
  readonly names: readonly string[];
  readonly mode: "exclusive" | "shared";
  readonly fencingToken: number | undefined;
}

/** The caller's async context cannot join the lock that it has, or has none. Nothing was sent. */
export class ReentryError extends QuorateError {
  readonly code = "QUORATE_REENTRY";
  readonly problem: ReentryProblem;
  readonly held: HeldAlready | undefined;
  constructor(lockName: string, problem: ReentryProblem, held?: HeldAlready) {
    super(REENTRY_TEXT[problem](lockName, held), lockName, []);
    this.problem = problem;
    this.held = held;
  }
}

const REENTRY_TEXT: Readonly<
  Record<ReentryProblem, (lockName: string, held: HeldAlready | undefined) => string>
> = {
  self: (name, held) =>
    `"${name}" would wait for itself: this async context holds ${inWords(held)}. ` +
    "Expected `reentrant: true` to join it, or `reentrant: false` for a separate lock",
  upgrade: (name, held) =>
    `"${name}" cannot be joined as another kind of lock: this async context holds ${inWords(held)}. ` +
    "Expected the same mode, owner and layout, and no fencing token where there is none; for others, release it first",
  partial: (name, held) =>
    `"${name}" cannot be joined: this async context holds ${inWords(held)}, and not the rest. ` +
    "Expected names of that lock only, or none of them",
  outside: (name) =>
    `"${name}" is not held by this async context, and only \`request\` can begin one. ` +
    "Expected to run within the callback of a `request` with `reentrant: true`",
};

function inWords(held: HeldAlready | undefined): string {
  if (held === undefined) return "nothing";
  const { names, mode, fencingToken } = held;
  return `"${names.join(", ")}" (${mode}, fencing token ${fencingToken ?? "none"})`;
}
