import type { Transport } from "./channel/transport.js";
import type { QuorateWarning } from "./events.js";
import type { WindowBounds } from "./protocol/admission.js";
import type { Quorum, QuorumObserver, Runtime } from "./quorum.js";
import type { BatchConstants } from "./script/batch-codec.js";

/** Under which a node that brings its own connections makes them. Nobody outside can name it. */
export const OWN_TRANSPORT: unique symbol = Symbol("quorate.transport");

/** Under which such a node says in which world it is, if that is not the one of this process. */
export const OWN_WORLD: unique symbol = Symbol("quorate.world");

/** A node that is reached by other means than Redis connections, such as those of `quorate/memory`. */
export interface NodeWithTransport {
  [OWN_TRANSPORT](constants: BatchConstants): Transport;
  /** Keys are still there after a restart that keeps them. */
  readonly isDurable: boolean;
  /** It stands for a Cluster: who waits for its locks polls. */
  readonly isCluster?: boolean;
  /** The same for all nodes of a manager. */
  readonly [OWN_WORLD]?: OwnWorld;
}

/** Time, randomness and an observer for whatever is built on nodes, in place of those of this process. */
export interface OwnWorld extends Runtime {
  readonly observer: WorldObserver;
  /** How many attempts may be under way at once, where that is not as in production. */
  readonly admission?: WindowBounds | undefined;
  /** Told of what is a warning of the process where nobody can listen for it. */
  readonly warn?: ((code: QuorateWarning["code"], message: string) => void) | undefined;
}

/** Sees what goes on behind the public face. Must not throw. */
export interface WorldObserver extends Omit<QuorumObserver, "onMismatch" | "onClockOffset"> {
  /** Before anything is answered by any node. */
  onOpen(quorum: Quorum): void;
}

export function hasTransport(node: unknown): node is NodeWithTransport {
  return typeof node === "object" && node !== null && OWN_TRANSPORT in node;
}
