import { expect } from "chai";
import type { ChannelState } from "../../src/channel/channel-state.js";
import { MisconfiguredWarnings } from "../../src/nodes/misconfigured-warnings.js";

type Step = readonly [index: number, state: ChannelState, detail: string];

const CASES: readonly (readonly [what: string, steps: readonly Step[], told: readonly string[]])[] =
  [
    [
      "once, however often the node is down in between",
      [
        [0, "misconfigured", "no certificate"],
        [0, "down", "closed"],
        [0, "connecting", "closed"],
        [0, "misconfigured", "no certificate"],
      ],
      ["n0 does not vote: no certificate"],
    ],
    [
      "again for another reason",
      [
        [0, "misconfigured", "no certificate"],
        [0, "misconfigured", "no permission"],
      ],
      ["n0 does not vote: no certificate", "n0 does not vote: no permission"],
    ],
    ...(["ready", "quarantined"] as const).map(
      (state) =>
        [
          `again after the node was ${state}`,
          [
            [0, "misconfigured", "no certificate"],
            [0, state, ""],
            [0, "misconfigured", "no certificate"],
          ],
          ["n0 does not vote: no certificate", "n0 does not vote: no certificate"],
        ] as const,
    ),
    [
      "of each node",
      [
        [0, "misconfigured", "no certificate"],
        [1, "misconfigured", "no certificate"],
        [1, "ready", ""],
        [0, "misconfigured", "no certificate"],
      ],
      ["n0 does not vote: no certificate", "n1 does not vote: no certificate"],
    ],
    ["not of other states", [[0, "down", "closed"]], []],
  ];

describe("MisconfiguredWarnings", () => {
  for (const [what, steps, told] of CASES)
    it(`tells ${what}`, () => {
      const warnings = new MisconfiguredWarnings();
      const all = steps.map(([index, state, detail]) =>
        warnings.onState({ index, name: `n${index}` }, state, detail),
      );
      expect(all.filter((each) => each !== undefined)).to.deep.equal(told);
    });
});
