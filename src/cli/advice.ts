import { codeOf } from "./exit-codes.js";

const DOCTOR = "`quorate doctor` says what is wrong with each";

/** What the library's errors advise its callers to do, and what that is on the command line. */
export const ADVICE: readonly (readonly [ofLibrary: string, here: string])[] = [
  ["Wait for it with `waitMs`, or use `tryAcquire`", "Try again later, or wait for it with --wait"],
  ["or wait for it with `waitMs`", "or wait for it with --wait"],
  ["raise `waitMs`", "wait longer with --wait"],
  ["`error.votes` and `locks.nodes` have the reason for each", DOCTOR],
  ["`locks.nodes` has the reason for each", DOCTOR],
  ["`error.votes` has the reason for each node", "Check the nodes with `quorate doctor`"],
  ["and `error.nodes` has the rest", "and `quorate doctor` has the rest"],
  ["`error.listDifference` has both lists", "while they are being changed, pass --nodes-changed"],
  ["`maxTtlMs` on record", "--max-ttl on record"],
  [
    "Set `maxTtlMs`, which raises it for every client, or use a shorter ttl",
    "Set --max-ttl, which raises it for every client, or use a shorter --ttl or --lock-delay",
  ],
  ["aise `ttlMs`", "aise --ttl"],
  ["held for `maxHoldMs`", "held for --max-hold"],
  ["raise `maxHoldMs`", "raise --max-hold"],
  ["or another `keyPrefix`", "or another --key-prefix"],
  [
    "Give the same number everywhere, or `resize` the semaphore",
    "Give the same --permits everywhere",
  ],
];

/** The message of an error. One of the library gives advice that can be followed on the command line. */
export function adviceOf(error: Error): string {
  if (codeOf(error)?.startsWith("QUORATE_") !== true) return error.message;
  return ADVICE.reduce((text, [ofLibrary, here]) => text.replace(ofLibrary, here), error.message);
}
