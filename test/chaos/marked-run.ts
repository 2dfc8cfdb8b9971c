import { spawn, type ChildProcess } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CHAOS = fileURLToPath(new URL("../../chaos/main.js", import.meta.url));

/**
 * A campaign in a process of its own. All its processes inherit a mark, and put their files into
 * one directory: so whatever is left of it can be found.
 */
export class MarkedRun implements Disposable {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  /** Where it runs, and leaves its report. */
  readonly dir: string;
  readonly #tmp: string;
  readonly #mark: string;
  output = "";

  /** @param files are there when it begins, by their names */
  constructor(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
    this.dir = mkdtempSync(join(tmpdir(), "quorate-run-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.dir, name), text);
    this.#tmp = join(this.dir, "tmp");
    mkdirSync(this.#tmp);
    this.#mark = `QUORATE_TEST_MARK=${this.dir}`;
    const env = { ...process.env, TMPDIR: this.#tmp, QUORATE_TEST_MARK: this.dir };
    // A group of its own, as a terminal would give it one: Ctrl-C goes to the whole group.
    const options = { cwd: this.dir, env, detached: true } as const;
    this.child = spawn(process.execPath, [CHAOS, ...args], options);
    this.child.stdout?.on("data", (chunk: Buffer) => (this.output += chunk.toString()));
    this.child.stderr?.on("data", (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = new Promise((resolve) => this.child.once("close", resolve));
  }

  /** Ctrl-C in its terminal. */
  interrupt(): void {
    if (this.child.pid !== undefined) process.kill(-this.child.pid, "SIGINT");
  }

  /** Its processes that run or are stopped: the child, its children and theirs. */
  get processes(): { readonly pid: number; readonly command: string }[] {
    return readdirSync("/proc").flatMap((pid) => {
      try {
        if (!this.#isOurs(pid)) return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return { pid: Number(pid), command };
      } catch {
        // No process, or one that has just ended, or somebody else's.
        return [];
      }
    });
  }

  /** Temporary files and directories that it has, but for the compiled clock, which is kept. */
  get files(): string[] {
    return readdirSync(this.#tmp).filter((name) => !name.startsWith("quorate-clock-"));
  }

  #isOurs(pid: string): boolean {
    if (readFileSync(`/proc/${pid}/environ`, "utf8").includes(this.#mark)) return true;
    // Redis writes its title over its environment; it works in its data directory.
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(this.#tmp);
  }

  [Symbol.dispose](): void {
    if (this.child.exitCode === null) this.child.kill("SIGKILL");
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
