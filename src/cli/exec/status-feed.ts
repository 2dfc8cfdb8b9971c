import { write } from "node:fs";
import { within } from "../../runtime/within.js";

/** What happened to the lock of a command. */
export type StatusEvent =
  | "waiting"
  | "acquired"
  | "renewed"
  | "late"
  | "stopping"
  | "killed"
  | "released";

/** One line of the feed. */
export interface Status {
  readonly event: StatusEvent;
  readonly fencingToken?: number | undefined;
  /** Remaining validity, ms. */
  readonly validMs?: number | undefined;
  readonly reason?: string | undefined;
}

/** Maximum number of buffered lines; further ones are dropped if the reader does not read. */
const MAX_WAITING_LINES = 1_000;

/** One JSON line per event on a file descriptor. A slow or missing reader delays nothing. */
export class StatusFeed {
  readonly #fd: number | undefined;
  #lines: string[] = [];
  #isWriting = false;
  #onIdle: (() => void) | undefined;

  constructor(fd: number | undefined) {
    this.#fd = fd;
  }

  tell({ event, fencingToken, validMs, reason }: Status): void {
    if (this.#fd === undefined || this.#lines.length >= MAX_WAITING_LINES) return;
    const atMs = Date.now();
    const about = { event, atMs, fencingToken, validMs: validMs && Math.floor(validMs), reason };
    this.#lines.push(`${JSON.stringify(about)}\n`);
    this.#write();
  }

  /** Resolves when everything is written, or after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    if (!this.#isWriting) return;
    const idle = new Promise<void>((resolve) => (this.#onIdle = resolve));
    await within(idle, timeoutMs).catch(() => {});
  }

  #write(): void {
    if (this.#fd === undefined || this.#isWriting || this.#lines.length === 0) return;
    const text = Buffer.from(this.#lines.join(""));
    this.#lines = [];
    this.#isWriting = true;
    this.#writeRest(this.#fd, text);
  }

  #writeRest(fd: number, rest: Buffer): void {
    write(fd, rest, (error, length) => {
      const code = error?.code;
      // A non-blocking pipe that is full.
      if (code === "EAGAIN") return void setTimeout(() => this.#writeRest(fd, rest), 10).unref();
      if (error === null && length < rest.length) return this.#writeRest(fd, rest.subarray(length));
      this.#isWriting = false;
      if (error === null) this.#write();
      if (!this.#isWriting) this.#onIdle?.();
    });
  }
}
