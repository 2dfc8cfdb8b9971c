// The Docker engine: an existing one, or one started by these scripts together with the list of its users.
import { spawn, spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const STOP_MS = 20_000;
/** Time for cleaning up after an interrupted run before the engine is stopped. */
const GRACE_MS = 5000;

/**
 * In a separate process, because testcontainers looks for its engine only once per process, and these scripts may be
 * about to start one.
 */
const PROBE = `
  const { getContainerRuntimeClient } = await import("testcontainers");
  const { info } = await getContainerRuntimeClient();
  process.stdout.write("engine " + info.containerRuntime.serverVersion);`;

/** The name of an engine that answers, or the reason why there is none. */
export function answeringEngine() {
  const args = ["--input-type=module", "-e", PROBE];
  const probe = spawnSync(process.execPath, args, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    encoding: "utf8",
    timeout: 30_000,
  });
  if (probe.status === 0) return { name: probe.stdout };
  const missing = /ERR_MODULE_NOT_FOUND/.test(probe.stderr);
  return { reason: missing ? "testcontainers is not installed" : "no Docker engine responds" };
}

/**
 * Files of the engine that these scripts start, shared by all runs of this user. It has its own data directory: with
 * that of an engine that was stopped on purpose, it would start unrelated containers.
 */
export const ownEngine = {
  dir: join(tmpdir(), `quorate-docker-${process.getuid?.() ?? 0}`),
  get socket() {
    return join(this.dir, "docker.sock");
  },
  get pidFile() {
    return join(this.dir, "dockerd.pid");
  },
  get users() {
    return join(this.dir, "users");
  },
  /** Creates the directory. Anybody else who can write to it could make these scripts run anything. */
  prepare() {
    mkdirSync(this.dir, { recursive: true, mode: 0o700 });
    const stat = lstatSync(this.dir);
    if (stat.isDirectory() && stat.uid === process.getuid() && (stat.mode & 0o022) === 0) return;
    throw new Error(`${this.dir} is not a directory that only this user can write`);
  },
  /** Whether it is up. */
  answers() {
    return new Promise((resolve) => {
      const ping = request({ socketPath: this.socket, path: "/_ping", timeout: 2000 }, (reply) => {
        reply.resume();
        resolve(reply.statusCode === 200);
      });
      ping.once("timeout", () => ping.destroy());
      ping.once("error", () => resolve(false));
      ping.end();
    });
  },
};

/** Adds this process to the list of users, and removes it on exit if it did not leave before. */
export function joinOwnEngine() {
  mkdirSync(ownEngine.users, { recursive: true });
  writeFileSync(join(ownEngine.users, String(process.pid)), "");
  process.once("exit", leaveLater);
}

/** Removes a process from the list; the last one stops the engine. */
export async function leaveOwnEngine(say, pid = process.pid) {
  process.off("exit", leaveLater);
  const entry = join(ownEngine.users, String(pid));
  if (!exists(entry)) return;
  rmSync(entry, { force: true });
  if (readdirSync(ownEngine.users).some((user) => isAlive(Number(user)))) return;
  const daemon = Number.parseInt(read(ownEngine.pidFile), 10);
  if (isAlive(daemon)) process.kill(daemon, "SIGTERM");
  for (let waitedMs = 0; isAlive(daemon); waitedMs += 100) {
    if (waitedMs >= STOP_MS) {
      say(`docker: the engine, process ${daemon}, does not end; its files are in ${ownEngine.dir}`);
      return;
    }
    await sleep(100);
  }
  removeFiles(say);
}

function removeFiles(say) {
  // The engine mounts its data directory onto itself, and does not always undo it.
  spawnSync("umount", [join(ownEngine.dir, "data")], { stdio: "ignore" });
  try {
    rmSync(ownEngine.dir, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    say(`docker: the files of the engine stay in ${ownEngine.dir}: ${error.message}`);
  }
}

/** An exiting process cannot wait, so it leaves the rest to another process. */
function leaveLater() {
  const args = [fileURLToPath(import.meta.url), String(process.pid)];
  spawn(process.execPath, args, { detached: true, stdio: "ignore" }).unref();
}

/** Also false for a process that has ended but has not been reaped, as in many containers. */
export function isAlive(pid) {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (error) {
    return error.code === "EPERM";
  }
}

function exists(path) {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function read(file) {
  return exists(file) ? readFileSync(file, "utf8") : "";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await sleep(GRACE_MS);
  await leaveOwnEngine(() => {}, Number(process.argv[2]));
}
