import { show, wellFormed } from "../runtime/validate.js";

/**
 * What a store must know about a lock: its name and its fencing token. A `Lock` is a grant: `fence.run(lock, ...)`.
 * A service that received both over the network uses `{ name, fencingToken }`.
 */
export interface Grant {
  /**
   * Name of the lock, not empty. The fence is kept under this name, so that everything that one lock protects shares
   * one fence. With a fence per record, a late write to a record that the new holder has not written yet would be
   * accepted.
   */
  readonly name: string;
  /** The fencing token: an integer from 1 to 2^53 - 1. `undefined` is rejected. */
  readonly fencingToken: number | undefined;
}

/** A grant whose name and token have been checked. */
export interface CheckedGrant extends Grant {
  readonly fencingToken: number;
}

/**
 * @throws TypeError for a grant without a token, or with a name or token of the wrong type
 * @throws RangeError for an empty name, or a token that is not an integer from 1 to 2^53 - 1
 */
export function checkGrant(grant: Grant): CheckedGrant {
  if (typeof grant !== "object" || grant === null || grant instanceof Promise) {
    throw new TypeError(`\`grant\` must be a lock or { name, fencingToken }, got ${show(grant)}`);
  }
  const { name, fencingToken } = grant;
  if (wellFormed("name", name) === "") throw new RangeError('`name` must not be empty, got ""');
  if (fencingToken === undefined) {
    throw new TypeError(
      `"${name}" has no fencing token: pass a lock, or the token that came with the name`,
    );
  }
  return { name, fencingToken: checkToken("fencingToken", fencingToken) };
}

/** Beyond 2^53 - 1, JavaScript and Lua round integers: one token could pass for another. */
export function checkToken(option: string, fencingToken: unknown): number {
  if (typeof fencingToken !== "number") {
    throw new TypeError(`\`${option}\` must be a number, got ${show(fencingToken)}`);
  }
  if (!Number.isSafeInteger(fencingToken) || fencingToken < 1) {
    throw new RangeError(
      `\`${option}\` must be an integer from 1 to 2^53 - 1, got ${fencingToken}`,
    );
  }
  return fencingToken;
}
