import type { Transport } from "../channel/transport.js";
import type { QuorateWarning } from "../api/events.js";
import type { RedisNode } from "../redis/node-config.js";
import type { WindowBounds } from "../coordinator/admission.js";
import type { Quorum, QuorumObserver, Runtime } from "./open-quorum.js";
import type { BatchConstants } from "../script/batch-encoder.js";

/**
 * One node: a URL (`redis://` or `valkey://`, with TLS `rediss://` or `valkeys://`), a client of
 * ioredis 5 or 6 or of iovalkey (`Redis` or `Cluster`) or of node-redis 5 or 6 (`createClient`), or an object.
 * Of a client only the options are read, again at each connection: Quorate opens its own connections and neither
 * uses nor closes yours.
 * Or, in tests, a node of `quorate/memory`.
 */
export type NodeConfig = RedisNode | NodeWithTransport;

/** Symbol of the method with which a node makes its own connections. Private to the package. */
export const OWN_TRANSPORT: unique symbol = Symbol("quorate.transport");

/** Symbol under which such a node names its environment, if that is not this process. */
export const OWN_WORLD: unique symbol = Symbol("quorate.world");

/** A node that is reached by other means than Redis connections, such as those of `quorate/memory`. */
export interface NodeWithTransport {
  [OWN_TRANSPORT](constants: BatchConstants): Transport;
  /** Keys survive a restart that keeps the record. */
  readonly isDurable: boolean;
  /** The same for all nodes of a manager. */
  readonly [OWN_WORLD]?: OwnWorld;
}

/** Time, randomness and an observer for everything built on the nodes, in place of those of this process. */
export interface OwnWorld extends Runtime {
  readonly observer: WorldObserver;
  /** Limits for the attempts in flight, where they differ from production. */
  readonly admission?: WindowBounds | undefined;
  /** Receives warnings of the process where no listener can be added. */
  readonly warn?: ((code: QuorateWarning["code"], message: string) => void) | undefined;
}

/** Observes internal events behind the public API. Must not throw. */
export interface WorldObserver extends Partial<Omit<QuorumObserver, "onNodeWarning">> {
  /** Before any node has answered. */
  onOpen(quorum: Quorum): void;
}

export function hasTransport(node: unknown): node is NodeWithTransport {
  return typeof node === "object" && node !== null && OWN_TRANSPORT in node;
}
