import { expect } from "chai";
import { code, commentsIn, declarationIn, tableOf } from "../../pages/source.js";

const SOURCE = `
/** One. */
export const ONE = 1;

/**
 * A lock
 * with {@link Other.names}.
 *
 * More.
 * @throws RangeError
 */
// oxlint-disable-next-line some-rule
export abstract class Lock extends Base {
  /** Its | name. @defaultValue "a" */
  readonly name?: string;
  /**
   * - \`a\`: first
   * - \`b\`: second
   */
  declare readonly reason: "a" | "b";
}

export interface Warning {
  readonly code:
    /** Too short. */
    | "SHORT"
    | "LONG";
}
`;

describe("the comments of a source file", () => {
  it("are found with the names of what they are about", () => {
    expect(commentsIn(SOURCE)).to.deep.equal([
      { name: "ONE", meaning: "One.", byDefault: "" },
      { name: "Lock", meaning: "A lock with `Other.names`.", byDefault: "" },
      { name: "name", meaning: String.raw`Its \| name.`, byDefault: '"a"' },
      { name: "reason", meaning: "`a`: first; `b`: second", byDefault: "" },
      { name: "SHORT", meaning: "Too short.", byDefault: "" },
    ]);
  });

  it("are those of one class with its source alone", () => {
    const names = (name: string): (string | undefined)[] =>
      commentsIn(declarationIn(SOURCE, name) ?? "").map((comment) => comment.name);
    expect(names("Warning")).to.deep.equal(["SHORT"]);
    expect(names("Lock").slice(-2)).to.deep.equal(["name", "reason"]);
    expect(declarationIn(SOURCE, "None")).to.equal(undefined);
  });

  it("stand in tables, code with bars and backticks too", () => {
    expect(tableOf(["a", "b"], [["1", code("x|y")]])).to.equal(
      "| a | b |\n| --- | --- |\n| 1 | `x\\|y` |",
    );
    expect(code("use `a`")).to.equal("`` use `a` ``");
  });
});
