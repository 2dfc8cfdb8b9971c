import { expect } from "chai";
import { assert, property, string } from "fast-check";
import { printable, table } from "../../src/cli/output.js";

describe("Output of the command line", () => {
  it("lets no text from elsewhere control the terminal", () => {
    expect(printable("a\u001B[31mb\r\n\u009Bc\u202Ed")).to.equal(
      "a\\x1b[31mb\\x0d\\x0a\\x9bc\\u{202e}d",
    );
    expect(printable("größe 日本 🔒")).to.equal("größe 日本 🔒");
    assert(
      property(string({ unit: "binary" }), (text) => {
        expect(printable(text)).to.not.match(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
      }),
    );
  });

  it("sets rows in columns, by what is seen of them", () => {
    const rows = [
      ["\u001B[2mNODE\u001B[22m", "STATE"],
      ["a:6379", "held"],
    ];
    expect(table(rows)).to.equal("\u001B[2mNODE\u001B[22m    STATE\na:6379  held");
  });
});
