import type { Transport } from "../channel/transport.js";
import type { BatchConstants } from "../script/batch-codec.js";

/** Under which a node that brings its own connections makes them. Nobody outside can name it. */
export const OWN_TRANSPORT: unique symbol = Symbol("quorate.transport");

/** A node that is reached by other means than Redis connections, such as those of `quorate/memory`. */
export interface NodeWithTransport {
  [OWN_TRANSPORT](constants: BatchConstants): Transport;
  /** Keys are still there after a restart that keeps them. */
  readonly isDurable: boolean;
}

export function hasTransport(node: unknown): node is NodeWithTransport {
  return typeof node === "object" && node !== null && OWN_TRANSPORT in node;
}
