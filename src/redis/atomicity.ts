import { RECORD_KEY } from "../protocol/keys.js";
import { ATOMICITY_SCRIPT } from "../script/embedded-lua.js";

/** A connection to a server, for single commands. */
export interface Asked {
  call(name: string, ...words: string[]): Promise<unknown>;
}

/** The key that is written; it expires, whatever becomes of this process. */
const KEY = `${RECORD_KEY}:probe`;
const LIFE_MS = "1000";

/** A script blocks other clients while it looks, so it does so briefly: 2,000 reads take up to 5 ms. */
const TRIES = 3;
const READS = "2000";

/** Writes in flight at a time: where a round trip is longer than a look, some must arrive within it. */
const WRITES = 8;

/**
 * Whether the server executes commands of another connection between those of a script. A server for which this is shown
 * keeps no promise; where it is not shown, it may still do so.
 */
export async function showsInterleaving(reader: Asked, writer: Asked): Promise<boolean> {
  // One client at a time: all that start together would block the server for each other.
  const isFirst = (await writer.call("SET", KEY, "0", "NX", "PX", LIFE_MS)) !== null;
  if (!isFirst) return false;
  const written = { count: 0, isOver: false };
  const write = async (): Promise<void> => {
    while (!written.isOver) {
      await writer.call("SET", KEY, String(++written.count), "PX", LIFE_MS);
    }
  };
  const writes = Promise.all(Array.from({ length: WRITES }, write)).catch(() => {});
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const seen = await reader.call("EVAL", ATOMICITY_SCRIPT, "1", KEY, READS);
      if (Number(seen) === 1) return true;
    }
    return false;
  } finally {
    written.isOver = true;
    await writes;
    await writer.call("DEL", KEY);
  }
}
