// npm run test:servers: the tests of what a node does, and those of whole deployments, the command line and the drop-in
// replacement, on other servers than the machine's own.
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { compileTests } from "./compile-tests.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { parseNames } from "./parse-arguments.mjs";
import { printFailing, runParts } from "./run-parts.mjs";
import { NotAvailableError, obtainServer, SERVERS } from "./server-programs.mjs";
import { globOf, INTEGRATION } from "./test-paths.mjs";

const USAGE = `npm run test:servers [-- NAME...]

Runs the conformance tests, the integration tests with those of the command line, and the tests of quorate/redlock, beside each other,
on each of the servers that scripts/servers.mjs can get, or on those named:
${Object.keys(SERVERS).join(", ")}.
What cannot be had here and now is skipped.`;

const PARTS = [
  ...INTEGRATION,
  { title: "command line and drop-in", inside: ["integration/cli", "integrations/redlock"] },
  { title: "conformance", inside: ["conformance", "memory", "script", "testing/clock.test.js"] },
];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = parseNames(USAGE, (names) => {
  const unknown = names.find((name) => !Object.hasOwn(SERVERS, name));
  return unknown && `there is no server '${unknown}'`;
});

ensurePackages();
compileTests(root);
const lines = [];
const failing = [];
for (const name of given.length > 0 ? given : Object.keys(SERVERS)) await testOn(name);
printFailing(failing);
console.log(`\n${lines.join("\n")}`);
process.exitCode = failing.length > 0 ? 1 : 0;

async function testOn(name) {
  try {
    const server = await obtainServer(name);
    const parts = PARTS.map(({ title, inside }) => {
      return { title: `${name}, ${title}`, spec: inside.map(globOf), server };
    });
    const { passed, failed, skipped, ...more } = await runParts(parts, { root, args: [] });
    failing.push(...more.failing.map((each) => `${name}: ${each}`));
    lines.push(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  } catch (error) {
    const isMissing = error instanceof NotAvailableError;
    if (!isMissing) failing.push(`${name}: ${error.message}`);
    lines.push(`${name}: ${isMissing ? "skipped" : "failed"}: ${error.message}`);
  }
}
