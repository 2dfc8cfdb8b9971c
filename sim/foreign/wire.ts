import type { CommandReply } from "../sim-server.js";
import { SimConnection } from "../sim-transport.js";
import type { LinkEnd } from "../link.js";
import type { ForeignStep } from "../node-keys.js";
import type { SimNode } from "../sim-node.js";

const NO_CONSTANTS = { fenceSlackUs: 0, fenceBuckets: 1 };

/** No answer: the command may have been executed, may still be executed, or never will be. */
export class WireError extends Error {
  override readonly name = "WireError";
}

interface Asked {
  readonly send: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * A foreign process's connection to one node, like that of a Redis client: opened on demand and reopened after it
 * breaks. Commands wait while it opens; nothing is sent twice.
 */
export class Wire {
  readonly node: SimNode;
  readonly #end: LinkEnd;
  readonly #timeoutMs: number;
  readonly #asked = new Set<Asked>();
  #connection: SimConnection | undefined;
  #isOpen = false;

  constructor(node: SimNode, end: LinkEnd, timeoutMs: number) {
    this.node = node;
    this.#end = end;
    this.#timeoutMs = timeoutMs;
  }

  /** Opens the connection before it is needed. */
  open(): void {
    this.#connected();
  }

  /**
   * Sends one command.
   * @returns the node's answer
   * @throws WireError if the connection breaks or no answer comes in time, Error if the node answers with an error
   */
  ask(argv: readonly (string | number)[], by: ForeignStep): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const connection = this.#connected();
      const asked: Asked = {
        send: () => connection.command(argv.map(String), by, settle),
        fail: (error) => {
          if (this.#asked.delete(asked)) reject(error);
        },
      };
      const settle = (reply: CommandReply): void => {
        if (!this.#asked.delete(asked)) return;
        if ("error" in reply) reject(new Error(reply.error));
        else resolve(reply.value);
      };
      this.#asked.add(asked);
      if (this.#isOpen) asked.send();
      // Commands that were already sent may still be executed.
      void this.#end.process
        .sleep(this.#timeoutMs)
        .then(() => asked.fail(new WireError("no answer in time")));
    });
  }

  /** The process died: its kernel closes the connection. */
  crash(): void {
    this.#connection?.close();
  }

  #connected(): SimConnection {
    if (this.#connection !== undefined) return this.#connection;
    const connection = new SimConnection(this.node, this.#end, NO_CONSTANTS, {
      onOpen: () => {
        this.#isOpen = true;
        for (const { send } of this.#asked) send();
      },
      onClose: ({ message }) => {
        this.#isOpen = false;
        this.#connection = undefined;
        for (const { fail } of [...this.#asked]) fail(new WireError(message));
      },
    });
    this.#connection = connection;
    return connection;
  }
}
