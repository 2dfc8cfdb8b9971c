// The ways to get a redis-server, each a function that resolves to a path or to undefined.
import { spawnSync } from "node:child_process";
import { accessSync, chmodSync, constants, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { probeServer } from "./redis-probe.mjs";
import { aptScript } from "./apt-script.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PULLED_IMAGE = "redis:7";

/** A server program on PATH, or where package managers install it if PATH lacks that directory. */
export function fromPath() {
  const dirs = [
    ...(process.env.PATH ?? "").split(delimiter),
    "/usr/local/bin",
    "/opt/homebrew/bin",
  ];
  for (const name of ["redis-server", "valkey-server"]) {
    const path = dirs.map((dir) => join(dir, name)).find(isExecutable);
    if (path !== undefined) return path;
  }
  return undefined;
}

/** A script that runs an image with the host's network and pids, like a local program. */
export async function fromDocker(say) {
  if (!works("docker", ["info"], 10_000)) return undefined;
  let image = localImage();
  if (image === undefined) {
    say(`redis: pulling ${PULLED_IMAGE} with Docker (60 s at most)`);
    if (!works("docker", ["pull", "--quiet", PULLED_IMAGE], 60_000)) return undefined;
    image = PULLED_IMAGE;
  }
  const shim = writeShim(image);
  // If Docker runs in a virtual machine, neither ports nor pids are this host's.
  if (!(await probeServer(shim))) return undefined;
  say(`redis: running the Docker image ${image}`);
  return shim;
}

function localImage() {
  const list = spawnSync("docker", ["image", "ls", "--format", "{{.Repository}}:{{.Tag}}"], {
    encoding: "utf8",
    timeout: 10_000,
  });
  return list.stdout?.split("\n").find((name) => /(^|\/)(redis|valkey):(?!<none>)/.test(name));
}

function writeShim(image) {
  const dir = join(root, "node_modules", ".cache", "quorate");
  const path = join(dir, "redis-server");
  const program = /(^|\/)valkey:/.test(image) ? "valkey-server" : "redis-server";
  mkdirSync(dir, { recursive: true });
  // --pid host makes the pid file name a process that signals can reach. --user allows signals
  // without root, and lets the server write its data directory.
  writeFileSync(
    path,
    `#!/bin/sh
exec docker run --rm -i --network host --pid host --user "$(id -u):$(id -g)" \\
  -v '${tmpdir()}:${tmpdir()}' -v "$PWD:$PWD:ro" --entrypoint ${program} '${image}' "$@"
`,
  );
  chmodSync(path, 0o755);
  return path;
}

const MANAGERS = [
  { tool: "apt-get", script: aptScript("redis-server"), needsRoot: true },
  { tool: "dnf", script: "dnf install -y -q redis || dnf install -y -q valkey", needsRoot: true },
  { tool: "apk", script: "apk add -q redis || apk add -q valkey", needsRoot: true },
  { tool: "brew", script: "brew install --quiet redis", needsRoot: false },
];

/** The system's package manager, if it can install without a prompt. */
export function fromPackageManager(say) {
  for (const { tool, script, needsRoot } of MANAGERS) {
    if (!works("sh", ["-c", `command -v ${tool}`], 5000)) continue;
    const sudo = needsRoot && process.getuid?.() !== 0;
    if (sudo && !works("sudo", ["-n", "true"], 5000)) continue;
    say(`redis: installing redis-server with ${tool}`);
    const [command, ...args] = sudo ? ["sudo", "-n", "sh", "-c", script] : ["sh", "-c", script];
    // Output goes to stderr, because stdout is for the tests.
    spawnSync(command, args, { stdio: ["ignore", 2, 2], timeout: 300_000 });
    const path = fromPath();
    if (path !== undefined) return path;
  }
  return undefined;
}

function works(command, args, timeout) {
  return spawnSync(command, args, { stdio: "ignore", timeout }).status === 0;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
