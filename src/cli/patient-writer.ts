import { write } from "node:fs";
import { within } from "../runtime/within.js";

/** For a reader that is about to read, ms: a process does not end later because of one that does not. */
export const FLUSH_MS = 1_000;

/** Maximum number of texts that wait; further ones are dropped if the reader does not read. */
const MAX_WAITING_COUNT = 1_000;

/**
 * Writes texts to a file descriptor, in order, in a thread of the pool: a reader that does not read delays nothing else.
 * A stream blocks the event loop where the descriptor is a terminal, or a pipe that a child process has inherited, and
 * then no lock is renewed. What cannot be written is lost.
 */
export class PatientWriter {
  readonly #fd: number;
  #texts: string[] = [];
  #isWriting = false;
  #onIdle: (() => void) | undefined;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(text: string): void {
    if (this.#texts.length >= MAX_WAITING_COUNT) return;
    this.#texts.push(text);
    this.#writeNext();
  }

  /** Resolves when everything is written, or after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    if (!this.#isWriting) return;
    const idle = new Promise<void>((resolve) => (this.#onIdle = resolve));
    await within(idle, timeoutMs).catch(() => {});
  }

  #writeNext(): void {
    if (this.#isWriting || this.#texts.length === 0) return;
    const text = Buffer.from(this.#texts.join(""));
    this.#texts = [];
    this.#isWriting = true;
    this.#writeRest(text);
  }

  #writeRest(rest: Buffer): void {
    write(this.#fd, rest, (error, length) => {
      const code = error?.code;
      // A non-blocking pipe that is full.
      if (code === "EAGAIN") return void setTimeout(() => this.#writeRest(rest), 10).unref();
      if (error === null && length < rest.length) return this.#writeRest(rest.subarray(length));
      this.#isWriting = false;
      if (error === null) this.#writeNext();
      else this.#texts = [];
      if (!this.#isWriting) this.#onIdle?.();
    });
  }
}
