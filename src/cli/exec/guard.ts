import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { EXIT, ExitError } from "../exit-codes.js";
import type { GuardTimes } from "./stop-times.js";
import { readClocks, type GuardLine } from "./guard-lines.js";
import type { Target } from "./target.js";

const PROGRAM = fileURLToPath(new URL("./guard-main.js", import.meta.url));

/** How often a killed guard is restarted. If all of these are killed, more would not help. */
const MAX_RESTARTS = 100;

/** The guard process of one command, as quorate sees it. It is restarted if it is killed. */
export class Guard {
  readonly #hello: GuardLine;
  #target: Target | undefined;
  #until: GuardLine | undefined;
  #isStopping = false;
  #isEnded = false;
  #restartCount = 0;
  #child: ChildProcessByStdio<Writable, null, null>;

  /** @throws ExitError if no process can be started */
  static async start(hello: Omit<Extract<GuardLine, { kind: "hello" }>, "kind">): Promise<Guard> {
    const guard = new Guard({ kind: "hello", ...hello });
    const child = guard.#child;
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) =>
        reject(new ExitError(`cannot start the guard process: ${error.message}`, EXIT.system)),
      );
    });
    return guard;
  }

  private constructor(hello: GuardLine) {
    this.#hello = hello;
    this.#child = this.#spawn();
  }

  /** Names the processes to stop. The line is in the pipe when this returns, before anything can happen to them. */
  guard(target: Target): void {
    this.#target = target;
    this.#tell({ kind: "target", target });
  }

  /** Until when they may run, unless a later update changes it. */
  update(times: GuardTimes): void {
    this.#until = { kind: "until", sent: readClocks(), ...times };
    this.#tell(this.#until);
  }

  stopping(): void {
    this.#isStopping = true;
    this.#tell({ kind: "stopping" });
  }

  /** Nothing is left to guard. Settles when the guard has ended, too. */
  async end(): Promise<void> {
    this.#isEnded = true;
    const child = this.#child;
    const isGone = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    const gone = isGone ? undefined : new Promise((resolve) => child.once("exit", resolve));
    this.#tell({ kind: "end" });
    child.stdin.end();
    await gone;
  }

  #spawn(): ChildProcessByStdio<Writable, null, null> {
    const child = spawn(process.execPath, [PROGRAM], {
      detached: true,
      cwd: "/",
      env: environment(process.env),
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.stdin.on("error", () => {});
    child.on("error", () => {});
    child.once("exit", () => this.#restart());
    write(child, this.#hello);
    return child;
  }

  #restart(): void {
    if (this.#isEnded || this.#restartCount >= MAX_RESTARTS) return;
    this.#restartCount++;
    this.#child = this.#spawn();
    if (this.#until !== undefined) this.#tell(this.#until);
    if (this.#isStopping) this.#tell({ kind: "stopping" });
    if (this.#target !== undefined) this.#tell({ kind: "target", target: this.#target });
  }

  #tell(line: GuardLine): void {
    write(this.#child, line);
  }
}

/** Without what it does not need: options of Node.js, and the passwords of nodes, which it does not know. */
function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isNeeded = (name: string): boolean =>
    name !== "NODE_OPTIONS" && !name.startsWith("QUORATE_");
  return Object.fromEntries(Object.entries(env).filter(([name]) => isNeeded(name)));
}

function write(child: ChildProcessByStdio<Writable, null, null>, line: GuardLine): void {
  child.stdin.write(`${JSON.stringify(line)}\n`);
}
