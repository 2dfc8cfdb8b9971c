// In this repository, node-redis 6 is installed under this name; yours is "redis".
import { createClient, ErrorReply } from "redis-6";
import type { CommandTransport } from "../../src/testing/index.js";

/** A transport over node-redis. (Quorate takes clients of node-redis as they are; this is an example.) */
export function transportTo(url: string): CommandTransport {
  // One client is one connection: it neither reconnects nor keeps commands for later.
  const newClient = () =>
    createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } });
  return {
    name: new URL(url).host,
    connect({ onOpen, onClose }) {
      const client = newClient();
      let isOver = false;
      const end = (reason = new Error("the connection was closed")): void => {
        if (isOver) return;
        isOver = true;
        setImmediate(() => onClose(reason));
      };
      client.on("error", end);
      client.on("end", () => end());
      client.connect().then(() => onOpen(), end);
      return {
        call: (...words) =>
          new Promise((resolve, reject) => {
            client.sendCommand(words).then(
              (reply) => isOver || resolve(reply),
              // Other errors say that the connection is closed, which `onClose` does.
              (error: unknown) => error instanceof ErrorReply && reject(error),
            );
          }),
        close() {
          end();
          if (client.isOpen) client.destroy();
        },
      };
    },
    subscribe(channel, { onOpen, onMessage, onClose }) {
      const client = newClient();
      let isOver = false;
      const end = (): void => {
        if (isOver) return;
        isOver = true;
        onClose();
      };
      client.on("error", end);
      client.on("end", end);
      client
        .connect()
        .then(() => client.subscribe(channel, (message) => isOver || onMessage(message)))
        .then(onOpen, end);
      return {
        close() {
          isOver = true;
          if (client.isOpen) client.destroy();
        },
      };
    },
  };
}
