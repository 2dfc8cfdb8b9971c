import type { NameKeys } from "../protocol/keys.js";
import { slotsOf } from "../protocol/slots.js";

/** As what a history knows the lock: a permit has a name of its own, see `check/names`. */
export function historyName(keys: NameKeys): string {
  const slots = slotsOf(keys);
  return slots === undefined ? keys.name : `${keys.name}#${slots.slot ?? ""}`;
}
