import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { forgetChild, killWithParent } from "../../src/testing/child-cleanup.js";
import { eventually } from "../support/settle.js";
import { examples, programOf, type Patience } from "./example-program.js";

/** Environment variables. */
export type Env = Readonly<Record<string, string>>;

/** One process that runs an example. */
export interface Instance {
  readonly pid: number;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

/** Several processes that run the same example at the same time, as instances of a service would. */
export class Instances implements AsyncDisposable {
  readonly all: readonly Instance[];
  readonly #dir = mkdtempSync(join(tmpdir(), "quorate-instances-"));

  /**
   * @param count how many
   * @param env what they need besides `QUORATE_NODES`, or each of them
   */
  constructor(
    name: string,
    urls: readonly string[],
    count: number,
    patience: Patience = {},
    env: Env | ((at: number) => Env) = {},
  ) {
    const program = programOf(name, urls, patience);
    // One file for all: each line is written at once, so its place says when it was written, which pipes would not.
    const log = openSync(this.#log, "a");
    this.all = Array.from({ length: count }, (_, at) => {
      const child = spawn(process.execPath, ["--input-type=module"], {
        cwd: examples,
        env: {
          ...process.env,
          QUORATE_NODES: urls.join(","),
          ...(typeof env === "function" ? env(at) : env),
        },
        stdio: ["pipe", log, log],
        // One that hangs would keep this process alive as well.
        timeout: 100_000,
        killSignal: "SIGKILL",
      });
      child.stdin?.end(program);
      const { pid = 0 } = child;
      // A paused one would stay.
      killWithParent(pid);
      const ended = once(child, "close").then(([code, signal]: (number | NodeJS.Signals)[]) => {
        forgetChild(pid);
        return (code ?? signal) as number | NodeJS.Signals;
      });
      return {
        pid,
        ended,
        kill: (signal) => void child.kill(signal),
      };
    });
    closeSync(log);
  }

  get #log(): string {
    return join(this.#dir, "log");
  }

  /** What all of them wrote, in the order in which they did. */
  get lines(): readonly string[] {
    return readFileSync(this.#log, "utf8").split("\n").slice(0, -1);
  }

  /** What they wrote that matches, as the groups of the match. */
  matches(pattern: RegExp): readonly (readonly string[])[] {
    return this.lines.flatMap((line) => {
      const found = pattern.exec(line);
      return found === null ? [] : [found.slice(1)];
    });
  }

  /** Sends the signal to the first that writes such a line, which begins with its pid, as soon as it does. */
  async interruptFirst(pattern: RegExp, signal: NodeJS.Signals): Promise<Instance> {
    await eventually(`writes ${pattern.source}`, () => this.matches(pattern).length > 0);
    const line = this.lines.find((text) => pattern.test(text)) ?? "";
    const victim = this.all.find(({ pid }) => pid === Number.parseInt(line, 10));
    if (victim === undefined) throw new Error(`no instance wrote ${line}`);
    victim.kill(signal);
    return victim;
  }

  /** Sends the signal to all. */
  kill(signal: NodeJS.Signals): void {
    for (const instance of this.all) instance.kill(signal);
  }

  /** How each ended, when all have. */
  async ends(): Promise<readonly (number | NodeJS.Signals)[]> {
    return await Promise.all(this.all.map(({ ended }) => ended));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill("SIGKILL");
    await this.ends();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
