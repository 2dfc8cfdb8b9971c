/**
 * The baseline of `quorate bench`. It opens connections of its own, bypassing the public API: a lock manager sends only
 * commands for locks.
 */
import type { NodeConfig } from "../index.js";
import { handshakeTimeoutMs } from "../protocol/deadlines.js";
import { serverNodes, type NodeClients } from "../nodes/server-nodes.js";
import {
  openPlainClient,
  type Cluster,
  type PlainClient,
  type Redis,
} from "../redis/plain-client.js";
import { within } from "../runtime/within.js";

/** Maximum number of unanswered commands per node. No more are sent until it answers: they would pile up. */
const MOST_UNANSWERED = 256;

/** One small command to all nodes, until a quorum has answered. */
export class Floor {
  readonly #nodes: readonly NodeClients[];
  readonly #timeoutMs: number;
  #open: (PlainClient & { readonly kind: "open" })[] = [];
  #size = 0;
  #command = "PING";
  readonly #unanswered = new Map<Redis | Cluster, number>();

  /** @throws TypeError or RangeError for bad nodes, naming them. */
  constructor(nodes: readonly NodeConfig[], nodeTimeoutMs: number) {
    this.#timeoutMs = handshakeTimeoutMs(nodeTimeoutMs);
    this.#nodes = serverNodes(nodes, this.#timeoutMs);
  }

  /** The command that is sent: PING, or TIME, which locks need anyway, if the user may not use PING. */
  get command(): string {
    return this.#command;
  }

  /** @param size number of answers that make a quorum */
  async open(size: number): Promise<void> {
    this.#size = size;
    const all = await Promise.all(
      this.#nodes.map((node) => openPlainClient(node, this.#timeoutMs)),
    );
    this.#open = all.filter((each) => each.kind === "open");
    const first = this.#open[0]?.client;
    if (first === undefined) return;
    if (!(await this.#ask(first))) this.#command = "TIME";
  }

  /** Whether a quorum has answered. */
  async round(): Promise<boolean> {
    const answers = this.#open.map(({ client }) => this.#ask(client));
    return new Promise((resolve) => {
      let [missing, left] = [this.#size, answers.length];
      if (left < missing) setTimeout(() => resolve(false), this.#timeoutMs);
      for (const answer of answers) {
        void answer.then((isAnswer) => {
          left--;
          if (isAnswer && --missing === 0) resolve(true);
          else if (left < missing) resolve(false);
        });
      }
    });
  }

  close(): void {
    for (const { close } of this.#open) close();
    this.#open = [];
  }

  async #ask(client: Redis | Cluster): Promise<boolean> {
    const count = this.#unanswered.get(client) ?? 0;
    if (count >= MOST_UNANSWERED) return false;
    this.#unanswered.set(client, count + 1);
    const answer = client.call(this.#command).finally(() => {
      this.#unanswered.set(client, (this.#unanswered.get(client) ?? 0) - 1);
    });
    return within(answer, this.#timeoutMs).then(
      () => true,
      () => false,
    );
  }
}
