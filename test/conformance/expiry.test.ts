import { expect } from "chai";
import type { OperationSpec } from "../support/conformance/node-under-test.js";
import { expectSame, lastOf, put, run, wait } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

const acquire = (more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, ...more };
};

/** Which operations answer for a key that has just reached its end. */
const PROBES: readonly OperationSpec[] = [
  acquire({ owner: "y" }),
  acquire(),
  { kind: "seal", fence: Number.MAX_SAFE_INTEGER },
  { kind: "extend" },
  { kind: "heal", owner: "y", fence: 1 },
  { kind: "release", fence: 1 },
];

conformance("expiry on a real server and in memory", (redis) => {
  for (const ttlMs of [1, 2, 999, 1_000]) {
    it(`a key of ${ttlMs} ms is alive at its end, and dead 1 ms after it`, async () => {
      for (const past of [-1, 0, 1]) {
        const seen = await expectSame(redis(), [
          run(acquire({ ttlMs })),
          wait(ttlMs + past),
          run({ kind: "release" }),
        ]);
        const { votes } = lastOf(seen).answer as { votes: { kind: string }[] };
        expect(votes[0]?.kind, `${past} ms past its end`).to.equal(
          past > 0 ? "refused" : "granted",
        );
      }
    });
  }

  for (const probe of PROBES) {
    it(`${probe.kind} by ${probe.owner ?? "its owner"} around the end of a key`, async () => {
      for (const past of [-1, 0, 1]) {
        await expectSame(redis(), [run(acquire({ ttlMs: 50 })), wait(50 + past), run(probe)]);
      }
    });
  }

  it("an extend counts from when it was executed", async () => {
    for (const past of [-1, 0, 1]) {
      await expectSame(redis(), [
        run(acquire({ ttlMs: 50 })),
        wait(30),
        run({ kind: "extend", ttlMs: 50 }),
        wait(50 + past),
        run(acquire({ owner: "y" })),
      ]);
    }
  });

  it("another client's key is refused up to its end", async () => {
    for (const past of [-1, 0, 1]) {
      await expectSame(redis(), [put("a", "theirs", 77), wait(77 + past), run(acquire())]);
    }
  });

  it("a clock that is set back lengthens what is there", async () => {
    await expectSame(redis(), [
      run(acquire({ ttlMs: 50 })),
      wait(-1_000),
      run(acquire({ owner: "y" }), { kind: "extend", ttlMs: 100 }),
      wait(1_050),
      run(acquire({ owner: "y" })),
      wait(1),
      run(acquire({ owner: "y" })),
    ]);
  });
});
