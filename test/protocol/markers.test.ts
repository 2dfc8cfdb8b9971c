import { expect } from "chai";
import * as fc from "fast-check";
import { NO_NUMBER, numberIn } from "../../src/protocol/markers.js";

describe("numberIn", () => {
  it("reads a count of ours in either layout", () => {
    fc.assert(
      fc.property(fc.nat(), (count) => {
        expect(numberIn(String(count))).to.equal(count);
        expect(numberIn(`${NO_NUMBER}${count}`)).to.equal(count);
      }),
    );
  });
});
