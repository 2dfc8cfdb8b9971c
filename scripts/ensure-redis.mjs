// Finds or installs a redis-server for tests, demo and bench.
import { fileURLToPath } from "node:url";
import { fromDocker, fromPackageManager, fromPath } from "./redis-sources.mjs";

const HELP = `no redis-server found, and no way to get one. Any of these will do:
  1. Put redis-server (or valkey-server) on PATH, or its path into QUORATE_REDIS_SERVER.
  2. Run a Docker engine that has, or can pull, a redis or valkey image.
  3. Run this as root, or with sudo that asks for no password, where apt-get, dnf or apk can
     install Redis; or have brew.`;

/**
 * Resolves to the path of a server program and sets QUORATE_REDIS_SERVER for child processes.
 * Exits with code 1 when none is available.
 */
export async function ensureRedis() {
  const path = await find();
  if (path === undefined) {
    console.error(HELP);
    process.exit(1);
  }
  process.env.QUORATE_REDIS_SERVER = path;
  return path;
}

// Not to stdout, which is for the tests.
const say = (line) => console.error(line);

async function find() {
  const given = process.env.QUORATE_REDIS_SERVER;
  if (given) {
    say(`redis: using ${given} (QUORATE_REDIS_SERVER)`);
    return given;
  }
  const onPath = fromPath();
  if (onPath !== undefined) {
    say(`redis: using ${onPath}`);
    return onPath;
  }
  return (await fromDocker(say)) ?? fromPackageManager(say);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureRedis();
