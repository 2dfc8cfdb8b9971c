import type { Lock } from "../../src/index.js";
import type { StoreReply, StoreRequest } from "./messages.js";
import { ownerIdOf } from "../../src/manager/lock.js";

/** A client's requests to the stores, which are in the parent process. */
export class StoreClient {
  readonly #send: (request: StoreRequest) => void;
  readonly #waiting = new Map<number, (version: number | undefined) => void>();
  #count = 0;

  constructor(send: (request: StoreRequest) => void) {
    this.#send = send;
  }

  /** The version to start from; undefined if the store rejected the read. */
  read(store: StoreRequest["store"], lock: Lock): Promise<number | undefined> {
    return this.#ask(store, "read", lock, 0);
  }

  /** The message has been sent when this returns; the promise reports what the store did with it. */
  write(store: StoreRequest["store"], lock: Lock, base: number): Promise<number | undefined> {
    return this.#ask(store, "write", lock, base);
  }

  onReply({ id, version }: StoreReply): void {
    this.#waiting.get(id)?.(version);
    this.#waiting.delete(id);
  }

  #ask(
    store: StoreRequest["store"],
    what: StoreRequest["what"],
    lock: Lock,
    base: number,
  ): Promise<number | undefined> {
    const { name, fencingToken: token } = lock;
    const ownerId = ownerIdOf(lock);
    const id = this.#count++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ kind: "store", id, store, what, name, ownerId, token, base });
    });
  }
}
