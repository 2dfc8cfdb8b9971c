import type { ClientOptions } from "../client-options.js";

/** A uniform interface to one library. Each subject is one small file. */
export interface Subject {
  /** The key on a node that stores the lock of that name. */
  lockKey(name: string): string;
  /** Connects to all nodes, with the library's and the client's documented defaults except for `options`. */
  open(urls: readonly string[], options: ClientOptions): Promise<LockClient>;
}

/** What one process can do with the library. */
export interface LockClient {
  /** Waits for the lock as long as the library does by default. */
  acquire(name: string, ttlMs: number): Promise<Grant>;
  /** One attempt. A refusal is undefined or an error, depending on the library. */
  tryAcquire(name: string, ttlMs: number): Promise<Grant | undefined>;
  /** Runs a routine under an automatically extended lock, as the documentation shows. */
  hold<T>(name: string, ttlMs: number, routine: (held: Held) => Promise<T>): Promise<T>;
}

export interface Grant {
  /** The remaining validity that the library states, ms; undefined if it states none. */
  readonly statedValidityMs: number | undefined;
  release(): Promise<unknown>;
}

/** What a routine that runs under a lock can learn about it. */
export interface Held {
  /** The check that the documentation shows before a critical step; synchronous. */
  isHeld(): boolean;
  /** Calls back when the library reports that the lock is lost. */
  onLost(listener: () => void): void;
}

/** The usual notification: a signal. */
export function heldBySignal(signal: AbortSignal, isHeld = () => !signal.aborted): Held {
  return {
    isHeld,
    onLost: (listener) => {
      if (signal.aborted) listener();
      else signal.addEventListener("abort", listener, { once: true });
    },
  };
}
