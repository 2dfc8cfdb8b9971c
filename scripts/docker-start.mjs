// Starts a Docker engine with its own files, and installs one first if needed.
import { spawn, spawnSync } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { aptScript } from "./apt-script.mjs";
import { isAlive, ownEngine } from "./docker-engine.mjs";

const START_MS = 30_000;
const INSTALL_MS = 300_000;

const INSTALL = aptScript("docker.io");

/** @throws Error with the reason why no engine can be started. */
export async function startOwnEngine(say) {
  if (process.platform !== "linux") throw new Error("an engine can be brought up only on Linux");
  if (process.getuid() !== 0) throw new Error("an engine can be brought up only by root");
  if (!has("dockerd")) install(say);
  ownEngine.prepare();
  const { dir, socket, pidFile } = ownEngine;
  const log = join(dir, "dockerd.log");
  const output = openSync(log, "a");
  const args = [
    ["--host", `unix://${socket}`],
    ["--pidfile", pidFile],
    ["--data-root", join(dir, "data")],
    ["--exec-root", join(dir, "exec")],
  ];
  say(`docker: starting an engine in ${dir}`);
  const child = spawn("dockerd", args.flat(), {
    detached: true,
    stdio: ["ignore", output, output],
  });
  let failure;
  child.once("error", (error) => (failure = error.message));
  child.once("exit", () => (failure = lastWords(log)));
  child.unref();
  for (let waitedMs = 0; waitedMs < START_MS; waitedMs += 100) {
    if (await ownEngine.answers()) return;
    // Another run may have started one at the same moment; then ours has to exit.
    if (failure !== undefined && !isAlive(pidIn(pidFile))) break;
    await sleep(100);
  }
  if (failure === undefined) child.kill();
  throw new Error(`dockerd does not run here: ${failure ?? `no answer in ${START_MS} ms`}`);
}

function install(say) {
  if (!has("apt-get"))
    throw new Error("dockerd is not installed, and there is no apt-get to do it");
  say("docker: installing docker.io with apt-get");
  // Output goes to stderr, because stdout is for the tests.
  spawnSync("sh", ["-c", INSTALL], { stdio: ["ignore", 2, 2], timeout: INSTALL_MS });
  if (!has("dockerd")) throw new Error("apt-get could not install docker.io");
}

function has(program) {
  return spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;
}

/** The log line that says why it exited. */
function lastWords(log) {
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  return lines.findLast((line) => /failed|error|fatal/i.test(line)) ?? lines.at(-1) ?? "";
}

function pidIn(file) {
  try {
    return Number.parseInt(readFileSync(file, "utf8"), 10);
  } catch {
    return 0;
  }
}
