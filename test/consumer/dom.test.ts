import { expect } from "chai";
import { typeCheck } from "../docs/type-check.js";

describe("A LockManager", () => {
  it("has the type of the DOM's, for code that was written for the web", function () {
    this.timeout(60_000);
    const dom = '/// <reference lib="dom" />\n';
    const page = "docs/how-to/web-locks.md";
    const errors = typeCheck([
      { page, line: 1, code: `${dom}const web: globalThis.LockManager = locks;` },
      { page, line: 11, code: `${dom}const web: globalThis.LockManager = {};` },
    ]);
    expect(errors.map((error) => error.split(": ")[0])).to.deep.equal([`${page}:12:7`]);
  });
});
