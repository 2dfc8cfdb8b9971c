// npm test: compiles and runs all tests, in parts of which six run at a time. Tests on whole quorums of real servers
// run beside the others, because they mostly wait; those of the simulator use the CPU time that these leave idle. What
// only some tests need, such as a Docker engine, is fetched and installed while others run.
// Arguments after -- that name tests replace the usual set, see test-paths.mjs; options are passed to mocha. With --long
// (npm run test:long) there are more tests, see test/support/long.ts.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { compileTests } from "./compile-tests.mjs";
import { ensureDocker, releaseDocker } from "./ensure-docker.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";
import { newestServers } from "./newest-servers.mjs";
import { runMocha } from "./run-mocha.mjs";
import { printFailing, runParts } from "./run-parts.mjs";
import { compiledTests, globOf, INTEGRATION, testPaths } from "./test-paths.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

ensurePackages();
await ensureRedis();
compileTests(root);

const given = process.argv.slice(2).filter((arg) => arg !== "--long");
if (given.length < process.argv.length - 2) process.env.QUORATE_LONG_TESTS = "1";
// Only here: what runs a part of the tests may have been started by a test.
delete process.env.QUORATE_WHOLE_TESTS;
const { spec, args, unmatched } = testPaths(given, compiledTests(root));
if (unmatched.length > 0) {
  console.error(
    `no test is at ${unmatched.join(", ")}; name a folder, a .ts file or a pattern, such as test/protocol`,
  );
  console.log("0 passed, 1 failed, 0 skipped");
  process.exit(1);
}

/**
 * Each entry is a folder, a file or a pattern of files of build/test; "the other tests" are those in no part. Parts that
 * only compute run at low priority, so that tests that measure time get the CPU first. They come last, since they alone
 * can use both CPUs to the end: the one with a single process first, the mutants with their two at the end.
 */
const PARTS = [
  { title: "the other tests", inside: [] },
  ...INTEGRATION,
  { title: "the command line on real servers", inside: ["integration/cli"] },
  { title: "pages, examples and campaigns", inside: ["docs", "site", "chaos"] },
  { title: "the simulator", inside: ["sim"], isBusy: true },
  { title: "the promises in the simulator", inside: ["sim/promises.test.js"], isBusy: true },
  { title: "the mutants", inside: ["mutants"], isBusy: true },
];

/** Those that may start servers with Docker. */
const WITH_DOCKER = {
  title: "servers in containers",
  inside: ["testing/docker-provider.test.js", "testing/find-provider.test.js"],
};

const total = { passed: 0, failed: 0, skipped: 0 };
const failing = [];
if (spec.length > 0) {
  await ensureDocker();
  add(await runMocha({ root, args, spec }));
} else {
  if (args.length === 0) process.env.QUORATE_WHOLE_TESTS = "1";
  add(await runParts(PARTS.map(withSpec), { root, args, more: fetchedParts }));
}
await releaseDocker();
printFailing(failing);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);

/** Parts that need what is not there before it is fetched. */
async function fetchedParts() {
  await ensureDocker();
  const newest = await newestServers();
  add(newest.counts);
  return [withSpec(WITH_DOCKER), ...newest.parts];
}

/** With the files of the part, without those that belong to another part. */
function withSpec(part) {
  const { inside } = part;
  const all = [...PARTS, WITH_DOCKER].flatMap((each) => each.inside);
  const isWithin = (path) =>
    inside.length === 0 || inside.some((own) => path.startsWith(`${own}/`));
  return {
    ...part,
    spec: inside.length === 0 ? [globOf("")] : inside.map(globOf),
    ignore: all.filter((path) => !inside.includes(path) && isWithin(path)).map(globOf),
  };
}

function add(result) {
  for (const key of Object.keys(total)) total[key] += result[key];
  failing.push(...result.failing);
}
