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

  it("loses notes that stderr throws, and goes on", () => {
    const broken = new Writable();
    broken.write = () => {
      throw new Error("disk full");
    };
    const output = new Output(
      { isJson: false, isQuiet: false, isVerbose: true },
      { stdout: new Writable(), stderr: broken },
    );
    output.note("a note");
    output.detail("a detail");
    output.error("an error", { exitCode: 69 });
  });

  it("takes what stdout throws for what it emits elsewhere", () => {
    // As standard streams that are files do in some versions of Node.js.
    const broken = new Writable();
    broken.write = () => {
      throw new Error("disk full");
    };
    const emitted: unknown[] = [];
    broken.on("error", (error) => emitted.push(error.message));
    const plain = { isJson: false, isQuiet: false, isVerbose: true };
    for (const manner of [plain, { ...plain, isJson: true }]) {
      const output = new Output(manner, { stdout: broken, stderr: new Writable() });
      output.print("a line");
      output.json({});
    }
    expect(emitted).to.deep.equal(Array(4).fill("disk full"));
  });
});
