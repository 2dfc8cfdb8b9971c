import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { closeOnSignals, LockHeldError, LockManager } from "../src/index.js";

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);

const server = createServer((request, response) => {
  const answer = (status: number, body: string): void => {
    // A keep-alive connection would keep delivering requests.
    if (!server.listening) response.setHeader("connection", "close");
    if (status !== 200) response.setHeader("retry-after", "2");
    response.writeHead(status).end(body);
  };
  // Without the query: with it, the same order would have many names.
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  locks
    .request(`order:${pathname}`, { waitMs: 2_000 }, (lock) => pay(lock.signal))
    .then((paid) => answer(200, paid))
    .catch((error: unknown) => answer(error instanceof LockHeldError ? 423 : 503, String(error)));
});
server.listen(Number(process.env["PORT"] ?? 8080), () =>
  console.log("listening", server.address()),
);

closeOnSignals(locks, {
  drainMs: 20_000,
  // Stops accepting connections and waits for requests in flight: they may still need a lock.
  before: () => new Promise((resolve) => server.close(resolve)),
});

async function pay(signal: AbortSignal): Promise<string> {
  await sleep(500, undefined, { signal });
  return "paid\n";
}
