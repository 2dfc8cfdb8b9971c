import { createHash } from "node:crypto";
import { FENCE_STEP, MAX_FENCE } from "../protocol/fencing.js";
import {
  inboxChannel,
  RECORD_KEY,
  RESERVED_PREFIX,
  WAITING_KEY,
  watchChannel,
} from "../protocol/keys.js";
import { MARKERS, NO_NUMBER, OWN_FIELDS } from "../protocol/markers.js";
import { NO_RECORD } from "../protocol/record.js";
import { MAX_SIGNS, RENEWED_BY_MS, SIGN_INEXACT_MS } from "../protocol/overdue.js";
import { OWNER_BEGINNING, OWNER_INBOX, SHOWN_OWNER } from "../protocol/owner-id.js";
import { MAX_PERMITS, MAX_SIZE_VERSION } from "../protocol/semaphore-size.js";
import { MIN_REFRESH_MS, PLACE_MS } from "../protocol/node-queue.js";
import { END_MS, FIRST_MS, FIRST_SECONDS, TIMESTAMP_MARGIN_MS } from "../protocol/lock-layout.js";
import { OBSERVED_LENGTH, WATCH_MS } from "../protocol/watching.js";
import { batchScript } from "./embedded-lua.js";
import { PLACES } from "./batch-encoder.js";

/**
 * Added to the score of a place's last refresh, so that it sorts after every ticket (microseconds since 1970, until
 * 2112).
 */
const LEASES_FROM = 2 ** 52;

/** Constants shared with the TypeScript sources. Each Lua file declares which of them it uses. */
const CONSTANTS = {
  ...PLACES,
  END_MS,
  FENCE_STEP,
  FIRST_MS,
  FIRST_SECONDS,
  INBOX_CHANNEL: inboxChannel(""),
  LEASES_FROM,
  MAX_FENCE,
  MAX_PERMITS,
  MAX_SIGNS,
  MAX_SIZE_VERSION,
  MIN_REFRESH_MS,
  NO_NUMBER,
  NO_RECORD,
  OBSERVED_LENGTH,
  OWN_FIELDS,
  OWNER_PREFIX: MARKERS.owned,
  PERMITS_HOLDER: MARKERS.semaphore,
  PLACE_MS,
  RECORD_KEY,
  RENEWED_BY_MS,
  RESERVATION: MARKERS.turn,
  RESERVED_PREFIX,
  SHARED_HOLDER: MARKERS.shared,
  OWNER_BEGINNING,
  OWNER_INBOX,
  SHOWN_OWNER,
  SIGN_INEXACT_MS,
  TIMESTAMP_MARGIN_MS,
  WAITING_KEY,
  WATCH_CHANNEL: watchChannel(""),
  WATCH_MS,
} satisfies Readonly<Record<string, string | number>>;

/** As Lua literals. */
function inLua<Name extends string>(
  constants: Readonly<Record<Name, string | number>>,
): Record<Name, string> {
  const literals = Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]);
  return Object.fromEntries(literals) as Record<Name, string>;
}

/** The one script for all operations: a list of operations in, a list of answers out; see batch.lua. */
export const BATCH_SCRIPT = batchScript(inLua(CONSTANTS));

/** The hash by which the server knows {@link BATCH_SCRIPT} once it has loaded it. */
export const BATCH_SHA = createHash("sha1").update(BATCH_SCRIPT).digest("hex");
