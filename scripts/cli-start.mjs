// Measures what it costs to start `quorate`, bundled as it ships and as single modules; the bundle should take at
// most 60 % of the modules. It measures processor time from start to end, because elapsed time says little on a busy
// machine. Usage: node scripts/cli-start.mjs [--rounds 15]. Needs `npm run build`, and a compiled build/ as
// `npm test` leaves it. The node that it queries does not exist, so only loading and connecting are measured.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { rounds: { type: "string", default: "15" } } });

/** Makes a program print its processor time, us, when it exits. */
const TOLD =
  "data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();" +
  "console.error('cpu '+(user+system))})";

const SUBJECTS = {
  bundled: [join(root, "dist", "cli", "quorate.mjs"), ...call()],
  modules: [join(root, "build", "src", "cli", "quorate.js"), ...call()],
  "node alone": ["-e", "0"],
};

function call() {
  return ["inspect", "x", "-q", "--nodes", "redis://127.0.0.1:1", "--node-timeout", "1ms"];
}

const times = Object.fromEntries(Object.keys(SUBJECTS).map((name) => [name, []]));
for (let round = 0; round < Number(values.rounds); round++) {
  // Alternating, so that a busy moment of the machine affects all of them.
  for (const [name, args] of Object.entries(SUBJECTS)) {
    const { stderr } = spawnSync(process.execPath, ["--import", TOLD, ...args], {
      encoding: "utf8",
    });
    times[name].push(Number(/^cpu (\d+)$/m.exec(stderr)?.[1]) / 1_000);
  }
}
const medianOf = (name) =>
  times[name].toSorted((a, b) => a - b)[Math.floor(times[name].length / 2)];
for (const [name, all] of Object.entries(times)) {
  const best = Math.min(...all).toFixed(0);
  console.log(
    `${name.padEnd(12)} ${medianOf(name).toFixed(0)} ms in the middle, ${best} ms at best`,
  );
}
console.log(`bundled / modules: ${(medianOf("bundled") / medianOf("modules")).toFixed(2)}`);
