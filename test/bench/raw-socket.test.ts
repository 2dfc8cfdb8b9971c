import { expect } from "chai";
import { constantFrom, array, assert, nat, property } from "fast-check";
import { encode, grantOf, valuesOf } from "../../bench/raw-socket/commands.js";
import { scanReplies } from "../../bench/raw-socket/scan.js";

describe("bench raw socket", () => {
  it("reads the same replies however they are cut", () => {
    const replies = constantFrom("+OK\r\n", "$-1\r\n", ":1\r\n", ":0\r\n");
    assert(
      property(array(replies), nat(), (list, cut) => {
        const bytes = Buffer.from(list.join(""));
        const at = cut % (bytes.length + 1);
        const seen: boolean[] = [];
        const rest = scanReplies(bytes.subarray(0, at), (isGood) => seen.push(isGood));
        const left = Buffer.concat([rest, bytes.subarray(at)]);
        expect(scanReplies(left, (isGood) => seen.push(isGood))).to.have.length(0);
        expect(seen).to.deep.equal(list.map((reply) => reply === "+OK\r\n" || reply === ":1\r\n"));
      }),
    );
  });

  it("does not read over an error", () => {
    const read = (): Buffer => scanReplies(Buffer.from("+OK\r\n-NOSCRIPT No\r\n"), () => {});
    expect(read).to.throw("-NOSCRIPT No");
  });

  it("encodes commands, and leaves only the value to be put in", () => {
    expect(encode("GET", "a")).to.equal("*2\r\n$3\r\nGET\r\n$1\r\na\r\n");
    const nextValue = valuesOf("me");
    const values = [nextValue(), nextValue()];
    expect(new Set(values)).to.have.length(2);
    for (const value of values) {
      expect(grantOf("key")(value)).to.equal(encode("SET", "key", value, "NX", "PX", 10_000));
    }
  });
});
