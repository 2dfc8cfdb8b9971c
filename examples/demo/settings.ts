/** What the two services contend for. */
export const LOCK_NAME = "nightly-report";
/** The key of that name on every node, with the default `keyPrefix`. */
export const LOCK_KEY = `lock:${LOCK_NAME}`;

export const NODE_COUNT = 5;
export const QUORUM = 3;

/** Life of the lock without renewal, ms. Short, to be watched; the demo's test has more patience. */
export const TTL_MS = Number(process.env["QUORATE_DEMO_TTL_MS"] ?? 2_000);
/** How long a node that forgot is kept from voting, ms (and the drift on top of it). */
export const MAX_TTL_MS = Math.max(4_000, TTL_MS);
/** For what takes a moment: far more than that, on any machine. */
export const PATIENCE_MS = 20_000;
/**
 * Five times the default: the signal comes 100 ms before the ttl of the first key is over, which leaves a busy laptop
 * room to be late with a timer. The keys live for `clockStepMs` (5 s) longer than that.
 */
export const DRIFT_FACTOR = 0.05;

/** How long a service works under the lock while both contend, ms. */
export const HOLD_MS = 400;
/** How long it stands back then, so that the other has its turn, ms. */
export const PAUSE_MS = 150;
/** How often the holder writes to the store, ms. */
export const WRITE_EVERY_MS = 100;
/** How often services and nodes are looked at, ms. */
export const LOOK_EVERY_MS = 50;
/** Where to write what the terminal showed, if it is wanted (`npm run demo -- --record FILE`). */
export const RECORD_FILE = process.env["QUORATE_DEMO_RECORD"];
