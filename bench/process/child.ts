import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** The answer of a child; see serve.ts. */
export type Reply = { readonly answer: unknown } | { readonly error: string };

/**
 * A separate process that answers questions, so that no subject shares the heap, code or garbage of another. One
 * question at a time. It ends when it is disposed of.
 */
export class Child implements AsyncDisposable {
  readonly #what: string;
  readonly #process: ChildProcess;

  /**
   * @param what names it in errors
   * @param module its program, which calls `serve`
   */
  constructor(what: string, module: URL, execArgv: readonly string[] = []) {
    this.#what = what;
    this.#process = fork(module, {
      execArgv: [...execArgv],
      // JSON cannot express NaN, which stands for figures that a subject does not have.
      serialization: "advanced",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  }

  /** @throws Error with the child's error, or if it exited or took longer than the limit. */
  ask<Answer>(question: object, limitMs: number): Promise<Answer> {
    const child = this.#process;
    return new Promise((resolve, reject) => {
      const settle = (reply: Reply): void => {
        clearTimeout(timer);
        child.off("message", settle).off("exit", onExit).off("error", reject);
        if ("error" in reply) reject(new Error(`${this.#what}: ${reply.error}`));
        else resolve(reply.answer as Answer);
      };
      const onExit = (code: number | null): void => settle({ error: `it ended with code ${code}` });
      const timer = setTimeout(() => settle({ error: `no answer after ${limitMs} ms` }), limitMs);
      child.on("message", settle).on("exit", onExit).on("error", reject);
      child.send(question);
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Resolves only when it is gone: its exit must not take CPU time from the next process. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const isGone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await isGone;
  }
}

/** Asks one question of a separate child. */
export async function askOnce<Answer>(
  what: string,
  module: URL,
  question: object,
  limitMs: number,
  execArgv: readonly string[] = [],
): Promise<Answer> {
  await using child = new Child(what, module, execArgv);
  return await child.ask<Answer>(question, limitMs);
}
