import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

// The protected store: it keeps the largest token that it has seen and turns smaller ones away.
let fence = 0;
const store = createServer((request, response) => {
  const token = Number(request.headers["fencing-token"]);
  if (token >= fence) fence = token;
  response.writeHead(token === fence ? 204 : 409).end();
}).listen(0, "127.0.0.1");
await once(store, "listening");
const url = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;

const write = async (who: string, token: number | undefined): Promise<void> => {
  const { status } = await fetch(url, {
    method: "PUT",
    headers: { "fencing-token": String(token) },
  });
  console.log(`${who}: ${status === 204 ? "written" : "turned away"}`);
};

const nodes = ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"];
await using locks = new LockManager(nodes);

// A holder that stops renewing, as one does that is paused for longer than its ttl ...
const paused = await locks.acquire("report", { ttlMs: 200, renew: false });
await write("first holder", paused.fencingToken);
await sleep(300);

// ... so that another one gets the lock and writes.
const next = await locks.acquire("report");
await write("second holder", next.fencingToken);

// The first one wakes up in the middle of a write. It does not know yet, but the store does.
await write("first holder, late", paused.fencingToken);

store.close();
store.closeAllConnections();
