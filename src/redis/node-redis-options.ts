import type { RedisOptions } from "ioredis";
import { show } from "../runtime/validate.js";

/**
 * A client of node-redis 5 or 6 for one server. Its options are read; its connection is never used.
 */
export interface NodeRedisLike {
  readonly isOpen: boolean;
  readonly options: object;
  duplicate(...args: never[]): unknown;
  sendCommand(...args: never[]): unknown;
}

interface Options {
  readonly socket?: SocketOptions | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly credentialsProvider?: { readonly type?: unknown } | undefined;
  readonly database?: number | undefined;
  readonly keyPrefix?: unknown;
}

interface SocketOptions extends Readonly<Record<string, unknown>> {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly family?: number;
  readonly tls?: boolean;
}

/** Where the server is, our identity there, and the database. `credentialsProvider` is checked separately. */
const COPIED = ["socket", "username", "password", "database", "credentialsProvider"];

/** Set by Quorate itself, or without effect here. The `url` has been merged into the other options by now. */
const OWN = [
  ...["url", "name", "RESP", "modules", "functions", "scripts", "unstableResp3", "commandOptions"],
  ...["commandsQueueMaxLength", "disableOfflineQueue", "readonly", "pingInterval"],
  ...["clientSideCache", "emitInvalidate", "himportRegistry", "disableClientInfo", "clientInfoTag"],
  ...["maintNotifications", "maintEndpointType"],
  ...["maintRelaxedCommandTimeout", "maintRelaxedSocketTimeout"],
];

const COPIED_OF_SOCKET = ["host", "port", "path", "family", "tls"];

/** Concerns its reconnection, or is set by Quorate itself. node-redis ignores the last four. */
const OWN_OF_SOCKET = [
  ...["connectTimeout", "reconnectStrategy", "socketTimeout"],
  ...["keepAlive", "keepAliveInitialDelay", "noDelay"],
  ...["timeout", "onread", "readable", "writable"],
];

/** Clients of several servers, and how they are recognised. */
const OTHERS = [
  ["getMasterNode", "Sentinel", "`{ options: { sentinels: [...], name: ... } }`"],
  ["masters", "a Cluster", "a `Cluster` of ioredis"],
  ["totalClients", "a pool", "a single client, a URL or `{ options: {...} }`"],
] as const;

/** Whether it is a node-redis client of any kind. Only those have these properties for being open. */
export function isOfNodeRedis(client: object): client is NodeRedisLike {
  return "sendCommand" in client && typeof (client as { isOpen?: unknown }).isOpen === "boolean";
}

/** @throws TypeError naming an option that our connections could not honour. */
export function checkNodeRedis(client: NodeRedisLike, at: string): void {
  const other = OTHERS.find(([member]) => member in client);
  if (other !== undefined) {
    const [, what, instead] = other;
    throw new TypeError(
      `\`${at}\` is a client of node-redis for ${what}, whose options Quorate cannot copy; give ${instead}`,
    );
  }
  const { socket = {}, ...options } = (client.options ?? {}) as Options;
  if (options.keyPrefix) {
    throw new TypeError(
      `\`${at}\` has the node-redis option \`keyPrefix\` ${show(options.keyPrefix)}; give it to the LockManager instead`,
    );
  }
  for (const [name, value] of Object.entries(options)) {
    if (![...COPIED, ...OWN].includes(name) && isOn(value)) throw notCopied(name, at);
  }
  const { username, password, credentialsProvider } = options;
  // A client creates one from a username and a password.
  const isOfThese = username !== undefined || password !== undefined;
  const isStatic = isOfThese && credentialsProvider?.type === "async-credentials-provider";
  if (credentialsProvider && !isStatic) throw notCopied("credentialsProvider", at);
  for (const [name, value] of Object.entries(socket)) {
    const isCopied = [...COPIED_OF_SOCKET, ...OWN_OF_SOCKET].includes(name);
    // With TLS, all others are for `tls.connect`, both here and there, except for a custom socket.
    const isForTls = socket.tls === true && name !== "socket";
    if (!isCopied && !isForTls && isOn(value)) throw notCopied(`socket.${name}`, at);
  }
}

/** The options for our own connections, as options of ioredis. */
export function copyOfNodeRedis(given: object): RedisOptions {
  const { socket = {}, username, password, database } = (given ?? {}) as Options;
  const { host, port, path, family, tls, ...others } = socket;
  const isOfTls = ([name]: [string, unknown]): boolean => !OWN_OF_SOCKET.includes(name);
  const options = {
    ...{ host, port, path, family, username, password, db: database },
    tls: tls === true ? Object.fromEntries(Object.entries(others).filter(isOfTls)) : undefined,
  };
  const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined;
  return Object.fromEntries(Object.entries(options).filter(isGiven));
}

function notCopied(option: string, at: string): TypeError {
  return new TypeError(
    `\`${at}\` is a client of node-redis with the option \`${option}\`, which Quorate cannot copy to its own ` +
      "connections; give the node as a URL or as `{ options: {...} }` of ioredis",
  );
}

/** An option that is set and has an effect. */
function isOn(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}
