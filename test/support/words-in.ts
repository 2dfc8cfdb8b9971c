import { expect } from "chai";

/** Reads a command as a server does: a count, then so many strings, each with its length in bytes. */
export function wordsIn(sent: string | Buffer): string[] {
  const bytes = Buffer.from(sent);
  let at = 0;
  const line = (mark: string): number => {
    const end = bytes.indexOf("\r\n", at);
    const text = bytes.toString("latin1", at, end);
    expect(text[0]).to.equal(mark);
    at = end + 2;
    return Number(text.slice(1));
  };
  const values = Array.from({ length: line("*") }, () => {
    const length = line("$");
    const value = bytes.toString("utf8", at, at + length);
    expect(bytes.toString("latin1", at + length, at + length + 2)).to.equal("\r\n");
    at += length + 2;
    return value;
  });
  expect(at, "nothing behind it").to.equal(bytes.length);
  return values;
}
