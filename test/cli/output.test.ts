import { expect } from "chai";
import { Writable } from "node:stream";
import { assert, property, string } from "fast-check";
import { Output, printable, table } from "../../src/cli/output.js";

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

  for (const name of ["stdout", "stderr"] as const) {
    it(`takes what a stream throws for what others emit: ${name}`, () => {
      // As standard streams that are files do in some versions of Node.js.
      const broken = new Writable();
      broken.write = () => {
        throw new Error("disk full");
      };
      const emitted: unknown[] = [];
      broken.on("error", (error) => emitted.push(error.message));
      const plain = { isJson: false, isQuiet: false, isVerbose: true };
      const outputs = [plain, { ...plain, isJson: true }].map(
        (manner) =>
          new Output(manner, { stdout: new Writable(), stderr: new Writable(), [name]: broken }),
      );
      for (const output of outputs) {
        if (name === "stdout") {
          output.print("a line");
          output.json({});
        } else {
          output.note("a note");
          output.detail("a detail");
          output.error("an error", { exitCode: 69 });
        }
      }
      expect(emitted).to.deep.equal(Array(name === "stdout" ? 4 : 6).fill("disk full"));
    });
  }
});
