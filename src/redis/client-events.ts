import type { ConnectionEvents, HelloReply } from "../channel/transport.js";
import { connectionFailure, isConnectionClosed } from "./faults.js";

/** What the two kinds of clients of ioredis have in common. */
interface Client {
  on(event: "error", listener: (error: unknown) => void): unknown;
  on(event: "ready" | "end", listener: () => void): unknown;
  connect(): Promise<unknown>;
}

/** Connects a client, once, and tells how that goes. */
export function connectOnce(client: Client, events: ConnectionEvents): void {
  let lastError: unknown = new Error("the connection was closed");
  client.on("error", (error) => {
    lastError = error;
  });
  client.on("ready", () => events.onOpen());
  client.on("end", () => events.onClose(connectionFailure(lastError)));
  // Why it failed comes by the events above.
  client.connect().catch(() => {});
}

/** Hands on what a hello came to; the end of the connection is told by its own event. */
export function answerHello(hello: Promise<HelloReply>, reply: (reply: HelloReply) => void): void {
  hello.then(reply, (error: unknown) => {
    if (isConnectionClosed(error)) return;
    reply({ kind: "failed", failure: connectionFailure(error) });
  });
}
