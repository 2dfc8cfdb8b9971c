// Which arguments of `npm test --` name tests: folders, files (.ts as in the repository, or .js as compiled) and patterns.
import { readdirSync } from "node:fs";
import { join, posix } from "node:path";

/** The integration tests, but for those of the command line, in two parts that take about as long. */
export const INTEGRATION = [
  { title: "the integration tests, m to z", inside: ["integration/[m-z]*.test.js"] },
  { title: "the integration tests, a to l", inside: ["integration/[a-l]*.test.js"] },
];

/** Options of mocha whose value is an argument of its own. */
const WITH_VALUE = new Set(
  ["f", "fgrep", "g", "grep", "j", "jobs", "R", "reporter", "O", "reporter-option", "retries"]
    .concat(["r", "require", "s", "slow", "t", "timeout", "u", "ui", "file", "ignore"])
    .map((name) => `${name.length === 1 ? "-" : "--"}${name}`),
);

/**
 * Parts the arguments into files of tests and what goes to mocha.
 *
 * @param {readonly string[]} given
 * @param {readonly string[]} tests all compiled test files, from the root: `build/test/protocol/verdict.test.js`
 * @returns {{ spec: string[], args: string[], unmatched: string[] }} `unmatched` are those that name no test
 */
export function testPaths(given, tests) {
  const spec = new Set();
  const args = [];
  const unmatched = [];
  given.forEach((arg, at) => {
    if (arg.startsWith("-") || WITH_VALUE.has(given[at - 1])) {
      args.push(arg);
      return;
    }
    const isNamed = namedBy(arg);
    const named = tests.filter(isNamed);
    if (named.length === 0) unmatched.push(arg);
    for (const test of named) spec.add(test);
  });
  return { spec: [...spec], args, unmatched };
}

/** All compiled test files. */
export function compiledTests(root) {
  return readdirSync(join(root, "build", "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.js"))
    .map((name) => posix.join("build/test", name.replaceAll("\\", "/")))
    .toSorted();
}

/** Of a folder, a file or a pattern of files of build/test: what mocha finds its compiled tests by. */
export function globOf(path) {
  return path.endsWith(".js")
    ? `build/test/${path}`
    : posix.join("build/test", path, "**", "*.test.js");
}

/** A file of the sources names the test that mirrors it; `*` is any part of a path. */
function namedBy(arg) {
  const path = posix
    .normalize(arg.replaceAll("\\", "/"))
    .replace(/\/$/, "")
    .replace(/^build\//, "")
    .replace(/^src\//, "test/")
    .replace(/^(?!test\/|test$)/, "test/")
    .replace(/(?:\.test)?\.[tj]s$/, ".test.js");
  const pattern = path
    .split(/\*+/)
    .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join(".*");
  const matching = new RegExp(`^build/${pattern}(?:$|/)`);
  return (test) => matching.test(test);
}
