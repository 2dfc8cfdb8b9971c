import { errorName, type Settled } from "../observe/settle.js";
import { span } from "../observe/words.js";
import type { Grant } from "../subjects/subject.js";
import type { Fact } from "./scenario.js";

/** The result of an acquire, in words. */
export function attemptWords(settled: Settled<Grant | undefined>): string {
  if (settled.kind === "pending") return `does not settle in ${span(settled.afterMs)}`;
  const after = span(settled.afterMs);
  if (settled.kind === "rejected") return `refused after ${after} (${errorName(settled.error)})`;
  return settled.value === undefined ? `refused after ${after}` : `granted after ${after}`;
}

export function attemptFacts(settled: Settled<Grant | undefined>): Record<string, Fact> {
  return {
    outcome: settled.kind,
    isGranted: settled.kind === "resolved" && settled.value !== undefined,
    afterMs: settled.afterMs,
    error: settled.kind === "rejected" ? String(settled.error) : undefined,
  };
}

export function grantOf(settled: Settled<Grant | undefined>): Grant | undefined {
  return settled.kind === "resolved" ? settled.value : undefined;
}
