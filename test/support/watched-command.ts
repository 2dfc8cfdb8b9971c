import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Time between two stamps, s. */
const PACE = "0.02";

/** Stamps of processes, in a folder: when each was seen alive, by the clock that all share. */
export class StampFolder implements Disposable {
  readonly dir: string = mkdtempSync(join(tmpdir(), "quorate-stamps-"));

  /** A shell command that stamps `name` for as long as it runs. It ignores TERM if it is `stubborn`. */
  stamper(name: string, isStubborn = true): string {
    const trap = isStubborn ? 'trap "" TERM INT HUP; ' : "";
    // The time of a file says when it was last written, without a process for each stamp.
    return `${trap}while :; do : > ${this.file(name)}; sleep ${PACE}; done`;
  }

  file(name: string): string {
    return join(this.dir, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.file(name), text);
  }

  has(name: string): boolean {
    return existsSync(this.file(name));
  }

  remove(name: string): void {
    rmSync(this.file(name), { force: true });
  }

  /** Writes a script that the command line can name. */
  script(name: string, text: string): string {
    const file = this.file(name);
    writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
  }

  /** When it was stamped last, ms since 1970. */
  lastMs(name: string): number {
    return statSync(this.file(name)).mtimeMs;
  }

  text(name: string): string {
    return existsSync(this.file(name)) ? readFileSync(this.file(name), "utf8") : "";
  }

  async exists(name: string, timeoutMs = 40_000): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    while (!existsSync(this.file(name))) {
      if (performance.now() > endMs) throw new Error(`no ${name} after ${timeoutMs} ms`);
      await sleep(10);
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}
