import type { GivenLock } from "../api/lock.js";
import { show } from "../runtime/validate.js";
import { checkName } from "../options/name-keys.js";
import { OPTIONS } from "../options/table.js";
import type { LockKind } from "../protocol/lock-kind.js";
import { isOwnerId } from "../protocol/owner-id.js";

/** @throws RangeError for a lock that only its own process can hold. */
export function checkGivable({ name, allows, words }: LockKind): void {
  if (allows.transfer) return;
  throw new RangeError(`${words} cannot be handed over to another process: ${show(name)}`);
}

/**
 * @param json the result of `handOver`, or the same as text
 * @throws TypeError or RangeError that names the field and its value.
 */
export function checkedGivenLock(json: unknown): GivenLock {
  const given = typeof json === "string" ? parsed(json) : json;
  if (typeof given !== "object" || given === null) {
    throw new TypeError(`\`json\` must be what lock.handOver() gave, got ${show(given)}`);
  }
  const field = (name: keyof GivenLock): unknown => (given as Partial<GivenLock>)[name];
  const expect = (name: keyof GivenLock, isRight: boolean, what: string): void => {
    if (isRight) return;
    throw new TypeError(`\`json.${name}\` must be ${what}, got ${show(field(name))}`);
  };
  expect(
    "kind",
    field("kind") === "quorate-lock",
    '"quorate-lock" as in what lock.handOver() gave',
  );
  expect("version", field("version") === 1, "1");
  const [name, ownerId, token, ttlMs] = [
    field("name"),
    field("ownerId"),
    field("fencingToken"),
    field("ttlMs"),
  ];
  checkName(name, "json.name");
  expect("lockKey", typeof field("lockKey") === "string", "a string");
  expect("mode", field("mode") === "exclusive", '"exclusive"');
  // The message does not show the value: it may be a secret with a typo.
  if (typeof ownerId !== "string" || !isOwnerId(ownerId)) {
    throw new TypeError("`json.ownerId` must be the ownerId of a lock");
  }
  // It decides nothing here: nodes draw the next one. That of a node whose clock is ahead may be, too.
  const isToken = Number.isSafeInteger(token) && Number(token) >= 0;
  expect("fencingToken", isToken, "a safe integer");
  expect("ttlMs", Number.isSafeInteger(ttlMs) && Number(ttlMs) > 0, "an integer number of ms");
  const minHoldMs = field("minHoldMs");
  if (minHoldMs !== undefined) OPTIONS.minHoldMs.check("json.minHoldMs", minHoldMs);
  return given as GivenLock;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TypeError("`json` must be what lock.handOver() gave, got a text that is no JSON");
  }
}
