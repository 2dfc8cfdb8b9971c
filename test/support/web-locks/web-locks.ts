/** The Web Locks API as a program sees it that was written for `navigator.locks`. */
export interface WebLocks {
  request<T>(name: string, callback: (lock: WebLock | null) => T): Promise<Awaited<T>>;
  request<T>(
    name: string,
    options: WebLockOptions,
    callback: (lock: WebLock | null) => T,
  ): Promise<Awaited<T>>;
  query(): Promise<{ held?: WebLockInfo[]; pending?: WebLockInfo[] }>;
}

export interface WebLockInfo {
  name?: string;
  mode?: "exclusive" | "shared";
  clientId?: string;
}

export interface WebLock {
  readonly name: string;
  readonly mode: "exclusive" | "shared";
}

export interface WebLockOptions {
  mode?: "exclusive" | "shared";
  ifAvailable?: boolean;
  steal?: boolean;
  signal?: AbortSignal;
}

/** What a call of `request` came to: `name` of the error for a rejection. */
export async function outcomeOf(promise: Promise<unknown>): Promise<string> {
  try {
    const result = await promise;
    return `= ${typeof result === "string" ? result : JSON.stringify(result)}`;
  } catch (error) {
    return `! ${error instanceof Error ? error.name : JSON.stringify(error)}`;
  }
}

/** Calls with whatever arguments; one that throws instead of rejecting says so. */
export async function call(locks: WebLocks, ...args: readonly unknown[]): Promise<string> {
  const request = locks.request.bind(locks) as (...args: readonly unknown[]) => Promise<unknown>;
  try {
    return await outcomeOf(request(...args));
  } catch (error) {
    return `thrown ${String(error)}`;
  }
}

/** Something that is opened once, from outside. */
export class Gate {
  readonly opened: Promise<void>;
  open: () => void = () => {};

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}

/** A lock that is held until it is let go. */
export class Holder {
  readonly outcome: Promise<string>;
  /** The callback was called. */
  readonly isIn: Promise<void>;
  readonly #gate = new Gate();

  constructor(locks: WebLocks, name: string, options: WebLockOptions, onIn: () => void = () => {}) {
    const entered = new Gate();
    this.isIn = entered.opened;
    this.outcome = outcomeOf(
      locks.request(name, options, async () => {
        onIn();
        entered.open();
        await this.#gate.opened;
        return "held";
      }),
    );
  }

  /** @returns what became of its request */
  async letGo(): Promise<string> {
    this.#gate.open();
    return this.outcome;
  }
}
