import type { ConnectionFailure } from "../channel/transport.js";
import type { LockManagerOptions } from "../options.js";
import { handshakeTimeoutMs } from "../protocol/deadlines.js";
import { lockKeyPattern, nameOfKey } from "../protocol/keys.js";
import { quorumSize } from "../protocol/verdict.js";
import type { NodeConfig } from "../redis/node-config.js";
import { serverNodes, type NodeClients } from "../server-nodes.js";
import { openPlainClient, type PlainClient } from "../redis/plain-client.js";
import { scanKeys } from "../redis/scan-keys.js";
import { resolveManagerOptions } from "../resolve-options.js";
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
  readonly #open = new Map<NodeClients, PlainClient & { readonly kind: "open" }>();

  /**
   * @param options those of the manager of these locks
   * @throws TypeError or RangeError for bad nodes or options, naming them; TypeError for a node that is no server.
   */
  constructor(nodes: readonly NodeConfig[], options: LockManagerOptions<boolean>) {
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
        const failure = await this.#look(node, keyPattern, add).catch(connectionFailure);
        if (failure === undefined) return;
        this.#drop(node);
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
    for (const { close } of this.#open.values()) close();
    this.#open.clear();
  }

  #drop(node: NodeClients): void {
    this.#open.get(node)?.close();
    this.#open.delete(node);
  }

  /** @param add says whether to go on */
  async #look(
    node: NodeClients,
    pattern: string,
    add: (name: string) => boolean,
  ): Promise<ConnectionFailure | undefined> {
    const opened = this.#open.get(node) ?? (await openPlainClient(node, this.#timeoutMs));
    if (opened.kind === "failed") return opened.failure;
    this.#open.set(node, opened);
    for await (const keys of scanKeys(opened.client, pattern, this.#timeoutMs)) {
      for (const key of keys) {
        const name = nameOfKey(this.#keyPrefix, key);
        if (name !== undefined && name !== "" && !add(name)) return undefined;
      }
    }
    return undefined;
  }
}
