import { quoted, type ErrorText } from "./error-text.js";
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
    super(REENTRY_TEXT[problem](quoted(lockName), inWords(held)), lockName, []);
    this.problem = problem;
    this.held = held;
  }
}

const REENTRY_TEXT: Readonly<Record<ReentryProblem, (name: string, held: string) => ErrorText>> = {
  self: (name, held) => ({
    happened: `${name} would wait for itself: this async context holds ${held}`,
    remedy: "Pass `reentrant: true` to join it, or `false` for a separate lock",
  }),
  upgrade: (name, held) => ({
    happened: `${name} cannot be joined as another kind of lock than ${held}`,
    remedy: "Ask for the same mode and owner, or release the other lock first",
  }),
  partial: (name, held) => ({
    happened: `${name} cannot be joined: this async context holds ${held}, and not the rest`,
    remedy: "Ask for names of that lock only, or for none of them",
  }),
  outside: (name) => ({
    happened: `${name} is not held by this async context, and only \`request\` can begin one`,
    remedy: "Call it within the callback of a `request` with `reentrant: true`",
  }),
};

function inWords(held: HeldAlready | undefined): string {
  if (held === undefined) return "nothing";
  const { names, mode, fencingToken } = held;
  return `${quoted(names.join(", "))} (${mode}, fencing token ${fencingToken ?? "none"})`;
}
