import type { ConnectionFailure } from "../channel/transport.js";
import { connectOnce, stageOf } from "./client-events.js";
import { Cluster, type Redis } from "ioredis";
import { dropClient } from "./drop-stream.js";
import type { NodeClients } from "./node-config.js";

export type { Cluster, Redis };

/** Whether it is for one server, not for a Cluster. */
export function isOfOneServer(client: Redis | Cluster): client is Redis {
  return !(client instanceof Cluster);
}

/** A connected client, or the reason why it is not connected. */
export type PlainClient =
  | { readonly kind: "open"; readonly client: Redis | Cluster; readonly close: () => void }
  | { readonly kind: "failed"; readonly failure: ConnectionFailure };

/**
 * Connects to a node for reading. The lock protocol is not used on that connection: no handshake is made, and the
 * node's record is not written.
 */
export async function openPlainClient(node: NodeClients, timeoutMs: number): Promise<PlainClient> {
  const client = node.open();
  const close = (): void => dropClient(client);
  return new Promise((resolve) => {
    const fail = (failure: ConnectionFailure): void => {
      clearTimeout(timer);
      resolve({ kind: "failed", failure });
    };
    const timer = setTimeout(() => {
      const stage = isOfOneServer(client) ? stageOf(client) : undefined;
      const waiting = stage === undefined ? "" : `: ${stage}`;
      fail({ message: `no answer within ${timeoutMs} ms${waiting}`, isMisconfigured: false });
      close();
    }, timeoutMs);
    connectOnce(client, {
      onOpen: () => {
        clearTimeout(timer);
        resolve({ kind: "open", client, close });
      },
      onClose: fail,
    });
  });
}
