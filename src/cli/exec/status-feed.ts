import { PatientWriter } from "../patient-writer.js";

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

/** One JSON line per event on a file descriptor. A slow or missing reader delays nothing. */
export class StatusFeed {
  readonly #writer: PatientWriter | undefined;

  constructor(fd: number | undefined) {
    this.#writer = fd === undefined ? undefined : new PatientWriter(fd);
  }

  tell({ event, fencingToken, validMs, reason }: Status): void {
    const atMs = Date.now();
    const about = { event, atMs, fencingToken, validMs: validMs && Math.floor(validMs), reason };
    this.#writer?.write(`${JSON.stringify(about)}\n`);
  }

  /** Resolves when everything is written, or after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    await this.#writer?.flush(timeoutMs);
  }
}
