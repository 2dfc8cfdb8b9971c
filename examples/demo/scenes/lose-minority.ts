import { nowMs } from "../now.js";
import type { ServiceProcess } from "../service-process.js";
import { HOLD_MS, PATIENCE_MS, TTL_MS } from "../settings.js";
import type { Stage } from "../stage.js";

const RENEWALS = 3;
const DYING = [3, 4];

/**
 * Two of five nodes die under a lock that is held: the other three are a quorum, and renewals go on.
 *
 * @returns the service that holds the lock.
 */
export async function loseMinority(stage: Stage): Promise<ServiceProcess> {
  stage.scene("One keeps the lock. Two of five nodes die: three are still a quorum.");
  for (const service of stage.services) service.order({ kind: "task", task: "hold" });
  const holder = await stage.until("one keeps the lock and the other waits", PATIENCE_MS, () =>
    keeperOf(stage),
  );
  const { token } = holder.status;
  stage.say(`${holder.name} keeps the lock and renews it every third of its ttl`);
  await stage.pause(200);
  for (const index of DYING) {
    await stage.nodes[index]?.kill();
    stage.say(`node ${index + 1} was killed`);
    await stage.pause(600);
  }

  const refills = (): number[] => stage.watches.slice(0, 3).map(({ refillCount }) => refillCount);
  const refillsBefore = refills();
  const renewalsBefore = holder.renewalCount;
  await stage.until(
    `${holder.name} renewed the lock ${RENEWALS} times on three nodes`,
    RENEWALS * TTL_MS + PATIENCE_MS,
    () =>
      refills().every((count, index) => count - (refillsBefore[index] ?? 0) >= RENEWALS) &&
      holder.renewalCount - renewalsBefore >= RENEWALS,
  );
  const isStillHeld = holder.status.state === "holding" && holder.status.token === token;
  stage.checklist.check(
    isStillHeld,
    `with two nodes dead ${holder.name} kept the lock: ${RENEWALS} renewals, seen on the other nodes`,
    `${holder.name} did not keep the lock when two of five nodes died`,
  );
  return holder;
}

/**
 * The service that has held the lock for longer than it would for one turn. A status can be older
 * than the task: who is merely said to hold the lock may be about to release it.
 */
function keeperOf({ history, services }: Stage): ServiceProcess | undefined {
  const last = history.tenures.at(-1);
  if (last === undefined || nowMs() - last.fromMs < 2 * HOLD_MS) return undefined;
  const keeper = services.find(({ name }) => name === last.by);
  const other = services.find(({ name }) => name !== last.by);
  const isSo = keeper?.status.state === "holding" && other?.status.state === "waiting";
  return isSo ? keeper : undefined;
}
