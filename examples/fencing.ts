import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { FenceGate, fencingHeaders, type Grant } from "../src/fencing/index.js";
import { LockManager } from "../src/index.js";

// The protected service remembers the largest token it has seen, and rejects smaller ones.
const gate = new FenceGate();
const service = createServer((request, response) => {
  gate
    .answer(request, response, () => {
      response.writeHead(204).end(); // a real service writes here
    })
    .catch((error: unknown) => response.writeHead(500).end(String(error)));
}).listen(0, "127.0.0.1");
await once(service, "listening");
const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const write = async (who: string, grant: Grant): Promise<void> => {
  const { status } = await fetch(url, { method: "PUT", headers: fencingHeaders(grant) });
  console.log(`${who}: ${status === 204 ? "written" : "rejected"}`);
};

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
await using locks = new LockManager(nodes);

// A holder stops renewing, as it would if it were paused for longer than its ttl ...
const paused = await locks.acquire("report", { ttlMs: 200, renew: false });
await write("first holder", paused);
await sleep(300);

// ... so another client gets the lock and writes.
const next = await locks.acquire("report");
await write("second holder", next);

// The first holder wakes up in the middle of a write. It does not know that it lost the lock; the service does.
await write("first holder, late", paused);

service.close();
service.closeAllConnections();
