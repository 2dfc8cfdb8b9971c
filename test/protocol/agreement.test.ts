import { expect } from "chai";
import { agreedHolder } from "../../src/protocol/agreement.js";

describe("agreedHolder", () => {
  for (const { title, said, holder } of [
    { title: "a holder that all nodes name", said: [["a"], ["a"], ["a"]], holder: "a" },
    { title: "one that a quorum names", said: [["a"], ["b"], ["a"]], holder: "a" },
    { title: "one of several that hold it together", said: [["a", "b"], ["b"], []], holder: "b" },
    { title: "nobody where a quorum is free", said: [["a"], [], []], holder: null },
    { title: "neither where nodes differ", said: [["a"], ["b"], []], holder: undefined },
    { title: "neither where too few say", said: [["a"], undefined, undefined], holder: undefined },
    { title: "neither of an even number", said: [["a"], ["a"], [], []], holder: undefined },
    { title: "neither where nobody says anything", said: [undefined], holder: undefined },
  ]) {
    it(`is ${title}`, () => expect(agreedHolder(said)).to.equal(holder));
  }
});
