import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Order, Report, ServiceName, Status } from "./messages.js";
import { TTL_MS } from "./settings.js";

const PROGRAM = fileURLToPath(new URL("service.js", import.meta.url));

const NOTHING_YET: Status = {
  kind: "status",
  atMs: 0,
  state: "starting",
  token: undefined,
  validUntilMs: undefined,
  nodes: [],
};

/** The demo's side of one service process. */
export class ServiceProcess implements AsyncDisposable {
  readonly name: ServiceName;
  readonly #child: ChildProcess;
  #status = NOTHING_YET;
  #renewalCount = 0;
  #isEnding = false;

  /**
   * @param onReport told about everything but the status.
   * @param onEnd told if the process ends by itself, with its last words.
   */
  constructor(
    name: ServiceName,
    urls: readonly string[],
    onReport: (report: Exclude<Report, Status>) => void,
    onEnd: (error: Error) => void,
  ) {
    this.name = name;
    this.#child = fork(PROGRAM, [name, ...urls], {
      execArgv: [],
      // What a service prints must not tear the view.
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let lastWords = "";
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      lastWords += chunk.toString();
    });
    this.#child.on("message", (report: Report) => {
      if (report.kind === "status") this.#onStatus(report);
      else onReport(report);
    });
    this.#child.on("error", onEnd);
    this.#child.on("close", (code, signal) => {
      if (this.#isEnding) return;
      onEnd(new Error(`service ${name} ended by itself (${signal ?? code})\n${lastWords}`));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get status(): Status {
    return this.#status;
  }

  /** How often the validity of a lock it holds was seen to be longer than before. */
  get renewalCount(): number {
    return this.#renewalCount;
  }

  order(order: Order): void {
    if (this.#child.connected) this.#child.send(order);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    const { exitCode, signalCode, pid } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  #onStatus(status: Status): void {
    const before = this.#status;
    const gainedMs = (status.validUntilMs ?? 0) - (before.validUntilMs ?? Number.POSITIVE_INFINITY);
    // Readings of two clocks differ by a little; a renewal adds at least a third of the ttl.
    if (status.token === before.token && gainedMs > TTL_MS / 10) this.#renewalCount++;
    this.#status = status;
  }
}
