import { EventEmitter } from "node:events";
import type { RedisLike } from "../../src/redis/node-config.js";

/** What a fake client does: connects and grants, refuses connections, or keeps silent. */
export type FakeBehaviour = "grants" | "refuses" | "holds" | "silent";

/**
 * A client as of another copy of ioredis, with a server behind it that has an answer for
 * everything: a manager can be tested without any network.
 */
export class FakeClient implements RedisLike {
  readonly isCluster = false;
  readonly options: object;
  behaviour: FakeBehaviour;
  /** Codes of the operations that were sent, in order: the script's. */
  readonly sent: string[] = [];
  #openCount = 0;

  constructor(index: number, behaviour: FakeBehaviour = "grants") {
    this.options = { host: `fake${index}`, port: 6_379 };
    this.behaviour = behaviour;
  }

  get openCount(): number {
    return this.#openCount;
  }

  duplicate(): FakeConnection {
    return new FakeConnection(this, ++this.#openCount);
  }
}

class FakeConnection extends EventEmitter {
  readonly options = {};
  readonly #client: FakeClient;
  readonly #id: number;
  #isOpen = true;

  constructor(client: FakeClient, id: number) {
    super();
    this.#client = client;
    this.#id = id;
  }

  async connect(): Promise<void> {
    await Promise.resolve();
    if (this.#client.behaviour === "refuses") {
      this.emit("error", new Error("connect ECONNREFUSED"));
      this.#end();
    } else this.emit("ready");
  }

  async client(): Promise<number> {
    return this.#id;
  }

  /** The hello: a master that was opened long ago. */
  async eval(): Promise<unknown[]> {
    const { host: runId } = this.#client.options as { host: string };
    const about = [runId, "master", "noeviction", "0", "1000000000"];
    return [...about, "record", runId, "open", "0", "3", "60000"];
  }

  /** A batch, as the arguments of the script say. */
  async call(
    _name: string,
    _script: string,
    keyCount: string,
    ...rest: string[]
  ): Promise<unknown> {
    const args = rest.slice(Number(keyCount) + 3);
    const answers: unknown[] = [1];
    while (args.length > 0) {
      const [code = "", , size] = args.splice(0, 3);
      for (let n = 0; n < Number(size); n++) {
        const [, fence] = args.splice(0, "WBTL".includes(code) ? 5 : 2);
        this.#client.sent.push(code);
        const isAcquire = "AW".includes(code);
        if (this.#client.behaviour === "holds" && isAcquire) answers.push("H5000:somebody");
        else answers.push(isAcquire && fence !== "" ? "7" : 0);
      }
    }
    if (this.#client.behaviour === "silent" || !this.#isOpen) return new Promise(() => {});
    return answers;
  }

  async subscribe(): Promise<void> {}

  disconnect(): void {
    setImmediate(() => this.#end());
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.emit("end");
  }
}
