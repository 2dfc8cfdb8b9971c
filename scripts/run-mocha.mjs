import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants, setPriority, tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Variables that change what programs print. Tests that are about one of them set it themselves. */
const MEDDLING = ["DEBUG", "NODE_DEBUG", "FORCE_COLOR", "LC_ALL"];

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/**
 * Runs mocha once in a separate process and resolves to its totals.
 *
 * @param {{ root: string, spec: string[], ignore?: string[], args: string[], isAside?: boolean, isBusy?: boolean, server?: string }} run
 *   `isAside` collects its output in `output` because other runs print at the same time; `isBusy` runs it at low
 *   priority; `server` is the path of the server for it, in place of QUORATE_REDIS_SERVER.
 * @returns {Promise<{ passed: number, failed: number, skipped: number, failing: string[], output: string }>}
 *   `failing` has each failure's title and stack.
 */
export async function runMocha(wanted) {
  const { root, spec, ignore = [], args, isAside = false, isBusy = false, server } = wanted;
  const dir = mkdtempSync(join(tmpdir(), "quorate-mocha-"));
  try {
    const { "node-option": nodeOptions = [], ...config } = readConfig(root);
    const summaryFile = join(dir, "summary.json");
    const configFile = join(dir, "mocharc.json");
    writeFileSync(configFile, JSON.stringify({ ...config, spec, ignore }));
    const flags = nodeOptions.map((option) => `--${option}`);
    const outputFile = isAside ? join(dir, "output.txt") : undefined;
    const code = await run(
      root,
      summaryFile,
      outputFile,
      [
        // Passed to node directly, because mocha would start another process to pass them on.
        ...flags,
        join(root, "node_modules", "mocha", "bin", "mocha.js"),
        `--config=${configFile}`,
        `--reporter=${join(root, "scripts", "summary-reporter.cjs")}`,
        ...args,
      ],
      { isBusy, server },
    );
    const output = outputFile === undefined ? "" : readFileSync(outputFile, "utf8");
    return { ...totals(summaryFile, code), output };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** A machine's own settings must not decide whether tests pass. */
function ownEnvironment() {
  const own = Object.entries(process.env).filter(([name]) => !MEDDLING.includes(name));
  return Object.fromEntries(own);
}

function readConfig(root) {
  return JSON.parse(readFileSync(join(root, ".mocharc.json"), "utf8"));
}

function run(root, summaryFile, outputFile, args, { isBusy, server }) {
  const output = outputFile === undefined ? "inherit" : openSync(outputFile, "w");
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", output, output],
    env: {
      ...ownEnvironment(),
      ...(server === undefined ? {} : { QUORATE_REDIS_SERVER: server }),
      QUORATE_TEST_SUMMARY: summaryFile,
    },
  });
  if (output !== "inherit") closeSync(output);
  if (isBusy && child.pid !== undefined)
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  // The servers end with mocha, however it ends.
  const handlers = Object.entries(SIGNALS).map(([signal, number]) => {
    const handler = () => {
      child.once("exit", () => {
        rmSync(dirname(summaryFile), { recursive: true, force: true });
        process.exit(128 + number);
      });
      child.kill("SIGKILL");
    };
    process.on(signal, handler);
    return [signal, handler];
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
      resolve(code);
    });
  });
}

/** A run that broke off, or failed outside of a test, counts as one more failure. */
function totals(summaryFile, code) {
  let summary = { passed: 0, failed: 0, skipped: 0, finished: false, failing: [] };
  try {
    summary = JSON.parse(readFileSync(summaryFile, "utf8"));
  } catch {
    // It ended before it wrote any.
  }
  const { passed, failed, skipped, finished, failing } = summary;
  const unseen = !finished || (code !== 0 && failed === 0);
  if (unseen) failing.push(`mocha ended early, with exit code ${code}`);
  return { passed, failed: failed + (unseen ? 1 : 0), skipped, failing };
}
