/**
 * Options for tests that are not about timeouts. A busy machine may stop a server, or all processes, for a second or
 * two; by default a node would have half a second to answer, and a call that asks once would fail.
 */
export const PATIENT = { nodeTimeoutMs: 4_000 } as const;
