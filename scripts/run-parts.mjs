import { runMocha } from "./run-mocha.mjs";

/** More than CPUs: most tests on real servers wait. */
const LANES = 5;

/**
 * Runs parts of the tests, five at a time in their order, prints the output of each when it has ended, and resolves to
 * the totals.
 *
 * @param {{ title: string, spec: string[], ignore?: string[], isBusy?: boolean, server?: string }[]} parts `isBusy` are
 *   those that only compute: they run at low priority, so that tests that measure time get the CPU first. `server` is
 *   the path of another server than all others run on.
 * @param {{ root: string, args: string[] }} run
 */
export async function runParts(parts, { root, args }) {
  const left = [...parts];
  const total = { passed: 0, failed: 0, skipped: 0 };
  const allFailing = [];
  const lane = async () => {
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      const startMs = performance.now();
      // Parts at low priority may have to wait for the others.
      const limits = part.isBusy ? ["--timeout=240000", ...args] : args;
      const { output, failing, ...counts } = await runMocha({
        ...part,
        root,
        args: limits,
        isAside: true,
      });
      const seconds = Math.round((performance.now() - startMs) / 1_000);
      console.log(`\n${part.title} (${seconds} s)\n${output}`);
      for (const [key, count] of Object.entries(counts)) total[key] += count;
      allFailing.push(...failing);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { ...total, failing: allFailing };
}

/** Once more at the end: the output of the parts is thousands of lines long, and logs are often cut to their last ones. */
export function printFailing(failing) {
  if (failing.length > 0) console.log(`\nFailed:\n\n${failing.join("\n\n")}\n`);
}
