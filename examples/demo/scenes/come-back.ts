import { nowMs } from "../now.js";
import type { ServiceProcess } from "../service-process.js";
import { LOOK_EVERY_MS, MAX_TTL_MS, NODE_COUNT, PATIENCE_MS, QUORUM } from "../settings.js";
import type { Stage } from "../stage.js";

const RETURNING = [2, 3, 4];
const TIMEOUT_MS = 2 * MAX_TTL_MS + PATIENCE_MS;

/**
 * The dead nodes are back with nothing in memory. Their votes do not count for the longest lease
 * there may be; only then is there a quorum, and the service that waits is granted the lock.
 */
export async function comeBack(stage: Stage, waiting: ServiceProcess): Promise<void> {
  stage.scene("The nodes are back, empty. In quarantine, their votes do not count.");
  const { checklist } = stage;
  const upAtMs = new Map<number, number>();
  const votesAgainAtMs = new Map<number, number>();
  /** By the service, which may vote when this is over; the demo may be told later. */
  let firstEndMs = Number.POSITIVE_INFINITY;
  const quarantineOf = (index: number): number => {
    const { atMs, nodes } = waiting.status;
    const leftMs = nodes[index]?.quarantineLeftMs ?? 0;
    if (index === RETURNING[0] && leftMs > 0) firstEndMs = atMs + leftMs;
    return leftMs;
  };
  for (const index of RETURNING) {
    // Read before the start: whatever the node forgets, it has forgotten by now.
    upAtMs.set(index, nowMs());
    await stage.nodes[index]?.restart();
    stage.say(`node ${index + 1} is back, empty`);
    await stage.until(`${waiting.name} keeps node ${index + 1} from voting`, PATIENCE_MS, () => {
      return quarantineOf(index) > 0;
    });
    await stage.pause(200);
  }

  await stage.until("every node votes again", TIMEOUT_MS, () => {
    for (const index of RETURNING) {
      if (votesAgainAtMs.has(index) || quarantineOf(index) > 0) continue;
      votesAgainAtMs.set(index, nowMs());
      stage.say(`${waiting.name} lets node ${index + 1} vote again`);
    }
    return votesAgainAtMs.size === RETURNING.length;
  });
  const heldBackMs = RETURNING.map(
    (index) => (votesAgainAtMs.get(index) ?? 0) - (upAtMs.get(index) ?? 0),
  );
  checklist.check(
    Math.min(...heldBackMs) >= MAX_TTL_MS,
    `each node that forgot was kept from voting for ${MAX_TTL_MS} ms or more`,
    `a node that forgot voted ${Math.min(...heldBackMs).toFixed(0)} ms after its start`,
  );

  await stage.until(`${waiting.name} is granted the lock`, PATIENCE_MS, () => {
    return stage.history.tenures.at(-1)?.by === waiting.name;
  });
  checkGrant(stage, Math.min(...upAtMs.values()), firstEndMs);
  await stage.until(`all nodes hold the key of ${waiting.name}`, PATIENCE_MS, () =>
    stage.watches.every(({ key }) => key?.holder === waiting.name),
  );
  stage.say(`all ${NODE_COUNT} nodes hold the key of ${waiting.name} again`);
  await stage.pause(800);
}

function checkGrant(stage: Stage, firstUpMs: number, quorumMs: number): void {
  const { history, checklist } = stage;
  const grant = history.tenures.at(-1);
  if (grant === undefined) throw new Error("unreachable");
  const afterMs = grant.fromMs - firstUpMs;
  checklist.check(
    // The status of a service is a moment old when it is read.
    afterMs >= MAX_TTL_MS && grant.fromMs >= quorumMs - 2 * LOOK_EVERY_MS,
    `${grant.by} was granted the lock when ${QUORUM} nodes could vote, with a larger token`,
    `${grant.by} was granted the lock ${afterMs.toFixed(0)} ms after the first node came back, which is too early`,
  );
  checklist.check(
    history.shrunken === undefined && history.overlapping === undefined,
    `all ${history.tenures.length} grants: larger token each, one holder at a time`,
    "a token did not grow, or two services held the lock at once",
  );
}
