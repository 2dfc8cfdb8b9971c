import { expect } from "chai";
import { fillMarks, marksOf } from "../../pages/marks.js";

describe("the marks of a page", () => {
  const page =
    "a\n<!-- one -->\nold\n<!-- /one -->\nb <!-- x:two -->7<!-- /x:two -->, <!-- x:two --><!-- /x:two --> c\n";

  it("are filled with a block on lines of their own, and with the text alone within a line", () => {
    const filled = fillMarks(page, { one: "| 1 |", "x:two": "8 $& 8" });
    expect(filled).to.equal(
      "a\n<!-- one -->\n| 1 |\n<!-- /one -->\nb <!-- x:two -->8 $& 8<!-- /x:two -->, <!-- x:two -->8 $& 8<!-- /x:two --> c\n",
    );
    expect(fillMarks(filled, { one: "| 1 |", "x:two": "8 $& 8" })).to.equal(filled);
  });

  it("stay as they are without a text", () => {
    expect(fillMarks(page, { "x:two": "7" })).to.include("<!-- one -->\nold\n<!-- /one -->");
    expect(marksOf(page)).to.deep.equal(["one", "x:two", "x:two"]);
  });

  it("must be there for each text, with their end", () => {
    expect(() => fillMarks(page, { three: "" })).to.throw("no marks <!-- three -->");
    const open = page.replace("<!-- /one -->", "");
    expect(() => fillMarks(open, { one: "" })).to.throw("no marks <!-- one -->");
  });
});
