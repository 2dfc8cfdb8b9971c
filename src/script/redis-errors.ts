import type { BatchReply, ConnectionFailure } from "../channel/transport.js";
import { implausibleText } from "../protocol/fencing.js";
import { RECORD_KEY } from "../protocol/keys.js";
import { faultVote, type Vote } from "../protocol/operation.js";

/**
 * The one place that knows the errors of Redis and of ioredis. Both are identified by their text.
 */

function text(error: unknown): string {
  // On a Cluster, the cause is in the error of the member that was asked last.
  const { lastNodeError } = Object(error) as { readonly lastNodeError?: unknown };
  if (lastNodeError !== undefined && lastNodeError !== null) return text(lastNodeError);
  return error instanceof Error ? error.message : String(error);
}

/** Lists the permissions that a user needs. */
const PERMISSIONS = "see docs/operate/permissions.md";

/** What a server may want that ends the connection once TLS is agreed. */
export const WANTS_CERTIFICATE =
  "it may want a certificate of the client: { options: { tls: { cert, key } } }";

type Advice = (...found: string[]) => string;

/**
 * Errors that last until somebody changes the server, the credentials, the permissions or the address, with what to
 * do. The wordings are those of Redis 5 to 8 and of Valkey 8; the first match counts.
 */
const MISCONFIGURED: readonly (readonly [wording: RegExp, advice?: Advice])[] = [
  [/^ERR (\S+) failed: .*(?:no permissions to run|can't run this command)/s, addCommand],
  [/no permissions to run the '([^']+)' command/, addCommand],
  [/can't run this command/, () => PERMISSIONS],
  [
    /permissions? to access (?:a key|one of the keys)|can't access at least one of the keys/i,
    () => `the user needs ~quorate:* and the keys of its locks, ${PERMISSIONS}`,
  ],
  [
    /permissions? to access (?:a channel|one of the channels)/i,
    () => "add &quorate:inbox:* to the ACL",
  ],
  [/NOPERM/, () => PERMISSIONS],
  [/NOAUTH/, () => "the server asks for a password, as in redis://:password@host"],
  [/WRONGPASS|invalid password|ERR AUTH/],
  [/DENIED/, () => "set a password (requirepass), as in redis://:password@host"],
  [/^ERR (\S+) failed: .*unknown (?:redis )?command/is, missing],
  [/^ERR HMGET failed: WRONGTYPE/, () => `${RECORD_KEY} is no hash; stop all clients, and DEL it`],
  [/unknown (?:redis )?command called from/i, () => "the server lacks a command that locks need"],
  [/unknown (?:sub)?command ['`]?([\w|]+)/i, missing],
  [/ERR (?:invalid DB index|DB index is out of range)/],
  [
    /self-?\s?signed certificate|unable to (?:verify the first|get local issuer) certificate/,
    addAuthority,
  ],
  [/certificate (?:has expired|is not yet valid)|Hostname\/IP does not match/],
  [/unsuit(?:able|ed) certificate|get issuer certificate|key values mismatch/],
  [/alert (?:\w+ )?(?:certificate|unknown ca|handshake failure)/, () => WANTS_CERTIFICATE],
  [/alert protocol version/],
  [
    /wrong version number|packet length too long/,
    () => "the server does not speak TLS on that port",
  ],
  [/No such master with that name/, () => "check `name`, by which the Sentinels know the master"],
  [/member of a Redis Cluster|is a Sentinel|knows no master/],
];

function addCommand(command: string): string {
  return `add +${command.toLowerCase()} to its ACL`;
}

function missing(command: string): string {
  return `the server does not have ${command.toUpperCase()}, or it has been renamed`;
}

function addAuthority(): string {
  return "trust its authority by { options: { tls: { ca } } } or NODE_EXTRA_CA_CERTS";
}

/** Why a connection failed to open, or a handshake or a batch was answered with an error. */
export function connectionFailure(error: unknown): ConnectionFailure {
  const whole = text(error);
  for (const [wording, advice] of MISCONFIGURED) {
    const [found, ...groups] = wording.exec(whole) ?? [];
    if (found === undefined) continue;
    const message = withoutNoise(whole);
    const hint = advice === undefined ? "" : `: ${advice(...groups)}`;
    return { message: message + hint, isMisconfigured: true };
  }
  return { message: withoutNoise(whole), isMisconfigured: false };
}

/** What ioredis would have reported to its authors. */
const NO_REDIS =
  "an answer that is not in the protocol of Redis: this is no Redis server, or a proxy answers for it";

/**
 * Servers repeat the arguments of unknown commands, which can be a script, and add the position in it. What names the
 * command that may not be run has the command twice. Of a missing password they tell how to send it by hand, at such
 * length that what to do here would be cut off.
 */
function withoutNoise(message: string): string {
  return message
    .replace(/^Unknown RESP type .*$/s, NO_REDIS)
    .replace(
      /^All sentinels are unreachable.*?\.(?: Last error: |$)/,
      "no Sentinel named a master: ",
    )
    .replace(/^[\dA-F]+:error:[\dA-F]+:SSL routines:[^:]*:([^:]+):.*$/s, "$1")
    .replace(/,? with args beginning with:.*$/s, "")
    .replace(/\b(NOAUTH) .*$/s, "$1")
    .replace(/^ERR \S+ failed: (?=NOPERM |ERR ACL failure )/, "")
    .replace(/^ERR ACL failure in script: /, "")
    .replace(/ script: \w+, on @\w+:\d+\.?/, "")
    .replaceAll(/@user_script: ?\d+: /g, "")
    .replace(/[\s.:]+$/, "");
}

/** Only a member of a Cluster answers like this. */
export function isOfClusterMember(error: unknown): boolean {
  return /^(?:MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/.test(text(error));
}

/** ioredis has asked all Sentinels, and none named a master. */
export function hasNoMaster(error: unknown): boolean {
  return text(error).startsWith("All sentinels are unreachable");
}

export function isUnknownCommand(error: unknown): boolean {
  return /unknown command/i.test(text(error));
}

/** A key is not what the command is for. */
export function isWrongType(error: unknown): boolean {
  return text(error).startsWith("WRONGTYPE");
}

/** The server does not know the command in this form. */
export function isSyntaxError(error: unknown): boolean {
  return /\bERR syntax error/.test(text(error));
}

/**
 * What a server says to a connection that it does not let in, without the instructions that follow; undefined for other
 * errors. The one for its protected mode names a missing password, as do errors that ioredis ignores.
 */
export function refusalOf(error: unknown): Error | undefined {
  const [refusal] = /^(?:DENIED .*? mode|ERR max number of clients .*)/.exec(text(error)) ?? [];
  return refusal === undefined ? undefined : new Error(refusal);
}

/** The server does not know the script; nothing was executed. */
export function isNoScript(error: unknown): boolean {
  return text(error).startsWith("NOSCRIPT");
}

/** A member of a Cluster does not have all of the keys, as they are migrated now; nothing was executed. */
export function isTryAgain(error: unknown): boolean {
  return text(error).startsWith("TRYAGAIN");
}

/** ioredis's error for commands that were unanswered, or not yet written, when the connection closed. */
const CLOSED = [
  "Connection is closed",
  "Stream isn't writeable",
  "Command aborted due to connection close",
  "Reached the max retries per request limit",
  "None of startup nodes is available",
];

/** Not an answer of the server: the end of the connection, which is reported as such. */
export function isConnectionClosed(error: unknown): boolean {
  return CLOSED.some((part) => text(error).includes(part));
}

/** The user may not use one of the keys that a call declares; nothing was executed. */
export function isForbiddenKey(error: unknown): boolean {
  return /^NOPERM .*permissions? to access (?:a key|one of the keys)/i.test(text(error));
}

/** Errors that the server returns before it executes anything of a script. */
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

/** Whether any part of a failed script call may have been executed. */
export function isExecuted(error: unknown): "no" | "unknown" {
  const message = text(error);
  return NOT_EXECUTED.some((code) => message.startsWith(code)) ? "no" : "unknown";
}

/** The vote of an operation that failed alone; it is unknown whether any of it was executed. */
export function operationFault(error: unknown): Vote {
  const [, exhausted] = /^FENCE (.*)/s.exec(text(error)) ?? [];
  if (exhausted !== undefined) {
    return faultVote("implausible", true, implausibleText(withoutNoise(exhausted)));
  }
  const { message, isMisconfigured } = connectionFailure(error);
  return faultVote(isMisconfigured ? "misconfigured" : "server", true, message);
}

/** The outcome of a call of the batch script that failed as a whole. */
export function errorReply(error: unknown): BatchReply {
  if (isNoScript(error)) return { kind: "noScript" };
  const { message, isMisconfigured } = connectionFailure(error);
  if (isForbiddenKey(error)) return { kind: "forbidden", message };
  return { kind: "error", message, isMisconfigured, isExecuted: isExecuted(error) };
}
