// npm run test:servers: the tests of what a node does, and those of whole deployments, on other servers than the
// machine's own.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { compileTests } from "./compile-tests.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { parseNames } from "./parse-arguments.mjs";
import { runMocha } from "./run-mocha.mjs";
import { NotAvailableError, obtainServer, SERVERS } from "./server-programs.mjs";
import { globOf } from "./test-paths.mjs";

const USAGE = `npm run test:servers [-- NAME...]

Runs the conformance tests and then the integration tests on each of the servers that scripts/servers.mjs can get, or on
those named: ${Object.keys(SERVERS).join(", ")}.
What cannot be had here and now is skipped.`;

const PARTS = [
  { title: "conformance", paths: ["conformance", "memory", "script", "testing/clock.test.js"] },
  { title: "integration", paths: ["integration/*.test.js"] },
];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = parseNames(USAGE, (names) => {
  const unknown = names.find((name) => !Object.hasOwn(SERVERS, name));
  return unknown && `there is no server '${unknown}'`;
});

ensurePackages();
compileTests(root);
const lines = [];
let hasFailed = false;
for (const name of given.length > 0 ? given : Object.keys(SERVERS)) await testOn(name);
console.log(`\n${lines.join("\n")}`);
process.exitCode = hasFailed ? 1 : 0;

async function testOn(name) {
  try {
    process.env.QUORATE_REDIS_SERVER = await obtainServer(name);
  } catch (error) {
    const isMissing = error instanceof NotAvailableError;
    hasFailed ||= !isMissing;
    lines.push(`${name}: ${isMissing ? "skipped" : "failed"}: ${error.message}`);
    return;
  }
  for (const { title, paths } of PARTS) {
    console.log(`\n${name}, ${title}`);
    const spec = paths.map(globOf);
    const { passed, failed, skipped } = await runMocha({ root, spec, args: [] });
    hasFailed ||= failed > 0;
    lines.push(`${name}, ${title}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  }
}
