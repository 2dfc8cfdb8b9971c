// npm run exhaust: explores every order of events of small worlds. See docs/internals/simulator.md.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { simulator } from "./simulator.mjs";

const MEMORY = "--max-old-space-size=6144";
const NOTHING_SHOWN = 3;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

if (process.execArgv.includes(MEMORY)) {
  const { exhaustMain } = await simulator();
  process.exitCode = await exhaustMain(process.argv.slice(2));
} else {
  // Millions of states must be kept in memory.
  const args = [MEMORY, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  // The search never yields, so it cannot handle signals itself; and it must not outlive this process.
  for (const signal of Object.keys(SIGNALS)) process.on(signal, () => child.kill(signal));
  child.once("exit", (code, signal) => {
    if (signal !== null) console.error(`ended by ${signal}: nothing is shown about the rest`);
    process.exitCode = code ?? (signal in SIGNALS ? 128 + SIGNALS[signal] : NOTHING_SHOWN);
  });
}
