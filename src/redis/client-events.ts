import type { Redis } from "ioredis";
import type { ConnectionEvents, HandshakeReply } from "../channel/transport.js";
import { detached } from "../runtime/system.js";
import {
  connectionFailure,
  hasNoMaster,
  isConnectionClosed,
  WANTS_CERTIFICATE,
} from "../script/redis-errors.js";

/** What the two kinds of ioredis clients have in common. */
interface Client {
  on(event: "error" | "sentinelError", listener: (error: unknown) => void): unknown;
  on(event: "connect" | "ready" | "end", listener: () => void): unknown;
  connect(): Promise<unknown>;
  readonly options?: object;
  readonly isCluster?: boolean;
}

const CLOSED = new Error("the connection was closed");

const CLOSED_UNANSWERED = new Error(
  "the server closed the connection without an answer, as one does that expects TLS (rediss://) or has no connection left (maxclients)",
);

const CLOSED_AFTER_TLS = new Error(
  `the server closed the connection after TLS was agreed: ${WANTS_CERTIFICATE}; or it has no connection left (maxclients)`,
);

/** Its members have answered, and ioredis keeps to itself what was wrong with that. */
const CLUSTER_NOT_READY = new Error(
  "the Cluster is not ready: cluster_state:fail in CLUSTER INFO, no address in CLUSTER SLOTS, or no permission to ask",
);

/** Connects a client once, and reports the outcome. */
export function connectOnce(client: Client, events: ConnectionEvents): void {
  let lastError: unknown = CLOSED;
  let isOpening = false;
  const { tls } = (client.options ?? {}) as { readonly tls?: unknown };
  const ofServer = tls === undefined ? CLOSED_UNANSWERED : CLOSED_AFTER_TLS;
  const unanswered = client.isCluster === true ? CLUSTER_NOT_READY : ofServer;
  client.on("connect", () => {
    lastError = unanswered;
    isOpening = true;
  });
  client.on("ready", () => {
    lastError = CLOSED;
    isOpening = false;
    events.onOpen();
  });
  // Comes before the "error" of a client that has asked all of its Sentinels. Another one may name a master, and then
  // errors are about that.
  let sentinelError: Error | undefined;
  client.on("sentinelError", (error) => {
    sentinelError = unknownMaster(error) ?? sentinelError;
  });
  client.on("error", (error) => {
    // What the server said before, or its silence, says more.
    if (isOpening && isReset(error)) return;
    lastError = hasNoMaster(error) ? (sentinelError ?? error) : error;
  });
  client.on("end", () => events.onClose(connectionFailure(lastError)));
  // The events above report why it failed.
  client.connect().catch(() => {});
}

/** What a client of one server still waits for that is not ready, if that says more than that it is not. */
export function stageOf(redis: Redis, isAskingCredentials = false): string | undefined {
  const { status, options, stream } = redis;
  if (status === "connect" || status === "ready") {
    return "connected, but the server does not answer";
  }
  if (stream === undefined && isAskingCredentials) return "its credentials are awaited";
  if (stream === undefined) return options.sentinels ? "no Sentinel has answered" : undefined;
  if (stream.connecting) return "no TCP connection";
  return options.tls
    ? "connected, but TLS is not answered; does the server speak TLS there?"
    : undefined;
}

function isReset(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  return code === "ECONNRESET" || code === "EPIPE";
}

/** The meaning of an empty answer of a Sentinel. */
function unknownMaster(error: unknown): Error | undefined {
  const found = /^connected to sentinel (\S+) successfully, but got an invalid reply: null/.exec(
    (error as Error).message,
  );
  return found === null
    ? undefined
    : new Error(`the Sentinel at ${found[1]} knows no master of that name: check \`name\``);
}

/**
 * Asks outside any caller's async context, and passes on what the server answers; the end of the connection has its own
 * event.
 */
export function answerHandshake(
  ask: () => Promise<HandshakeReply>,
  reply: (reply: HandshakeReply) => void,
): void {
  const onError = (error: unknown): void => {
    if (isConnectionClosed(error)) return;
    reply({ kind: "failed", failure: connectionFailure(error) });
  };
  detached(() => void ask().then(reply, onError));
}
