import { expect } from "chai";
import { NUMBER } from "../support/conformance/node-under-test.js";
import { expectSame, lastOf, run, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

const handshake: Step = { do: "handshake", request: {} };
const batch = (step: Step, recordId: string): Step => ({ ...step, recordId }) as Step;

conformance("Conformance: every reply repeats the number of its call", (redis) => {
  for (const [title, steps] of [
    ["a handshake that writes a record", [handshake]],
    ["a handshake that finds one", [handshake, handshake]],
    ["grants with the proposal", [run({ kind: "acquire", fromNowUs: 0 })]],
    ["a refusal", [run({ kind: "acquire" }), run({ kind: "acquire", owner: "y" })]],
    ["a grant beside a refusal", [run({ kind: "acquire" }, { kind: "release", owner: "y" })]],
    ["a refresh", [run({ kind: "refresh", places: [{ name: "a" }, { name: "b" }] })]],
    ["an inspect", [run({ kind: "inspect" })]],
    [
      "a foreign key",
      [{ do: "putHash", key: "lock:a", fields: { a: "b" } }, run({ kind: "acquire" })],
    ],
    ["a node that forgot", [batch(run({ kind: "acquire" }), "gone")]],
    [
      "a node that forgot, beside a release that it still grants",
      [batch(run({ kind: "extend" }, { kind: "acquire", name: "b" }), "gone")],
    ],
  ] as const) {
    it(title, async () => {
      const { answer } = lastOf(await expectSame(redis(), steps));
      expect(answer).to.have.property("number", NUMBER);
    });
  }
});
