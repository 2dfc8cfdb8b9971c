import { runMocha } from "./run-mocha.mjs";

/** More than CPUs: most tests on real servers wait. */
const LANES = 6;

/**
 * Runs parts of the tests, six at a time in their order, prints the output of each when it has ended, and resolves to
 * the totals.
 *
 * @param {{ title: string, spec: string[], ignore?: string[], isBusy?: boolean, server?: string }[]} parts `isBusy` are
 *   those that only compute: they run at low priority, so that tests that measure time get the CPU first. `server` is
 *   the path of another server than all others run on.
 * @param {{ root: string, args: string[], more?: () => Promise<typeof parts> }} run `more` is called when the first six
 *   have begun, and may take its time to get what its parts need: they come next.
 */
export async function runParts(parts, { root, args, more = async () => [] }) {
  const left = [...parts];
  const total = { passed: 0, failed: 0, skipped: 0 };
  const allFailing = [];
  // In a later turn: it may keep this process busy.
  const added = new Promise(setImmediate).then(more).then((others) => left.unshift(...others));
  const next = async () => left.shift() ?? (await added, left.shift());
  const lane = async () => {
    for (let part = await next(); part !== undefined; part = await next()) {
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
  await Promise.all([...Array.from({ length: LANES }, lane), added]);
  return { ...total, failing: allFailing };
}

/** Once more at the end: the output of the parts is thousands of lines long, and logs are often cut to their last ones. */
export function printFailing(failing) {
  if (failing.length > 0) console.log(`\nFailed:\n\n${failing.join("\n\n")}\n`);
}
