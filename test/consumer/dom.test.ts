import { expect } from "chai";
import { typeCheck } from "../docs/type-check.js";

describe("A LockManager", () => {
  it("has the type of the DOM's, for code that was written for the web", function () {
    this.timeout(60_000);
    const dom = '/// <reference lib="dom" />\n';
    const [page, line] = ["docs/how-to/web-locks.md", 1];
    const fits = `${dom}const web: globalThis.LockManager = locks;`;
    expect(typeCheck([{ page, line, code: fits }])).to.deep.equal([]);
    const misfits = `${dom}const web: globalThis.LockManager = {};`;
    expect(typeCheck([{ page, line, code: misfits }])).to.have.length(1);
  });
});
