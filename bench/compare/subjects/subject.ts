import type { ClientOptions } from "../client-options.js";

/** One library behind the questions that all of them are asked. One small file each. */
export interface Subject {
  /** The lock key of that name on a node. */
  lockKey(name: string): string;
  /** Connects to all nodes, at the library's and the client's documented defaults but for `options`. */
  open(urls: readonly string[], options: ClientOptions): Promise<LockClient>;
}

/** What one process that uses the library can do. */
export interface LockClient {
  /** Waits for the lock as long as the library does by default. */
  acquire(name: string, ttlMs: number): Promise<Grant>;
  /** One attempt. A refusal is an undefined or an error, as the library has it. */
  tryAcquire(name: string, ttlMs: number): Promise<Grant | undefined>;
  /** Runs a routine under an automatically extended lock, in the way the documentation shows. */
  hold<T>(name: string, ttlMs: number, routine: (held: Held) => Promise<T>): Promise<T>;
}

export interface Grant {
  /** What the library says is left of the lock, ms; undefined where it says nothing. */
  readonly statedValidityMs: number | undefined;
  release(): Promise<unknown>;
}

/** What a routine that runs under a lock can learn about it. */
export interface Held {
  /** The check that the documentation shows before a critical step; synchronous. */
  isHeld(): boolean;
  /** Calls back when the library tells that the lock is lost. */
  onLost(listener: () => void): void;
}

/** The usual notice: a signal. */
export function heldBySignal(signal: AbortSignal, isHeld = () => !signal.aborted): Held {
  return {
    isHeld,
    onLost: (listener) => {
      if (signal.aborted) listener();
      else signal.addEventListener("abort", listener, { once: true });
    },
  };
}
