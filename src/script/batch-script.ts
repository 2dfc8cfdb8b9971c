import { createHash } from "node:crypto";
import { ENDED_KEY, inboxChannel } from "../protocol/keys.js";
import { PLACE_MS } from "../protocol/place.js";
import { OWN_FIELDS, OWNER_PREFIX } from "../protocol/owned.js";
import { END_MS, FIRST_MS, FIRST_SECONDS, TIMESTAMP_MARGIN_MS } from "../protocol/timestamps.js";
import { BATCH_LUA, type BatchConstant } from "./embedded-lua.js";

/** Scores of when places were refreshed: behind every ticket, in microseconds since 1970 until 2112. */
const LEASES_FROM = 2 ** 52;

/** What the script has in common with the rest; its files say which of them they use. */
const CONSTANTS: Readonly<Record<BatchConstant, string | number>> = {
  END_MS,
  ENDED_KEY,
  FIRST_MS,
  FIRST_SECONDS,
  LEASES_FROM,
  PLACE_MS,
  INBOX_CHANNEL: inboxChannel(""),
  OWN_FIELDS,
  OWNER_PREFIX,
  TIMESTAMP_MARGIN_MS,
};

/** The one script for all operations: a list of operations in, a list of answers out; see batch.lua. */
export const BATCH_SCRIPT = `local ${Object.keys(CONSTANTS).join(", ")} = ${Object.values(CONSTANTS)
  .map((value) => JSON.stringify(value))
  .join(", ")}\n${BATCH_LUA}`;

/** By which the server knows {@link BATCH_SCRIPT} once it has seen it. */
export const BATCH_SHA = createHash("sha1").update(BATCH_SCRIPT).digest("hex");
