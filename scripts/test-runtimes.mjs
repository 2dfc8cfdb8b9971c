// npm run test:runtimes: processes of the packed package under other runtimes, with nodes of all clients, see USAGE.
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileTests } from "./compile-tests.mjs";
import { ensurePackages } from "./ensure-packages.mjs";
import { ensureRedis } from "./ensure-redis.mjs";
import { parseNames } from "./parse-arguments.mjs";
import { runMocha } from "./run-mocha.mjs";
import { cacheOf } from "./server-programs.mjs";
import { globOf } from "./test-paths.mjs";

/** Each is a package of npm, the folder in which the program is then, and the arguments before those of a program. */
const RUNTIMES = {
  "node-20": { install: "node@20", program: "node/bin/node" },
  "node-22": { install: "node@22", program: "node/bin/node" },
  "node-24": { install: "node@24", program: "node/bin/node" },
  bun: { install: "bun", program: "bun/bin/bun.exe" },
  deno: { install: "deno", program: "deno/deno", args: ["run", "--allow-all"] },
};

/** Clients that nodes can be given as, in the versions of package-lock.json. */
const CLIENTS = ["ioredis-5", "ioredis", "iovalkey", "redis-5", "redis-6"];

/** Another client library, whose transport is an example. There is none for some systems. */
const GLIDE = "@valkey/valkey-glide@2.5.2";

const USAGE = `npm run test:runtimes [-- NAME...]

Packs the package, installs it with the clients of Redis in an empty folder, and lets two processes compete for a lock on
three servers: one is killed, the other takes over, and learns that its lock is stolen. Each runtime has both parts once, with
nodes as a URL and as clients of each library. Then it checks the transport of GLIDE in examples/transports. Runs all runtimes, or those named: ${Object.keys(RUNTIMES).join(", ")}.
They are packages of npm, installed once in the user's cache. What cannot be had here and now is skipped.`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = parseNames(USAGE, (names) => {
  const unknown = names.find((name) => !Object.hasOwn(RUNTIMES, name));
  return unknown && `there is no runtime '${unknown}'`;
});

ensurePackages();
await ensureRedis();
const runtimes = {};
const skipped = [];
for (const name of given.length > 0 ? given : Object.keys(RUNTIMES)) obtain(name);
compileTests(root);
const consumer = mkdtempSync(join(tmpdir(), "quorate-runtimes-"));
process.once("exit", () => rmSync(consumer, { recursive: true }));
installPackage();
process.env.QUORATE_RUNTIMES = JSON.stringify({ runtimes, consumer });
const result = await runMocha({ root, spec: [globOf("runtimes")], args: [] });
for (const line of skipped) console.log(line);
process.exitCode = result.failed > 0 || result.passed === 0 ? 1 : 0;
console.log(`${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped`);

function obtain(name) {
  const { install, program, args = [] } = RUNTIMES[name];
  const path = join(cacheOf("runtimes"), name, "node_modules", program);
  if (!existsSync(path) && !fetchInto(join(cacheOf("runtimes"), name), install)) {
    skipped.push(`${name}: skipped: npm cannot install ${install}`);
    return;
  }
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
  runtimes[`${name.replace(/-.*/, "")} ${version}`] = [path, ...args];
}

/** Renamed when it is complete, so that a run that was broken off leaves nothing that looks like a runtime. */
function fetchInto(dir, install) {
  mkdirSync(dirname(dir), { recursive: true });
  const draft = mkdtempSync(join(dirname(dir), ".draft-"));
  const isDone = npm(draft, "install", "--prefix", draft, install);
  rmSync(dir, { recursive: true, force: true });
  if (isDone) renameSync(draft, dir);
  else rmSync(draft, { recursive: true });
  return isDone;
}

function installPackage() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const clients = CLIENTS.map((alias) => {
    const { name = alias, version } = packages[`node_modules/${alias}`];
    return `${alias}@npm:${name}@${version}`;
  });
  if (!npm(root, "pack", "--pack-destination", consumer)) process.exit(1);
  const tarball = join(consumer, readdirSync(consumer)[0]);
  writeFileSync(join(consumer, "package.json"), '{ "private": true }\n');
  if (!npm(consumer, "install", tarball, ...clients)) process.exit(1);
  if (!npm(consumer, "install", GLIDE)) skipped.push(`GLIDE: skipped: npm cannot install ${GLIDE}`);
  const contestant = join(root, "build", "test", "runtimes", "contestant.js");
  copyFileSync(contestant, join(consumer, "contestant.mjs"));
}

function npm(cwd, ...args) {
  const all = [...args, "--loglevel=error", "--no-audit", "--no-fund", "--prefer-offline"];
  return spawnSync("npm", all, { cwd, stdio: ["ignore", 2, 2] }).status === 0;
}
