// npm test: compiles, runs all tests, and beside them the integration tests with ioredis 5: most of
// their time is waiting.
// Arguments after -- go to mocha; paths of compiled test files replace the usual set.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ensureDocker, releaseDocker } from "./ensure-docker.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";
import { readConfig, runMocha } from "./run-mocha.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

ensurePackages();
await ensureRedis();
await ensureDocker();
compile();

const given = process.argv.slice(2);
const paths = given.filter((arg) => arg.endsWith(".js") && existsSync(join(root, arg)));
const args = given.filter((arg) => !paths.includes(arg));
const isIntegration = (path) => !relative("build/test/integration", path).startsWith("..");

const runs = [{ spec: paths.length > 0 ? paths : readConfig(root).spec }];
const again = paths.length > 0 ? paths.filter(isIntegration) : integrationSpec();
if (again.length > 0) {
  const hook = pathToFileURL(join(root, "scripts", "ioredis-5.mjs")).href;
  runs.push({
    spec: again,
    imports: [hook],
    title: "the same integration tests with ioredis 5",
    isAside: true,
  });
}

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
  rmSync(join(root, "build"), { recursive: true, force: true });
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const result = spawnSync(tsc, ["-p", "tsconfig.json"], { cwd: root, stdio: "inherit" });
  if (result.status !== 0) {
    console.error("the sources do not compile");
    console.log("0 passed, 1 failed, 0 skipped");
    process.exit(1);
  }
}

function integrationSpec() {
  const dir = join(root, "build", "test", "integration");
  const hasTests =
    existsSync(dir) && readdirSync(dir, { recursive: true }).some((f) => f.endsWith(".test.js"));
  return hasTests ? ["build/test/integration/**/*.test.js"] : [];
}
