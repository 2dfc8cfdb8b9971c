import { hashText, seededRandom } from "./random.js";
import type { Scenario, Session } from "./scenario.js";

/** Profiles in which semaphores are resized. */
const RESIZED: readonly string[] = ["semaphore", "waiting", "healthy", "mixed"];

/** The same scenario with services that resize the semaphores that are in it, and some that count what is available. */
export function withResizes(scenario: Scenario): Scenario {
  const { seed, profile, workload, clients, chaosMs } = scenario;
  const random = seededRandom(hashText(seed, `resizes ${profile}`));
  const [first] = workload;
  const ofPermits = workload.filter(({ permits }) => permits !== undefined);
  if (first === undefined || ofPermits.length === 0) return scenario;
  if (!RESIZED.includes(profile) || !random.chance(40)) return scenario;
  const resizes = Array.from({ length: random.between(1, 5) }, (): Session => {
    const { name, permits } = random.oneOf(ofPermits);
    // After healing, clients contend for what the first session wants.
    const least = name === first.name ? (first.takes ?? 1) : 1;
    const nothing = { waitMs: 0, holdMs: 0, writeCount: 0, extendCount: 0 } as const;
    const about = { client: random.below(clients.length), name, permits, ...nothing };
    const atMs = random.below(chaosMs);
    const resizeTo = random.between(least, 6);
    if (random.chance(20)) return { ...about, atMs, release: "once", isCounting: true };
    return { ...about, atMs, release: "once", resizeTo };
  });
  // Some of them at one moment.
  const same = resizes
    .filter(() => random.chance(25))
    .map((session) => {
      const client = random.below(clients.length);
      return { ...session, client, ...(session.resizeTo && { resizeTo: session.resizeTo + 1 }) };
    });
  const others = [...workload.slice(1), ...resizes, ...same].toSorted((a, b) => a.atMs - b.atMs);
  return { ...scenario, workload: [first, ...others] };
}
