import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { cleanupRoot, forgetChild, killWithParent } from "../../src/testing/child-cleanup.js";

const START_LIMIT_MS = 40_000;

/** A PostgreSQL server of a test's own, on a unix socket. */
export interface Postgres {
  /** What `pg` needs to reach it. */
  readonly config: ClientConfig;
  /** The same as environment variables, for a program. */
  readonly env: Record<string, string>;
  /** A client that is connected; it has to be ended. */
  connect(): Promise<Client>;
  stop(): Promise<void>;
}

/** Where PostgreSQL's programs are: on `PATH`, or where Debian puts them; undefined if nowhere. */
export function findPostgres(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  return [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...newestFirst.map((version) => join(debian, version, "bin")),
  ].find((dir) => ["initdb", "postgres"].every((program) => existsSync(join(dir, program))));
}

/**
 * Starts a server whose data is gone with the test, and with its process in whatever way that ends.
 *
 * @throws Error when it does not start; the message ends with what it said
 */
export async function startPostgres(bin: string): Promise<Postgres> {
  const user = unprivilegedUser();
  const dir = mkdtempSync(join(cleanupRoot(), "pg-"));
  if (user !== undefined) {
    // The user has to get to a directory below one that only root may enter.
    chmodSync(cleanupRoot(), 0o711);
    chownSync(dir, user.uid, user.gid);
  }
  const data = join(dir, "data");
  const init = ["-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--locale=C", "-EUTF8"];
  const made = spawnSync(join(bin, "initdb"), init, { ...user, cwd: dir, encoding: "utf8" });
  if (made.status !== 0)
    throw new Error(`initdb failed: ${made.stderr}${String(made.error ?? "")}`);

  const settings = ["listen_addresses=", "fsync=off", "max_connections=20", "max_wal_senders=0"];
  const args = ["-D", data, "-k", dir, ...settings.flatMap((setting) => ["-c", setting])];
  const server = spawn(join(bin, "postgres"), args, {
    ...user,
    cwd: dir,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  server.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const exited = once(server, "exit");
  await once(server, "spawn");
  const { pid = 0 } = server;
  killWithParent(pid);

  const config = { host: dir, port: 5432, user: "postgres", database: "postgres" };
  const connect = async (): Promise<Client> => {
    const client = new Client(config);
    await client.connect();
    return client;
  };
  const stop = async (): Promise<void> => {
    // Its fast way to stop, for which it ends all sessions.
    if (server.exitCode === null) server.kill("SIGINT");
    await exited;
    forgetChild(pid);
    rmSync(dir, { recursive: true, force: true });
  };
  const isUp = (): Promise<boolean> =>
    connect().then(
      async (client) => {
        await client.end();
        return true;
      },
      () => false,
    );
  const endMs = performance.now() + START_LIMIT_MS;
  while (!(await isUp())) {
    if (server.exitCode === null && performance.now() < endMs) {
      await sleep(20);
      continue;
    }
    await stop();
    throw new Error(`postgres did not start: ${said}`);
  }
  const env = { PGHOST: dir, PGPORT: "5432", PGUSER: "postgres", PGDATABASE: "postgres" };
  return { config, env, connect, stop };
}

/** PostgreSQL refuses to run as root; the user that its packages make will do. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string, name: string): number =>
    Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout.trim() || Number.NaN);
  for (const name of ["postgres", "nobody"]) {
    const [uid, gid] = [id("-u", name), id("-g", name)];
    if (!Number.isNaN(uid) && !Number.isNaN(gid)) return { uid, gid };
  }
  throw new Error("PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`");
}
