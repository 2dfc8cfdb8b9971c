import { PATIENCE_MS } from "../settings.js";
import type { Stage } from "../stage.js";

const GRANT_COUNT = 6;

/** Two services want one name, over and over: one holder at a time, and tokens that only grow. */
export async function contend(stage: Stage): Promise<void> {
  stage.scene("Two services want one lock. Fencing tokens grow from grant to grant.");
  const { history } = stage;
  const grantsOf = (name: string): number => history.tenures.filter(({ by }) => by === name).length;
  for (const service of stage.services) service.order({ kind: "task", task: "contend" });
  await stage.until("each service was granted the lock twice or more", 2 * PATIENCE_MS, () => {
    return history.tenures.length >= GRANT_COUNT && grantsOf("A") >= 2 && grantsOf("B") >= 2;
  });
  stage.checklist.check(
    history.shrunken === undefined,
    `tokens grew from grant to grant, ${grantsOf("A")} to A and ${grantsOf("B")} to B`,
    `the grant to ${history.shrunken?.by} has a token no larger than the one before it`,
  );
  stage.checklist.check(
    history.overlapping === undefined,
    "never did both services hold the lock at once",
    `${history.overlapping?.by} was granted the lock while the other still held it`,
  );
}
