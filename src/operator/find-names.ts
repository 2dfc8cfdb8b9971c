import type { ConnectionFailure } from "../channel/transport.js";
import type { LockManagerOptions } from "../api/options.js";
import { handshakeTimeoutMs } from "../protocol/deadlines.js";
import { lockKeyPattern, nameOfKey } from "../protocol/keys.js";
import { quorumSize } from "../protocol/quorum.js";
import type { NodeConfig } from "../nodes/simulated-nodes.js";
import { serverNodes, type NodeClients } from "../nodes/server-nodes.js";
import { openPlainClient, type PlainClient } from "../redis/plain-client.js";
import { scanKeys } from "../redis/scan-keys.js";
import { resolveManagerOptions } from "../options/resolve.js";
import { connectionFailure } from "../script/redis-errors.js";

/** Names that have a key on any node. What stands there, `query(name)` tells. */
export interface FoundNames {
  /** In alphabetical order. */
  readonly names: readonly string[];
  /** There are more, which were not looked for. */
  readonly isCut: boolean;
  /** So many nodes were looked through that no held name can be missing. */
  readonly isComplete: boolean;
  /** Nodes that could not be looked through, and why. */
  readonly failures: readonly ({ readonly node: string } & ConnectionFailure)[];
}

/** Finds the names that are locked, by connections of its own that stay open until {@link close}. */
export class NameFinder {
  readonly #nodes: readonly NodeClients[];
  readonly #keyPrefix: string;
  readonly #timeoutMs: number;
  /** One for each node, which searches at the same time share; it may not be open yet. */
  readonly #clients = new Map<NodeClients, Promise<PlainClient>>();

  /**
   * @param options those of the manager of these locks
   * @throws TypeError or RangeError for bad nodes or options, naming them; TypeError for a node that is no server.
   */
  constructor(nodes: readonly NodeConfig[], options: LockManagerOptions) {
    const { keyPrefix, lease } = resolveManagerOptions(options);
    this.#keyPrefix = keyPrefix;
    this.#timeoutMs = handshakeTimeoutMs(lease.nodeTimeoutMs);
    this.#nodes = serverNodes(nodes, this.#timeoutMs);
  }

  /**
   * Looks through all nodes at once.
   *
   * @param pattern of names: a glob pattern as Redis has it (`*`, `?`, `[a-z]`, `\*`)
   * @param limit how many names at most, from 1
   */
  async find(pattern: string, limit: number): Promise<FoundNames> {
    const found = new Set<string>();
    const failures: FoundNames["failures"][number][] = [];
    const keyPattern = lockKeyPattern(this.#keyPrefix, pattern);
    await Promise.all(
      this.#nodes.map(async (node) => {
        const add = (name: string): boolean => found.add(name).size <= limit;
        const client = this.#clientOf(node);
        const failure = await this.#look(client, keyPattern, add).catch(connectionFailure);
        if (failure === undefined) return;
        // Another search may have replaced it.
        if (this.#clients.get(node) === client) this.#clients.delete(node);
        closeClient(client);
        failures.push({ node: node.name, ...failure });
      }),
    );
    return {
      names: [...found].toSorted().slice(0, limit),
      isCut: found.size > limit,
      // Of a quorum that holds a name at least one was looked through.
      isComplete: failures.length < quorumSize(this.#nodes.length),
      failures,
    };
  }

  close(): void {
    for (const client of this.#clients.values()) closeClient(client);
    this.#clients.clear();
  }

  #clientOf(node: NodeClients): Promise<PlainClient> {
    let client = this.#clients.get(node);
    if (client === undefined) {
      client = openPlainClient(node, this.#timeoutMs);
      this.#clients.set(node, client);
    }
    return client;
  }

  /** @param add says whether to go on */
  async #look(
    client: Promise<PlainClient>,
    pattern: string,
    add: (name: string) => boolean,
  ): Promise<ConnectionFailure | undefined> {
    const opened = await client;
    if (opened.kind === "failed") return opened.failure;
    for await (const keys of scanKeys(opened.client, pattern, this.#timeoutMs)) {
      for (const key of keys) {
        const name = nameOfKey(this.#keyPrefix, key);
        if (name !== undefined && name !== "" && !add(name)) return undefined;
      }
    }
    return undefined;
  }
}

/** Now, or once it is open. */
function closeClient(client: Promise<PlainClient>): void {
  client.then(
    (opened) => {
      if (opened.kind === "open") opened.close();
    },
    // It was reported by the search that has opened it.
    () => {},
  );
}
