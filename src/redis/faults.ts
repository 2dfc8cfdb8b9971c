import type { ConnectionFailure } from "../channel/transport.js";

/**
 * The one place that knows what errors of Redis and of ioredis look like. Both say it in text.
 */

function text(error: unknown): string {
  // What went wrong at a Cluster stands in the error of the member that was asked last.
  const { lastNodeError } = Object(error) as { readonly lastNodeError?: unknown };
  if (lastNodeError !== undefined && lastNodeError !== null) return text(lastNodeError);
  return error instanceof Error ? error.message : String(error);
}

/** Errors that stay until somebody changes the credentials, the permissions or the address. */
const MISCONFIGURED = [
  "WRONGPASS",
  "NOAUTH",
  "NOPERM",
  "can't run this command",
  "DENIED",
  "invalid password",
  "ERR AUTH",
  "ERR invalid DB index",
  "ERR DB index is out of range",
  "self-signed certificate",
  "self signed certificate",
  "certificate has expired",
  "unable to verify the first certificate",
  "unable to get local issuer certificate",
  "Hostname/IP does not match",
];

/** Why a connection could not be opened, or a hello was answered with an error. */
export function connectionFailure(error: unknown): ConnectionFailure {
  const message = text(error);
  return { message, isMisconfigured: MISCONFIGURED.some((part) => message.includes(part)) };
}

/** The server does not know the script; nothing was executed. */
export function isNoScript(error: unknown): boolean {
  return text(error).startsWith("NOSCRIPT");
}

/** What ioredis says of commands that were open, or not yet written, when the connection closed. */
const CLOSED = [
  "Connection is closed",
  "Stream isn't writeable",
  "Command aborted due to connection close",
  "Reached the max retries per request limit",
];

/** Not an answer of the server: the connection's end, which is reported as such. */
export function isConnectionClosed(error: unknown): boolean {
  return CLOSED.some((part) => text(error).includes(part));
}

/** Errors that the server answers before it runs anything of a script. */
const NOT_EXECUTED = [
  "NOPERM",
  "NOAUTH",
  "LOADING",
  "BUSY",
  "MASTERDOWN",
  "CROSSSLOT",
  "CLUSTERDOWN",
  "MOVED",
  "ASK",
  "TRYAGAIN",
];

/** Whether anything of a failed script call can have been executed. */
export function isExecuted(error: unknown): "no" | "unknown" {
  const message = text(error);
  return NOT_EXECUTED.some((code) => message.startsWith(code)) ? "no" : "unknown";
}

/** One line for people. */
export function faultMessage(error: unknown): string {
  return text(error);
}
