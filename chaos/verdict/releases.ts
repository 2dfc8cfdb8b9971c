import type { Violation } from "../../sim/oracles/history.js";
import type { CallRecord, ChaosRecord } from "../history/records.js";

const RESULTS: ReadonlySet<string> = new Set(["released", "expired", "partial"]);

/**
 * R1 as far as it is visible from outside: a release never rejects, and returns the same result when called again.
 * What it leaves on the nodes is covered by L3.
 */
export function checkAnswers(records: readonly ChaosRecord[]): Violation[] {
  const calls = new Map<string, CallRecord>();
  const answers = new Map<string, string>();
  const violations: Violation[] = [];
  for (const record of records) {
    if (record.kind === "call" && record.what === "release") {
      calls.set(`${record.process} ${record.call}`, record);
    }
    if (record.kind !== "settle") continue;
    const { atUs, result } = record;
    const call = calls.get(`${record.process} ${record.call}`);
    if (call?.ownerId === undefined) continue;
    const before = answers.get(call.ownerId) ?? result;
    answers.set(call.ownerId, before);
    if (RESULTS.has(result) && before === result) continue;
    const message = `release of ${call.name} by ${call.process} said ${result}, after ${before}`;
    violations.push({ id: "R1", atUs, message });
  }
  return violations;
}
