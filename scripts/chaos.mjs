// npm run chaos: compiles the campaigns and runs one. Arguments after -- are passed to it, see
// chaos/arguments.ts.
import { rmSync } from "node:fs";
import { launch } from "./launch.mjs";

const HARNESS_FAILED = 3;

// One output per run: a campaign starts clients until its end, and another run must not delete their files.
const output = await launch("chaos", `chaos/${process.pid}`, {
  nodeArgs: ["--enable-source-maps"],
  failedCode: HARNESS_FAILED,
});
process.on("exit", () => rmSync(output, { recursive: true, force: true }));
