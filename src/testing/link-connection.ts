import { connect, type Socket } from "node:net";
import type { Alarm } from "./alarm.js";
import type { LaneFaults } from "./link-faults.js";
import { LinkLane } from "./link-lane.js";
import { dropStream } from "../redis/drop-stream.js";

/** What a connection needs from its link. */
export interface LinkConnectionContext {
  readonly targetPort: number;
  readonly toServer: LaneFaults;
  readonly toClient: LaneFaults;
  readonly alarm: Alarm;
  /** Whether to drop the reply that has just arrived. Counts the replies that it drops. */
  takeReplyDrop(): boolean;
  onClosed(connection: LinkConnection): void;
}

/** A client's connection and the matching one to the server, joined by two lanes. */
export class LinkConnection {
  readonly #context: LinkConnectionContext;
  readonly #client: Socket;
  /** Undefined for a client that connected while bytes were being dropped: it is never served. */
  readonly #server: Socket | undefined;
  readonly #toServer: LinkLane | undefined;
  readonly #toClient: LinkLane | undefined;
  #clientGone = false;

  constructor(client: Socket, context: LinkConnectionContext) {
    this.#client = client;
    this.#context = context;
    client.setNoDelay(true);
    client.on("error", () => {});
    client.once("close", () => this.#onClientGone());
    if (context.toServer.gate === "drop" || context.toClient.gate === "drop") {
      client.resume();
      return;
    }
    const server = connect({ port: context.targetPort, host: "127.0.0.1", allowHalfOpen: true });
    this.#server = server;
    this.#toServer = new LinkLane(server, context.toServer, context.alarm);
    this.#toClient = new LinkLane(client, context.toClient, context.alarm);
    this.#join(server, this.#toServer, this.#toClient);
  }

  /** Applies changed faults. A connection that lost bytes is reset once bytes flow again. */
  update(): void {
    const { toServer, toClient } = this.#context;
    const dropping = toServer.gate === "drop" || toClient.gate === "drop";
    const serverLaneDead = this.#toServer?.isBroken === true && toServer.gate !== "drop";
    const clientLaneDead = this.#toClient?.isBroken === true && toClient.gate !== "drop";
    if (serverLaneDead || clientLaneDead || (this.#server === undefined && !dropping)) {
      this.reset();
      return;
    }
    this.#toServer?.update();
    this.#toClient?.update();
  }

  /** All faults are over. Delivers pending bytes now, except those of a client that has gone. */
  heal(): void {
    this.update();
    if (!this.#clientGone) this.#toServer?.flush();
    this.#toClient?.flush();
  }

  /** Both sides see the connection break; bytes in transit are lost. */
  reset(): void {
    this.#toServer?.destroy();
    this.#toClient?.destroy();
    dropStream(this.#client);
    this.#server?.destroy();
  }

  #join(server: Socket, toServer: LinkLane, toClient: LinkLane): void {
    server.setNoDelay(true);
    this.#client.on("data", (bytes) => toServer.push(bytes));
    this.#client.once("end", () => {
      const late = this.#context.toServer.gate === "late";
      toServer.end("end");
      if (!late) return;
      // The middlebox answers for the server, which must not see the end yet.
      toServer.releaseLate();
      this.#client.end();
    });
    server.on("data", (bytes) => {
      if (this.#context.takeReplyDrop()) this.reset();
      else toClient.push(bytes);
    });
    server.once("end", () => toClient.end("end"));
    server.on("error", () => toClient.end("reset"));
    server.once("close", () => {
      toClient.end("end");
      this.#reportIfClosed();
    });
  }

  #onClientGone(): void {
    this.#clientGone = true;
    this.#toServer?.end("end");
    if (this.#context.toServer.gate === "late") this.#toServer?.releaseLate();
    this.#reportIfClosed();
  }

  #reportIfClosed(): void {
    const serverClosed = this.#server === undefined || this.#server.closed;
    if (this.#clientGone && serverClosed) this.#context.onClosed(this);
  }
}
