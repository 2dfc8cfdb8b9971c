import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { within } from "../runtime/within.js";
import type { EngineContainer } from "./docker-engine.js";
import { READY } from "./redis-launch.js";

/** One run of the server in a container, from before its start to its end, tracked by its output. */
export class ContainerRun {
  /** Resolves when the server is ready or has ended. */
  readonly settled: Promise<void>;
  #words = "";
  #hasEnded = false;

  private constructor(output: PassThrough) {
    this.settled = new Promise((resolve) => {
      output.on("data", (chunk: Buffer) => {
        // Later output is not needed, but must be read to detect the end.
        if (this.isReady) return;
        this.#words += chunk.toString();
        if (this.isReady) resolve();
      });
      output.once("end", () => {
        this.#hasEnded = true;
        resolve();
      });
    });
  }

  /** Call it before the container is started, so that no output is missed. */
  static async watch(container: EngineContainer): Promise<ContainerRun> {
    const stream = await container.attach({ stream: true, stdout: true, stderr: true });
    // A server left running must not keep the host program from ending.
    if ("socket" in stream && stream.socket instanceof Socket) stream.socket.unref();
    const output = new PassThrough();
    container.modem.demuxStream(stream, output, output);
    stream.on("error", () => {});
    stream.once("close", () => output.end());
    return new ContainerRun(output);
  }

  get isReady(): boolean {
    return this.#words.includes(READY);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** @throws Error with the server's output if it ends, or is not ready within `timeoutMs`. */
  async readyWithin(timeoutMs: number): Promise<void> {
    await within(this.settled, timeoutMs).catch(() => {});
    if (this.isReady && !this.hasEnded) return;
    const what = this.hasEnded
      ? "ended before it was ready"
      : `was not ready within ${timeoutMs} ms`;
    throw new Error(`redis-server ${what}\n${this.#words}`);
  }
}
