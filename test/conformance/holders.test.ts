import { expect } from "chai";
import type { Vote } from "../../src/protocol/operation.js";
import type { Name, OperationSpec, Owner } from "../support/conformance/node-under-test.js";
import { expectSame, lastOf, run, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

/** Who holds the name, in which way; how another asks; and whose beginning that one is told. */
interface Row {
  readonly held: readonly (readonly [name: Name, owner: Owner])[];
  readonly asked: Name;
  readonly told: string | undefined;
}

const [X, Y] = ["x_____", "y_____"];

const ROWS: readonly Row[] = [
  { held: [["a", "x"]], asked: "a", told: X },
  { held: [["a", "kx"]], asked: "a", told: X },
  { held: [["a", "kx"]], asked: "aShared", told: X },
  { held: [["a", "x"]], asked: "aJob", told: X },
  { held: [["a", "x"]], asked: "a0", told: X },
  // The one that is told is the holder of the name that stays longest.
  { held: [["b", "kx"]], asked: "ab", told: X },
  { held: [["ab", "x"]], asked: "b", told: X },
  // Of a permit, whoever has that one.
  {
    held: [
      ["a0", "x"],
      ["a1", "ky"],
    ],
    asked: "a0",
    told: X,
  },
  {
    held: [
      ["a0", "x"],
      ["a1", "ky"],
    ],
    asked: "a1",
    told: Y,
  },
  { held: [["aJob", "kx"]], asked: "aTask", told: X },
  { held: [["aHashJob", "x"]], asked: "aHash", told: X },
  { held: [["aStamp", "x"]], asked: "aStamp", told: X },
  // Those who hold it together are no single client.
  {
    held: [
      ["aJob", "x"],
      ["aJob", "kz"],
    ],
    asked: "a",
    told: undefined,
  },
  {
    held: [
      ["aHashJob", "x"],
      ["aHashJob", "kz"],
    ],
    asked: "aHash",
    told: undefined,
  },
  { held: [["aShared", "kx"]], asked: "a", told: undefined },
  { held: [["a0", "x"]], asked: "a", told: undefined },
];

conformance("whose beginning a refusal carries, on a real server and in memory", (redis) => {
  const take = (name: Name, owner: Owner): OperationSpec => {
    return { kind: "acquire", fromNowUs: 0, name, owner };
  };
  const told = async (...steps: Step[]): Promise<string | undefined> => {
    const { answer } = lastOf(await expectSame(redis(), steps));
    const vote = (answer as { readonly votes: readonly Vote[] }).votes.at(-1);
    expect(vote?.kind).to.equal("refused");
    return vote?.kind === "refused" ? vote.holder : undefined;
  };

  for (const { held, asked, told: beginning } of ROWS) {
    const who = held.map(([name, owner]) => `${owner} has ${name}`).join(", ");
    it(`${beginning ?? "nobody's"} where ${who} and ${asked} is wanted`, async () => {
      const holds = held.map(([name, owner]) => run(take(name, owner)));
      expect(await told(...holds, run(take(asked, "z")))).to.equal(beginning);
    });
  }

  it("nobody's where the name is reserved", async () => {
    const waits = run({ ...take("a", "z"), inbox: "p" });
    const released = run({ kind: "release", name: "a", owner: "x" });
    expect(await told(run(take("a", "x")), waits, released, run(take("a", "y")))).to.equal(
      undefined,
    );
  });
});
