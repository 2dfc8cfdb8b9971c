// npm run exhaust: walks through every order of events of small worlds. See docs/simulator.md.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { simulator } from "./simulator.mjs";

const MEMORY = "--max-old-space-size=6144";

if (process.execArgv.includes(MEMORY)) {
  const { exhaustMain } = await simulator();
  process.exitCode = await exhaustMain(process.argv.slice(2));
} else {
  // Millions of states have to be remembered.
  const args = [MEMORY, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 3;
}
