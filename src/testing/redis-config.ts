import type { RedisServerOptions } from "./redis-provider.js";

/** Where a server's files and socket go. */
export interface RedisPlace {
  readonly port: number;
  readonly dataDir: string;
  readonly pidFile: string;
  /**
   * Address to listen on. Default: 127.0.0.1. With any other, the server also answers outsiders
   * without a password, so something in front of it must block them.
   */
  readonly bind?: string;
}

/** The text of the redis.conf for one test server. */
export function redisConfig(place: RedisPlace, options: RedisServerOptions): string {
  const lines = [
    `bind ${place.bind ?? "127.0.0.1"}`,
    `protected-mode ${yesNo(place.bind === undefined)}`,
    "daemonize no",
    "loglevel notice",
    'logfile ""',
    'save ""',
    `dir ${quote(place.dataDir)}`,
    `pidfile ${quote(place.pidFile)}`,
    ...listenLines(place.port, options),
    `appendonly ${yesNo(options.appendonly ?? false)}`,
  ];
  if (options.appendfsync !== undefined) lines.push(`appendfsync ${options.appendfsync}`);
  if (options.requirepass !== undefined) lines.push(`requirepass ${quote(options.requirepass)}`);
  for (const user of options.users ?? []) lines.push(`user ${user}`);
  if (options.cluster === true) lines.push("cluster-enabled yes");
  // The allocator's threads sleep until a wall-clock time, and would spin if the clock jumped back.
  if (options.clock === true) lines.push("jemalloc-bg-thread no");
  return `${lines.join("\n")}\n`;
}

function listenLines(port: number, options: RedisServerOptions): string[] {
  const { tls } = options;
  if (tls === undefined) return [`port ${port}`];
  const lines = [
    "port 0",
    `tls-port ${port}`,
    `tls-cert-file ${quote(tls.cert)}`,
    `tls-key-file ${quote(tls.key)}`,
    `tls-auth-clients ${yesNo(tls.requireClientCert ?? false)}`,
  ];
  if (tls.ca !== undefined) lines.push(`tls-ca-cert-file ${quote(tls.ca)}`);
  return lines;
}

function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}

function quote(value: string): string {
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
