import { bytesOf, textOf } from "../src/memory/bytes.js";
import { MARKERS, NO_NUMBER, OWN_FIELDS } from "../src/protocol/markers.js";
import { semaphoreIn } from "../src/protocol/semaphore-size.js";
import type { NameKeys, Standing, StandingKind } from "./standing-recorder.js";

/** Precedes the ownerId in the field of each hold. */
const HOLD_FIELD = `${OWN_FIELDS}hold:`;

/** Readers: the members of the set beside the lock key, by the end of each. */
export const READERS: StandingKind = {
  isMarked: ({ text }) => text === MARKERS.shared,
  standingIn: ({ name, lock, beside }) =>
    membersOf(lock && beside).map(([ownerId, expiresAtMs]) => {
      return { name, mode: "shared", ownerId, expiresAtMs };
    }),
};

/** Holders of permits: the same, with the permit of each. A client whose turn it is has no permit yet. */
export const PERMITS: StandingKind = {
  isMarked: ({ text }) => semaphoreIn(text) !== undefined,
  standingIn: ({ name, lock, beside }) =>
    membersOf(lock && beside).flatMap(([member, expiresAtMs]) => {
      const colon = member.indexOf(":");
      const [permit, ownerId] = [member.slice(0, colon), member.slice(colon + 1)];
      const isTurn = ownerId.startsWith(MARKERS.turn);
      return isTurn ? [] : { name: `${name}#${permit}`, ownerId, expiresAtMs };
    }),
};

/** Holds of an owner, which the lock key names: in a hash, which in the layout of Redisson is the lock key itself. */
export const HOLDS: StandingKind = {
  isMarked: ({ text, fields }) => text.startsWith(MARKERS.owned) || fields !== undefined,
  standingIn: (keys) => holdsIn(keys),
  countIn: (keys, { fields }) => {
    const owner = ownerIn(keys);
    if (owner === undefined || fields === undefined || isForeign(keys)) return undefined;
    const isNameless = fields.has(bytesOf(HOLD_FIELD + owner));
    return isNameless ? undefined : { owner, count: Number(fields.get(bytesOf(owner)) ?? 0) };
  },
};

function membersOf(stored: NameKeys["beside"]): (readonly [member: string, score: number])[] {
  return (stored?.members ?? []).map(([member, score]) => [textOf(member), score]);
}

function holdsIn(keys: NameKeys): Standing[] {
  const { name, lock, beside } = keys;
  const owner = ownerIn(keys);
  if (lock === undefined || owner === undefined) return [];
  if (isForeign(keys)) {
    const { expiresAtMs } = lock;
    return threadsIn(lock.fields).map((ownerId) => ({ name, ownerId, expiresAtMs }));
  }
  const holds = [...(lock.fields ?? beside?.fields ?? [])];
  return holds
    .filter(([field]) => field.startsWith(HOLD_FIELD))
    .map(([field, value]) => {
      const ownerId = textOf(field.slice(HOLD_FIELD.length));
      // In the layout of Redisson it is marked.
      const expiresAtMs = Number(
        value.startsWith(NO_NUMBER) ? value.slice(NO_NUMBER.length) : value,
      );
      const hold = { name, ownerId, expiresAtMs };
      // A hold without a named owner is its own owner.
      return ownerId === owner ? hold : { ...hold, owner };
    });
}

/** The owner of the holds. */
function ownerIn({ lock }: NameKeys): string | undefined {
  if (lock?.text.startsWith(MARKERS.owned) === true) return lock.text.slice(MARKERS.owned.length);
  const fields = [...(lock?.fields?.keys() ?? [])];
  const owner = fields.find((field) => !field.startsWith(OWN_FIELDS));
  return owner === undefined ? undefined : textOf(owner);
}

/**
 * No hold of ours exists there, or a read-write lock of Redisson has entered, which leaves existing fields as they
 * are.
 */
function isForeign({ lock }: NameKeys): boolean {
  const fields = lock?.fields;
  if (fields === undefined) return false;
  return fields.has("mode") || ![...fields.keys()].some((field) => field.startsWith(HOLD_FIELD));
}

/** Threads of Redisson, excluding those from before a read-write lock entered. */
function threadsIn(fields: ReadonlyMap<string, string> = new Map()): string[] {
  const names = [...fields.keys()].filter((field) => !field.startsWith(OWN_FIELDS));
  return names.slice(names.indexOf("mode") + 1).map(textOf);
}
