import { subscribe } from "node:diagnostics_channel";
import { Counter, Histogram, register } from "prom-client";
import { LockManager, type AcquireMessage, type LostMessage } from "../src/index.js";

const waited = new Histogram({
  name: "lock_acquire_seconds",
  help: "From the call of an acquire to its outcome",
  labelNames: ["group", "outcome"],
  buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 30],
});
const lost = new Counter({ name: "locks_lost", help: "Lost locks", labelNames: ["reason"] });

subscribe("tracing:quorate:acquire:asyncEnd", (message) => {
  const { name, outcome = "error", waitedMs } = message as AcquireMessage;
  const [group = ""] = name.split(":"); // never the full name: each would be a separate series
  waited.observe({ group, outcome }, waitedMs / 1_000);
});
subscribe("quorate:lost", (message) => {
  lost.inc({ reason: (message as LostMessage).reason });
});

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);
await locks.request("invoice:42", () => {});
await locks.acquire("invoice:43", { maxHoldMs: 1 }); // lost immediately
await new Promise((resolve) => locks.once("lost", resolve));

// The response of GET /metrics.
const text = await register.metrics();
console.log(text.match(/^lock_acquire_seconds_count.*|^locks_lost\{.*/gm)?.join("\n"));
await locks.close();
