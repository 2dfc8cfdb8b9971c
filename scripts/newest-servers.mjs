import { NotAvailableError, obtainServer } from "./server-programs.mjs";
import { globOf } from "./test-paths.mjs";

/** The newest server of each family. */
const NEWEST = ["redis-8.6", "valkey-9.1"];

/**
 * If QUORATE_SERVERS is "fetch", the parts of the tests that show what a node does on each of the newest servers. One
 * that cannot be had here and now counts as a skipped test, and one that is not what its makers published as a failed
 * one.
 */
export async function newestServers() {
  const parts = [];
  const counts = { passed: 0, failed: 0, skipped: 0, failing: [] };
  for (const name of process.env.QUORATE_SERVERS === "fetch" ? NEWEST : []) {
    const title = `what a node does, on ${name}`;
    try {
      parts.push({ title, spec: [globOf("conformance")], server: await obtainServer(name) });
    } catch (error) {
      const message = `${title}: ${error.message}`;
      const isMissing = error instanceof NotAvailableError;
      counts[isMissing ? "skipped" : "failed"]++;
      if (isMissing) console.error(`skipped: ${message}`);
      else counts.failing.push(message);
    }
  }
  return { parts, counts };
}
