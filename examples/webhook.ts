import { createServer, type IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { closeOnSignals, LockManager } from "../src/index.js";

const locks = new LockManager(process.env["QUORATE_NODES"]?.split(",") ?? []);
const db = new Pool({ max: 3 }); // from PGHOST, PGUSER ...
await locks.request("migrate", { waitMs: 60_000 }, () =>
  db.query("CREATE TABLE IF NOT EXISTS events (id text PRIMARY KEY)"),
);

async function onWebhook(request: IncomingMessage): Promise<void> {
  // First check the signature: until then, anybody may have sent it.
  const { id } = (await json(request)) as { id: string };
  // Not request.url: it is the same for all events, or differs between two deliveries of one.
  await locks.request(`webhook:${id}`, { waitMs: 5_000 }, async (lock) => {
    const { rowCount } = await db.query("SELECT FROM events WHERE id = $1", [id]);
    if (rowCount !== 0) return;
    await handle(id, lock.signal);
    await db.query("INSERT INTO events VALUES ($1)", [id]);
  });
}

async function handle(id: string, signal: AbortSignal): Promise<void> {
  console.log(`${process.pid} handles ${id}`);
  await sleep(50, undefined, { signal });
}

const server = createServer((request, response) => {
  onWebhook(request).then(
    () => response.writeHead(200).end(),
    // Whatever it was, the sender delivers the event again later.
    (error: unknown) => response.writeHead(503).end(String(error)),
  );
});
server.listen(Number(process.env["PORT"] ?? 8080), () =>
  console.log("listening", server.address()),
);
closeOnSignals(locks, {
  before: async () => {
    await new Promise((resolve) => server.close(resolve));
    await db.end();
  },
});
