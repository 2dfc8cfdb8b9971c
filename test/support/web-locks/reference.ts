/**
 * Says where `locks` of `node:worker_threads` (Node.js 24 and later) sees something else in the cases
 * than the table says that it does:
 *
 *     npx -p node@24 node build/test/support/web-locks/reference.js
 */
import * as threads from "node:worker_threads";
import { CASES } from "./cases.js";
import { EXPECTED, NODE_24 } from "./expected.js";
import type { WebLocks } from "./web-locks.js";

const STUCK_MS = 3_000;
const { locks } = threads as unknown as { readonly locks: WebLocks };

let differentCount = 0;
for (const [title, run] of Object.entries(CASES)) {
  const stuck = new Promise<string>((resolve) => setTimeout(resolve, STUCK_MS, "stuck"));
  const seen = JSON.stringify(await Promise.race([run(locks, title), stuck]));
  if (seen === JSON.stringify(NODE_24[title]?.sees ?? EXPECTED[title])) continue;
  differentCount++;
  console.log(`${title}: ${seen}`);
}
console.log(`Node.js ${process.version}: ${differentCount} differ`);
process.exit(differentCount === 0 ? 0 : 1);
