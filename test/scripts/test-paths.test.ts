import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { root } from "../docs/project.js";

interface Parts {
  readonly spec: readonly string[];
  readonly args: readonly string[];
  readonly unmatched: readonly string[];
}

const TESTS = [
  "build/test/kinds/permit.test.js",
  "build/test/integration/node-lists.test.js",
  "build/test/integration/node-redis.test.js",
  "build/test/integration/cli/node.test.js",
  "build/test/protocol/verdict.test.js",
  "build/test/protocol/verdicts.test.js",
];
const [PERMIT, LISTS, REDIS, CLI, VERDICT, VERDICTS] = TESTS;

describe("arguments of npm test", () => {
  let testPaths: (given: readonly string[], tests: readonly string[]) => Parts;
  let compiledTests: (root: string) => string[];

  before(async () => {
    const file = pathToFileURL(join(root, "scripts", "test-paths.mjs")).href;
    ({ testPaths, compiledTests } = (await import(file)) as {
      testPaths: typeof testPaths;
      compiledTests: typeof compiledTests;
    });
  });

  const cases: readonly (readonly [given: string, spec: readonly unknown[]])[] = [
    ["test/protocol", [VERDICT, VERDICTS]],
    ["test/protocol/", [VERDICT, VERDICTS]],
    ["./test/protocol/verdict.test.ts", [VERDICT]],
    ["test/protocol/verdict.ts", [VERDICT]],
    ["src/protocol/verdict.ts", [VERDICT]],
    ["build/test/protocol/verdict.test.js", [VERDICT]],
    ["protocol/verdict.test.js", [VERDICT]],
    ["test/protocol/verdict*", [VERDICT, VERDICTS]],
    ["test/*/node-*", [LISTS, REDIS]],
    ["test/**/node*", [LISTS, REDIS, CLI]],
    ["src/kinds", [PERMIT]],
    ["test", TESTS],
  ];
  for (const [given, spec] of cases) {
    it(`${given} names ${spec.length} of ${TESTS.length} tests`, () => {
      expect(testPaths([given], TESTS)).to.deep.equal({
        spec: TESTS.filter((test) => spec.includes(test)),
        args: [],
        unmatched: [],
      });
    });
  }

  it("options go to mocha, with their values", () => {
    const given = ["-g", "test/protocol", "--bail", "src/kinds", "--timeout", "5", "--grep=x"];
    expect(testPaths(given, TESTS)).to.deep.equal({
      spec: [PERMIT],
      args: ["-g", "test/protocol", "--bail", "--timeout", "5", "--grep=x"],
      unmatched: [],
    });
  });

  it("what names no test is said: a folder, a file, a part of a name, a misspelt pattern", () => {
    const given = ["test/protocl", "src/protocol/verdic.ts", "test/proto", "no*", "test/kinds"];
    expect(testPaths(given, TESTS)).to.deep.equal({
      spec: [PERMIT],
      args: [],
      unmatched: given.slice(0, 4),
    });
  });

  it("all compiled tests can be named", () => {
    expect(compiledTests(root)).to.include("build/test/scripts/test-paths.test.js");
  });
});
