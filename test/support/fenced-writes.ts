import { expect } from "chai";
import * as fc from "fast-check";

/** A write that somebody sends: its token, and whether all that was sent before is over by then. */
export interface PlannedWrite {
  readonly token: number;
  readonly isAfterAll: boolean;
  /** Which of the clients sends it. */
  readonly client: number;
}

/** Tokens as they are: 16 digits that differ at the end, beside small ones and the largest. */
const NOW_US = 1_790_000_000_000_000;
export const token = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: NOW_US, max: NOW_US + 6 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
  fc.integer({ min: Number.MAX_SAFE_INTEGER - 3, max: Number.MAX_SAFE_INTEGER }),
);

/** Writes in any order, one after the other or at the same time, by `clientCount` clients. */
export function plannedWrites(clientCount: number): fc.Arbitrary<PlannedWrite[]> {
  const client = fc.nat({ max: clientCount - 1 });
  const write = fc.record({ token, isAfterAll: fc.boolean(), client });
  return fc.array(write, { minLength: 1, maxLength: 12 });
}

/**
 * Sends the writes, and looks at what the store did with them.
 *
 * @param send whether the store accepted the write
 * @param accepted tokens of the accepted writes, in the order in which the store applied them
 */
export async function expectFenced(
  writes: readonly PlannedWrite[],
  send: (write: PlannedWrite) => Promise<boolean>,
  accepted: () => Promise<readonly number[]>,
): Promise<void> {
  const answers: Promise<boolean>[] = [];
  for (const write of writes) {
    if (write.isAfterAll) await Promise.all(answers);
    answers.push(send(write));
  }
  const answered = await Promise.all(answers);
  const applied = await accepted();
  expect(applied, "accepted tokens").to.deep.equal(applied.toSorted((a, b) => a - b));
  const ascending = (tokens: number[]): number[] => tokens.toSorted((a, b) => a - b);
  const told = writes.filter((_, index) => answered[index]).map((write) => write.token);
  expect(applied, "what was applied is what was answered").to.deep.equal(ascending(told));
  // The largest is never stale, wherever it stands; nor is one that is as large as all before it.
  const largest = Math.max(...writes.map((write) => write.token));
  expect(applied.at(-1)).to.equal(largest);
  for (const [index, { token, isAfterAll }] of writes.entries()) {
    const before = Math.max(0, ...writes.slice(0, index).map((write) => write.token));
    if (isAfterAll && token < before) expect(answered[index], `write ${index}`).to.equal(false);
    const isFirst = writes.every((other) => other.token <= token);
    if (isFirst) expect(answered[index], `write ${index}`).to.equal(true);
  }
}
