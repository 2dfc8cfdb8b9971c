import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { FenceGate, fencingHeaders, type Grant } from "../src/fencing/index.js";
import { LockManager } from "../src/index.js";

// The protected service: it keeps the largest token that it has seen and turns smaller ones away.
const gate = new FenceGate();
const service = createServer((request, response) => {
  gate
    .answer(request, response, () => {
      response.writeHead(204).end(); // here it would write
    })
    .catch((error: unknown) => response.writeHead(500).end(String(error)));
}).listen(0, "127.0.0.1");
await once(service, "listening");
const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const write = async (who: string, grant: Grant): Promise<void> => {
  const { status } = await fetch(url, { method: "PUT", headers: fencingHeaders(grant) });
  console.log(`${who}: ${status === 204 ? "written" : "turned away"}`);
};

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
await using locks = new LockManager(nodes);

// A holder that stops renewing, as one does that is paused for longer than its ttl ...
const paused = await locks.acquire("report", { ttlMs: 200, renew: false });
await write("first holder", paused);
await sleep(300);

// ... so that another one gets the lock and writes.
const next = await locks.acquire("report");
await write("second holder", next);

// The first one wakes up in the middle of a write. It does not know yet, but the service does.
await write("first holder, late", paused);

service.close();
service.closeAllConnections();
