import type { RedisContainerOptions } from "./options.js";
import { setTimeout as sleep } from "node:timers/promises";
import { checkContainerOptions, checkRestartOptions } from "./arguments.js";
import { ContainerRun } from "./container-run.js";
import { startContainer } from "./container-setup.js";
import { dockerEngine, type DockerEngine, type EngineContainer } from "./docker-engine.js";
import { isPortTaken, tolerating } from "./engine-errors.js";
import { claimPort, untilRefused, type PortClaim } from "./free-port.js";
import { commandAccess, redisUrl, runCommand } from "./redis-command.js";
import type { RedisServer, RestartOptions } from "./redis-provider.js";
import { UnavailableError } from "./unavailable-error.js";

const BIND_ATTEMPTS = 10;
const LAST_WORDS_MS = 1000;
const NOT_FOUND = 404;
const CONFLICT = 409;

/**
 * A Redis server in a Docker container, with its port on 127.0.0.1. It needs the package
 * `testcontainers` and a Docker engine on this host.
 *
 * It does not keep this process alive. However this process ends, the container is removed. Files named in the options
 * are copied into it.
 */
export class RedisContainer implements RedisServer {
  readonly port: number;
  readonly #claim: PortClaim;
  readonly #engine: DockerEngine;
  readonly #options: RedisContainerOptions;
  #container: EngineContainer | undefined;
  #run: ContainerRun | undefined;
  #stopped = false;

  private constructor(claim: PortClaim, engine: DockerEngine, options: RedisContainerOptions) {
    this.port = claim.port;
    this.#claim = claim;
    this.#engine = engine;
    this.#options = options;
  }

  /**
   * Starts one server and resolves when it accepts connections. A missing image is pulled first; this does not count
   * towards `startTimeoutMs`.
   *
   * @throws TypeError or RangeError for bad arguments, naming the option and the value.
   * @throws UnavailableError if there is no Docker engine or the package is not installed; with `clock: true` always.
   * @throws Error if the server exits or is not ready within `startTimeoutMs`.
   */
  static async start(options: RedisContainerOptions = {}): Promise<RedisContainer> {
    checkContainerOptions(options);
    if (options.clock === true) {
      const message = "the clock of a server in a container cannot be changed; use local processes";
      throw new UnavailableError("QUORATE_TESTING_NO_CLOCK", message);
    }
    const engine = await dockerEngine();
    for (let attempt = 1; ; attempt++) {
      const server = new RedisContainer(await claimPort(), engine, options);
      try {
        await server.#create();
        return server;
      } catch (error) {
        await server.stop();
        if (!isPortTaken(error) || attempt === BIND_ATTEMPTS) throw error;
      }
    }
  }

  get url(): string {
    return redisUrl(this.port, this.#options);
  }

  get isRunning(): boolean {
    return this.#run?.hasEnded === false;
  }

  /** Id of the container; undefined while there is none. It changes on a restart without `keepData`. */
  get containerId(): string | undefined {
    return this.#container?.id;
  }

  async pause(): Promise<void> {
    const container = this.#running("pause");
    if (!(await isPaused(container))) await container.pause();
  }

  async resume(): Promise<void> {
    const container = this.#running("resume");
    if (await isPaused(container)) await container.unpause();
  }

  async kill(): Promise<void> {
    const container = this.#container;
    if (container === undefined || this.#run === undefined) return;
    await tolerating([NOT_FOUND, CONFLICT], () => container.kill({ signal: "SIGKILL" }));
    await tolerating([NOT_FOUND], () => container.wait());
    // The engine closes the port on this host a moment after the server has ended.
    await untilRefused(this.port);
    this.#run = undefined;
  }

  async restart(options: RestartOptions = {}): Promise<void> {
    checkRestartOptions(options);
    const { keepData = true } = options;
    if (this.#stopped) throw new Error("cannot restart a server that was stopped");
    await this.kill();
    if (!keepData) await this.#remove();
    for (let attempt = 1; ; attempt++) {
      try {
        await (this.#container === undefined ? this.#create() : this.#startAgain(this.#container));
        return;
      } catch (error) {
        if (!isPortTaken(error) || attempt === BIND_ATTEMPTS) throw error;
        await sleep(50);
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.kill();
    await this.#remove();
    this.#claim.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  command(...args: (string | number)[]): Promise<unknown> {
    return runCommand(this.port, args, commandAccess(this.#options));
  }

  get #timeoutMs(): number {
    return this.#options.startTimeoutMs ?? 30_000;
  }

  async #create(): Promise<void> {
    let onSettled = (): void => {};
    const settled = new Promise<void>((resolve) => (onSettled = resolve));
    const starting = startContainer(this.#engine, {
      image: this.#options.image ?? (process.env["QUORATE_REDIS_IMAGE"] || "redis:7"),
      port: this.port,
      options: this.#options,
      timeoutMs: this.#timeoutMs,
      onCreated: async (container) => {
        this.#container = container;
        this.#run = await ContainerRun.watch(container);
        void this.#run.settled.then(onSettled);
      },
    });
    try {
      // Without the race, it would take seconds to notice a server that rejects its configuration.
      await Promise.race([starting, settled]);
      await this.#run?.readyWithin(this.#timeoutMs);
      await starting;
    } catch (error) {
      starting.catch(() => {});
      const reason = isPortTaken(error) ? error : await this.#lastWords(error);
      await this.#remove();
      throw reason;
    }
  }

  /** The server's own output explains more than the failed wait does. */
  async #lastWords(cause: unknown): Promise<unknown> {
    try {
      await this.#run?.readyWithin(LAST_WORDS_MS);
      return cause;
    } catch (error) {
      const same =
        cause instanceof Error && error instanceof Error && cause.message === error.message;
      return same || !(error instanceof Error) ? cause : new Error(error.message, { cause });
    }
  }

  async #startAgain(container: EngineContainer): Promise<void> {
    const run = await ContainerRun.watch(container);
    await container.start();
    this.#run = run;
    try {
      await run.readyWithin(this.#timeoutMs);
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  async #remove(): Promise<void> {
    const container = this.#container;
    this.#container = undefined;
    this.#run = undefined;
    if (container === undefined) return;
    await tolerating([NOT_FOUND, CONFLICT], () => container.remove({ force: true, v: true }));
  }

  #running(verb: string): EngineContainer {
    if (this.#container !== undefined && this.isRunning) return this.#container;
    throw new Error(`cannot ${verb} a server that is not running`);
  }
}

async function isPaused(container: EngineContainer): Promise<boolean> {
  return (await container.inspect()).State.Paused;
}
