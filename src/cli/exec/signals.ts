import { constants } from "node:os";

/** Signals that end a wait, and by default a process. */
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Other signals that are forwarded to a command. */
const OTHERS = ["SIGUSR1", "SIGUSR2", "SIGCONT", "SIGTSTP", "SIGWINCH"] as const;

/** Signals that a terminal sends to the command itself if it is in the same group. */
const OF_TERMINAL: readonly NodeJS.Signals[] = [
  "SIGINT",
  "SIGQUIT",
  "SIGTSTP",
  "SIGCONT",
  "SIGWINCH",
];

/** Whether a command that is sent this signal is to end. SIGHUP asks a daemon to reload its settings. */
export function asksToEnd(signal: NodeJS.Signals): boolean {
  return signal !== "SIGHUP" && (ENDING as readonly NodeJS.Signals[]).includes(signal);
}

/** How long a signal to this process may take to end it, ms. */
const DEATH_MS = 200;

type Send = (signal: NodeJS.Signals) => void;

/** Handles signals to this process until it is disposed. None of them ends the process. */
export class SignalWatch implements Disposable {
  readonly #handlers = new Map<NodeJS.Signals, () => void>();
  readonly #controller = new AbortController();
  #send: Send | undefined;
  #hasPassedEnd = false;

  constructor() {
    for (const signal of ENDING) {
      this.#on(signal, () => {
        if (asksToEnd(signal)) this.#hasPassedEnd = true;
        if (this.#send === undefined) this.#controller.abort(signal);
        else this.#send(signal);
      });
    }
  }

  /** Aborted by a signal that ends a wait. */
  get aborted(): AbortSignal {
    return this.#controller.signal;
  }

  /** The signal that ended the wait. */
  get endedBy(): NodeJS.Signals | undefined {
    return this.aborted.aborted ? (this.aborted.reason as NodeJS.Signals) : undefined;
  }

  /** Whether this process or its command was told to end, so that nothing should be started again. */
  get hasToEnd(): boolean {
    return this.#hasPassedEnd || this.aborted.aborted;
  }

  /**
   * While a command runs, all signals are forwarded to it, including one that arrived just before it started.
   *
   * @param isInTerminal whether the terminal sends it signals itself
   * @returns what stops the forwarding
   */
  forward(isInTerminal: boolean, send: Send): Disposable {
    this.#send = (signal) => {
      if (!isInTerminal || !OF_TERMINAL.includes(signal)) send(signal);
    };
    // If Ctrl-Z reaches the command by itself, it must suspend this process too, or the shell does not notice.
    const others = OTHERS.filter((signal) => !isInTerminal || signal !== "SIGTSTP");
    for (const signal of others) this.#on(signal, () => this.#send?.(signal));
    if (this.endedBy !== undefined) send(this.endedBy);
    return {
      [Symbol.dispose]: () => {
        this.#send = undefined;
        for (const signal of others) this.#off(signal);
      },
    };
  }

  [Symbol.dispose](): void {
    for (const signal of this.#handlers.keys()) this.#off(signal);
  }

  #on(signal: NodeJS.Signals, handler: () => void): void {
    this.#handlers.set(signal, handler);
    process.on(signal, handler);
  }

  #off(signal: NodeJS.Signals): void {
    const handler = this.#handlers.get(signal);
    if (handler !== undefined) process.off(signal, handler);
    this.#handlers.delete(signal);
  }
}

/**
 * Ends this process by a signal, so that a shell can see which signal it was.
 *
 * @returns the equivalent exit code if that is impossible: as PID 1, or for a signal that Node.js handles itself
 */
export async function endBySignal(signal: NodeJS.Signals): Promise<number> {
  // SIGUSR1 would start the inspector.
  if (process.pid !== 1 && signal !== "SIGUSR1") {
    process.kill(process.pid, signal);
    await new Promise((resolve) => setTimeout(resolve, DEATH_MS));
  }
  return 128 + constants.signals[signal];
}
