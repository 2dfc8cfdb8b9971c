import { subscribe } from "node:diagnostics_channel";
import { pino } from "pino";
import {
  LockManager,
  type AcquireMessage,
  type LateMessage,
  type LostMessage,
  type NodeMessage,
  type ReleaseMessage,
} from "../src/index.js";

const log = pino({ base: null, timestamp: false });

subscribe("tracing:quorate:acquire:asyncEnd", (message) => {
  const { name, outcome, waitedMs, attemptCount, error } = message as AcquireMessage;
  const isQuick = outcome === "granted" && waitedMs < 1_000;
  if (!isQuick) log.warn({ name, outcome, waitedMs, attemptCount, error }, "acquire");
});
subscribe("tracing:quorate:release:asyncEnd", (message) => {
  const { name, heldMs, result } = message as ReleaseMessage;
  log[heldMs > 60_000 ? "warn" : "debug"]({ name, heldMs, result }, "released");
});
subscribe("quorate:late", (message) => log.warn(message as LateMessage, "late"));
subscribe("quorate:lost", (message) => {
  const { name, reason, cause } = message as LostMessage;
  log.error({ name, reason, cause }, "lost");
});
subscribe("quorate:node", (message) => {
  const { node, state, detail } = message as NodeMessage;
  if (state !== "connecting" && state !== "closed") log.info({ node, state, detail }, "node");
});

const locks = new LockManager([
  "redis://127.0.0.1:7001",
  "redis://127.0.0.1:7002",
  "redis://127.0.0.1:7003",
]);
await locks.ready({ all: true });
await locks.acquire("invoice:42", { maxHoldMs: 1 }); // lost immediately
await new Promise((resolve) => locks.once("lost", resolve));
await locks.close();
