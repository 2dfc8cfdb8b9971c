import { readFileSync } from "node:fs";
import { Redis } from "ioredis";
import { checkCommand } from "./arguments.js";
import type { RedisServerOptions } from "./redis-provider.js";

const TIMEOUT_MS = 5000;

/** TLS and credentials for a single command. */
export interface CommandAccess {
  readonly tls: RedisServerOptions["tls"];
  readonly auth: { readonly username?: string; readonly password: string } | undefined;
}

/** URL of a server with these options, without credentials. */
export function redisUrl(port: number, { tls }: RedisServerOptions): string {
  return `${tls === undefined ? "redis" : "rediss"}://127.0.0.1:${port}`;
}

/** TLS and credentials for commands to a server with these options. */
export function commandAccess(options: RedisServerOptions): CommandAccess {
  const { tls, requirepass, commandAuth } = options;
  const password = requirepass === undefined ? undefined : { password: requirepass };
  return { tls, auth: commandAuth ?? password };
}

/**
 * Runs one command on a server on 127.0.0.1, over a connection of its own.
 *
 * @throws Error when the server refuses, replies with an error, or takes longer than 5000 ms.
 */
export async function runCommand(
  port: number,
  args: readonly (string | number)[],
  access: CommandAccess,
): Promise<unknown> {
  checkCommand(args);
  const [name, ...rest] = args;
  const redis = new Redis(connectionOptions(port, access));
  // Without a listener ioredis prints the error; the rejection below reports it already.
  redis.on("error", () => {});
  try {
    await redis.connect();
    return await redis.call(String(name), rest);
  } finally {
    redis.disconnect();
  }
}

function connectionOptions(port: number, access: CommandAccess) {
  return {
    host: "127.0.0.1",
    port,
    lazyConnect: true,
    enableReadyCheck: false,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
    ...access.auth,
    ...(access.tls ? { tls: tlsOptions(access.tls) } : {}),
  };
}

/** The certificate is not verified: it is the test's own, and the server is on the loopback. */
function tlsOptions({ cert, key, requireClientCert }: NonNullable<CommandAccess["tls"]>) {
  // The server's own certificate, which was signed by the same authority.
  const own = requireClientCert === true && { cert: readFileSync(cert), key: readFileSync(key) };
  return { rejectUnauthorized: false, ...own };
}
