import { expect } from "chai";
import { NODE_STATES, nodeStatesPicture, type Band } from "../../pictures/node-states.js";
import { readinessOf, type ChannelState } from "../../src/channel/channel-state.js";
import type { NodeReadiness } from "../../src/protocol/quorum.js";

const BAND_OF: Readonly<Record<NodeReadiness, Band>> = {
  votes: "votes",
  settling: "itself",
  away: "itself",
  misconfigured: "you",
  listedTwice: "you",
};

describe("the picture of the states of a node", () => {
  // A state that the sources have and the table has not does not compile.
  for (const state of Object.keys(NODE_STATES) as ChannelState[]) {
    it(`says of ${state} what the sources say to those who wait for a quorum`, () => {
      const band = state === "closed" ? "never" : BAND_OF[readinessOf(state, false, false)];
      expect(NODE_STATES[state].band).to.equal(band);
      expect(nodeStatesPicture()).to.include(`>${state}<`);
    });
  }
});
