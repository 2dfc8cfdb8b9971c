import type { ServiceProcess } from "../service-process.js";
import { PATIENCE_MS } from "../settings.js";
import type { Stage } from "../stage.js";

/** The service that lost the lock ignores it and writes: the store refuses its token. */
export async function writeLate(stage: Stage, loser: ServiceProcess): Promise<void> {
  stage.scene(`${loser.name} ignores its loss and writes with its old token.`);
  const { store } = stage;
  stage.checklist.check(
    store.refusedCount === 0,
    `the store took all ${store.writeCount} writes of the holders`,
    `the store refused ${store.refusedCount} writes of services that held the lock`,
  );
  loser.order({ kind: "writeLate" });
  await stage.until(
    "the store refused the late write",
    PATIENCE_MS,
    () => store.refusedCount === 1,
  );
  stage.say(`the store refuses token ${loser.status.token}: it has seen a larger one`);
  stage.checklist.saw(`the store refused the late write of ${loser.name}: its token is too small`);
  await stage.pause(1_200);
}
