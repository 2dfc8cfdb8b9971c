import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Starts the program once, and checks whether its port and its pid are reachable from here. */
export async function probeServer(program) {
  const dir = mkdtempSync(join(tmpdir(), "quorate-probe-"));
  const pidFile = join(dir, "redis.pid");
  const port = await freePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--pidfile", pidFile];
  const child = spawn(program, args, { stdio: "ignore" });
  child.on("error", () => {});
  try {
    for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++) {
      if (await answers(port)) return end(pidFile);
      await sleep(100);
    }
    return false;
  } finally {
    child.kill();
    rmSync(dir, { recursive: true, force: true });
  }
}

function end(pidFile) {
  try {
    process.kill(Number.parseInt(readFileSync(pidFile, "utf8"), 10), "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    socket.once("data", (reply) => {
      socket.destroy();
      resolve(reply.toString().startsWith("+PONG"));
    });
    socket.once("error", () => resolve(false));
    socket.setTimeout(1000, () => {
      socket.destroy();
      resolve(false);
    });
  });
}
