import type { RedisProcessOptions } from "./options.js";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { checkProcessOptions, checkRestartOptions } from "./arguments.js";
import { cleanupRoot } from "./child-cleanup.js";
import { clockShim } from "./clock-shim.js";
import { claimPort, type PortClaim } from "./free-port.js";
import { waitUntilStopped } from "./process-state.js";
import { findRedisBinary } from "./redis-binary.js";
import { commandAccess, redisUrl, runCommand } from "./redis-command.js";
import { redisConfig } from "./redis-config.js";
import { launchRedis, PortTakenError, type LaunchedProcess } from "./redis-launch.js";
import type { RedisServer, RestartOptions } from "./redis-provider.js";
import { ServerClock } from "./server-clock.js";
import { UnavailableError } from "./unavailable-error.js";

const BIND_ATTEMPTS = 10;

/**
 * A local `redis-server` process on 127.0.0.1 with a data directory of its own.
 *
 * It does not keep this process alive. However this process ends, the server is killed and its files are removed.
 */
export class RedisProcess implements RedisServer {
  readonly port: number;
  readonly clock: ServerClock | undefined;
  readonly #options: RedisProcessOptions;
  /** Undefined for a port that the caller chose. */
  readonly #claim: PortClaim | undefined;
  readonly #dir: string;
  #process: LaunchedProcess | undefined;
  #stopped = false;

  private constructor(port: number, options: RedisProcessOptions, claim?: PortClaim) {
    this.port = port;
    this.#options = options;
    this.#claim = claim;
    this.#dir = mkdtempSync(join(cleanupRoot(), `${port}-`));
    this.clock = options.clock === true ? new ServerClock(this.#clockFile) : undefined;
  }

  /**
   * Starts one server and resolves when it accepts connections.
   *
   * @throws TypeError or RangeError for bad arguments, naming the option and the value.
   * @throws Error if there is no server program, or if it exits or is not ready within `startTimeoutMs`.
   * @throws UnavailableError `QUORATE_TESTING_NO_CLOCK` with `clock: true` if its clock cannot be changed here.
   */
  static async start(options: RedisProcessOptions = {}): Promise<RedisProcess> {
    checkProcessOptions(options);
    for (let attempt = 1; ; attempt++) {
      const server = await RedisProcess.#at(options);
      try {
        await server.#launch();
        return server;
      } catch (error) {
        await server.stop();
        const another = options.port === undefined && attempt < BIND_ATTEMPTS;
        if (!(error instanceof PortTakenError) || !another) throw error;
      }
    }
  }

  static async #at(options: RedisProcessOptions): Promise<RedisProcess> {
    if (options.port !== undefined) return new RedisProcess(options.port, options);
    const claim = await claimPort();
    try {
      return new RedisProcess(claim.port, options, claim);
    } catch (error) {
      claim.release();
      throw error;
    }
  }

  get url(): string {
    return redisUrl(this.port, this.#options);
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** Pid of the server, or undefined while it is not running. */
  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async pause(): Promise<void> {
    const { pid } = this.#running("pause");
    process.kill(pid, "SIGSTOP");
    await waitUntilStopped(pid);
  }

  async resume(): Promise<void> {
    process.kill(this.#running("resume").pid, "SIGCONT");
  }

  async kill(): Promise<void> {
    const current = this.#process;
    if (current === undefined) return;
    // Otherwise the event loop could end before the exit is seen.
    current.child.ref();
    sendKill(current.pid);
    await current.exited;
  }

  async restart(options: RestartOptions = {}): Promise<void> {
    checkRestartOptions(options);
    const { keepData = true } = options;
    if (this.#stopped) throw new Error("cannot restart a server that was stopped");
    await this.kill();
    if (!keepData) await rm(this.#dataDir, { recursive: true, force: true });
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#launch();
        return;
      } catch (error) {
        if (!(error instanceof PortTakenError) || attempt === BIND_ATTEMPTS) throw error;
        await sleep(50);
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.kill();
    this.clock?.close();
    this.#claim?.release();
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 3 });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  command(...args: (string | number)[]): Promise<unknown> {
    return runCommand(this.port, args, commandAccess(this.#options));
  }

  get #dataDir(): string {
    return join(this.#dir, "data");
  }

  get #clockFile(): string {
    return join(this.#dir, "clock");
  }

  async #launch(): Promise<void> {
    const config = join(this.#dir, "redis.conf");
    const pidFile = join(this.#dir, "redis.pid");
    await mkdir(this.#dataDir, { recursive: true });
    await rm(pidFile, { force: true });
    const place = { port: this.port, dataDir: this.#dataDir, pidFile };
    await writeFile(config, redisConfig(place, this.#options));
    const launched = await launchRedis({
      binary: this.#options.binary ?? findRedisBinary(),
      args: [config, ...(this.#options.extraArgs ?? [])],
      env: this.clock === undefined ? {} : await this.#clockEnv(),
      pidFile,
      timeoutMs: this.#options.startTimeoutMs ?? 30_000,
    });
    this.#process = launched;
    launched.child.once("exit", () => {
      if (this.#process === launched) this.#process = undefined;
    });
    await this.#checkClock(launched.pid);
  }

  async #clockEnv(): Promise<Record<string, string>> {
    const others = process.env["LD_PRELOAD"] ?? "";
    return {
      LD_PRELOAD: `${await clockShim()} ${others}`.trim(),
      QUORATE_CLOCK_FILE: this.#clockFile,
    };
  }

  /** A statically linked program, or one in a container, would silently ignore the clock. */
  async #checkClock(pid: number): Promise<void> {
    if (this.clock === undefined || this.clock.governs(pid)) return;
    await this.kill();
    const binary = this.#options.binary ?? findRedisBinary();
    const message = `the clock of ${binary} cannot be changed: it does not load shared libraries`;
    throw new UnavailableError("QUORATE_TESTING_NO_CLOCK", message);
  }

  #running(verb: string): LaunchedProcess {
    if (this.#process === undefined) throw new Error(`cannot ${verb} a server that is not running`);
    return this.#process;
  }
}

function sendKill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has just ended on its own.
  }
}
