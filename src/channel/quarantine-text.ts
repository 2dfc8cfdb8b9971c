/**
 * Why a node is in quarantine, as far as this client can know.
 *
 * - `restarted`: the server was restarted
 * - `lostData`: the same run, without its record
 * - `forgot`: one of both; another client was connected when it happened
 * - `new`: no client is known to have seen it before
 */
export type QuarantineCause = "restarted" | "lostData" | "forgot" | "new";

const IN_TESTS =
  'In tests that flush, use `flushNodes` of quorate/testing, or `quarantine: "off"` (docs/how-to/testing.md#tests-that-flush)';

const DURABLE = "`durable: true` for a node that keeps every write, or a smaller `maxTtlMs`";

const TEXTS: Readonly<Record<QuarantineCause, readonly [happened: string, remedy: string]>> = {
  restarted: ["restarted", `To avoid the wait: ${DURABLE}`],
  lostData: [
    "was flushed, or lost its data",
    `A smaller \`maxTtlMs\` makes the wait shorter. ${IN_TESTS}`,
  ],
  forgot: ["restarted or lost its data", `To avoid the wait: ${DURABLE}. ${IN_TESTS}`],
  new: [
    "has no record of having been used",
    "To avoid the wait, start all nodes of a new deployment before the first client",
  ],
};

/** What happened, how long the node does not vote, and how to avoid that. */
export function quarantineText(cause: QuarantineCause, leftMs: number): string {
  const [happened, remedy] = TEXTS[cause];
  const seconds = Math.ceil(leftMs / 1_000);
  return `${happened}; it votes in ${seconds} s, when every earlier lock has ended. ${remedy}`;
}
