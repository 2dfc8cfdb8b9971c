import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

/** What a child answers; see serve.ts. */
export type Reply = { readonly answer: unknown } | { readonly error: string };

/**
 * A process of its own that answers questions: no subject meets another's heap, code or garbage.
 * One question at a time. It ends when it is disposed of.
 */
export class Child implements AsyncDisposable {
  readonly #what: string;
  readonly #process: ChildProcess;

  /**
   * @param what for errors
   * @param module its program, which calls `serve`
   */
  constructor(what: string, module: URL, execArgv: readonly string[] = []) {
    this.#what = what;
    this.#process = fork(module, {
      execArgv: [...execArgv],
      // JSON knows no NaN, which stands for what a subject does not have.
      serialization: "advanced",
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
  }

  /** @throws Error with what the child said, or if it ended or took longer than that. */
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

  /** Resolves only when it is gone: the next one must not share the processor with its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const isGone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await isGone;
  }
}

/** Asks one question of a child of its own. */
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
