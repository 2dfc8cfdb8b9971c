import { show, wellFormed } from "../validate.js";

/**
 * What a store has to know of a lock: what it was granted for, and by which grant. A `Lock` is one,
 * so that `fence.run(lock, ...)` does; `{ name, fencingToken }` is one that came over a wire.
 */
export interface Grant {
  /**
   * What is protected. The fence is kept under this name, so that all that one lock protects has one
   * fence: with a fence per record, a late write to a record that the new holder has not touched
   * yet would pass.
   */
  readonly name: string;
  /** The token of the grant; `undefined` (a lock with `fencing: false`) is refused. */
  readonly fencingToken: number | undefined;
}

/** A grant whose token was checked. */
export interface CheckedGrant extends Grant {
  readonly fencingToken: number;
}

/**
 * @throws TypeError for a grant without a token, or whose parts are of the wrong type
 * @throws RangeError for an empty name, or a token that is no safe integer from 1
 */
export function checkGrant(grant: Grant): CheckedGrant {
  if (typeof grant !== "object" || grant === null) {
    throw new TypeError(`\`grant\` must be a lock or { name, fencingToken }, got ${show(grant)}`);
  }
  const { name, fencingToken } = grant;
  if (wellFormed("name", name) === "") throw new RangeError('`name` must not be empty, got ""');
  if (fencingToken === undefined) {
    throw new TypeError(`"${name}" has no fencing token: was it locked with \`fencing: false\`?`);
  }
  return { name, fencingToken: checkToken("fencingToken", fencingToken) };
}

/** Beyond 2^53 - 1 neither JavaScript nor Lua counts in ones: such a token could pass for another. */
export function checkToken(option: string, fencingToken: unknown): number {
  if (typeof fencingToken !== "number") {
    throw new TypeError(`\`${option}\` must be a number, got ${show(fencingToken)}`);
  }
  if (!Number.isSafeInteger(fencingToken) || fencingToken < 1) {
    throw new RangeError(`\`${option}\` must be a safe integer from 1, got ${fencingToken}`);
  }
  return fencingToken;
}
