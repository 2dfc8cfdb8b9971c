import { setTimeout as sleep } from "node:timers/promises";
import { LockManager } from "../src/index.js";

const locks = new LockManager(
  ["redis://127.0.0.1:7001", "redis://127.0.0.1:7002", "redis://127.0.0.1:7003"],
  { waitMs: Infinity, fair: true }, // the behaviour of `navigator.locks`
);

// From here on, `locks` could be `navigator.locks` or `locks` of `node:worker_threads`.
const sum = await locks.request("my_resource", async (lock) => {
  console.log(`${lock.name}, ${lock.mode}`);
  return 1 + 1; // held until the callback settles
});
console.log(sum);

// Readers run together, a writer runs alone.
const read = (): Promise<void> =>
  locks.request("file", { mode: "shared" }, async () => {
    console.log("read");
    await sleep(50);
  });
const write = (): Promise<void> => locks.request("file", () => console.log("written"));
await Promise.all([read(), read(), write(), read()]);

// One attempt only; and a wait with a limit.
await locks.request("job", async () => {
  await locks.request("job", { ifAvailable: true }, (lock) => {
    console.log(lock === null ? "already taken" : "ours");
  });
  try {
    await locks.request("job", { signal: AbortSignal.timeout(50) }, () => {});
  } catch (error) {
    console.log((error as Error).name);
  }
});

// A holder hangs, and another request takes its lock.
locks.on("warning", ({ code }) => console.log(code)); // the callback goes on without it
let stolen: Promise<void> | undefined;
await new Promise<void>((isIn) => {
  const hanging = locks.request("stuck", () => {
    isIn();
    return new Promise(() => {});
  });
  stolen = hanging.then(
    () => {},
    (error: Error) => console.log(`stolen: ${error.name}`),
  );
});
await locks.request("stuck", { steal: true }, () => console.log("stolen"));

await stolen;
await locks.close();
