import { expect } from "chai";
import { parseLossMessage } from "../../src/protocol/loss-message.js";

describe("parseLossMessage", () => {
  it("reads how the ownerId begins", () => {
    expect(parseLossMessage("lost x9_K-2")).to.equal("x9_K-2");
  });

  for (const text of [
    ...["", "lost", "lost ", "lost x9_K", "lost x9_K-2a", "lost x9_K-é", " lost x9_K-2"],
    ...["lost  x9_K-2", "lost x9_K-2\n", "Lost x9_K-2", "20:lock:lost x9_K-2"],
  ]) {
    it(`takes ${JSON.stringify(text)} for none`, () => {
      expect(parseLossMessage(text)).to.equal(undefined);
    });
  }
});
