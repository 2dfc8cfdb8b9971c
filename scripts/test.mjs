// npm test: compiles and runs all tests; those on whole quorums of real servers run beside the others,
// since most of their time is waiting.
// Arguments after -- go to mocha; paths of compiled test files replace the usual set.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { embedLua } from "./embed-lua.mjs";
import { ensureDocker, releaseDocker } from "./ensure-docker.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";
import { runMocha } from "./run-mocha.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

ensurePackages();
await ensureRedis();
await ensureDocker();
compile();

const given = process.argv.slice(2);
const paths = given.filter((arg) => arg.endsWith(".js") && existsSync(join(root, arg)));
const args = given.filter((arg) => !paths.includes(arg));
const INTEGRATION = "build/test/integration";

const runs = paths.length > 0 ? [{ spec: paths }] : allTests();

const total = { passed: 0, failed: 0, skipped: 0 };
const results = await Promise.all(runs.map((run) => runMocha({ root, args, ...run })));
for (const [index, result] of results.entries()) {
  const { title } = runs[index];
  if (title !== undefined) console.log(`\n${title}\n${result.output}`);
  for (const key of Object.keys(total)) total[key] += result[key];
}
await releaseDocker();
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);

function compile() {
  embedLua();
  rmSync(join(root, "build"), { recursive: true, force: true });
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const result = spawnSync(tsc, ["-p", "tsconfig.json"], { cwd: root, stdio: "inherit" });
  if (result.status !== 0) {
    console.error("the sources do not compile");
    console.log("0 passed, 1 failed, 0 skipped");
    process.exit(1);
  }
}

function allTests() {
  const dir = join(root, INTEGRATION);
  const hasTests =
    existsSync(dir) && readdirSync(dir, { recursive: true }).some((f) => f.endsWith(".test.js"));
  const integration = hasTests ? [`${INTEGRATION}/**/*.test.js`] : [];
  const others = { spec: ["build/test/**/*.test.js"], ignore: integration };
  if (!hasTests) return [others];
  return [others, { spec: integration, title: "the integration tests", isAside: true }];
}
