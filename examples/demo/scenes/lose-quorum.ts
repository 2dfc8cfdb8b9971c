import type { ServiceProcess } from "../service-process.js";
import { PATIENCE_MS, TTL_MS } from "../settings.js";
import type { Stage } from "../stage.js";

const DYING = 2;
const SURVIVING = [0, 1];

/**
 * A third node dies: renewals fail, and the holder is told before any key of its lock can expire.
 *
 * The end of the keys is asked of the nodes themselves. The surviving ones go on being extended, so
 * the tightest comes from the third node: no renewal succeeds after its death, so the key that was
 * read just before is the first of the last quorum that would have expired.
 */
export async function loseQuorum(stage: Stage, holder: ServiceProcess): Promise<void> {
  stage.scene("A third node dies. The holder must know before its keys can expire.");
  const { watches, history, checklist } = stage;
  const renewals = holder.renewalCount;
  await stage.until("the lock is renewed", PATIENCE_MS, () => holder.renewalCount > renewals);
  // The next renewal is a third of a ttl away: this reading stays the last word.
  await watches[DYING]?.read();
  await stage.nodes[DYING]?.kill();
  stage.say(`node ${DYING + 1} was killed, just after a renewal`);

  const lostAtMs = await stage.until(
    "the signal of the lock was aborted",
    TTL_MS + PATIENCE_MS,
    () => {
      const { toMs = Number.POSITIVE_INFINITY } = history.tenures.at(-1) ?? {};
      return toMs < Number.POSITIVE_INFINITY && toMs;
    },
  );
  const leftMs = (index: number): number =>
    (watches[index]?.lastKeyOf(holder.name)?.expiresAtMs ?? 0) - lostAtMs;
  const firstMs = Math.min(...[DYING, ...SURVIVING].map(leftMs));
  checklist.check(
    firstMs > 0,
    `the signal was aborted ${firstMs.toFixed(0)} ms before the first key could expire`,
    `the signal was aborted ${(-firstMs).toFixed(0)} ms after the first key could expire`,
  );
  stage.say(`signal aborted ${firstMs.toFixed(0)} ms before the first key could expire`);
  const lefts = SURVIVING.map((index) => `node ${index + 1} ${leftMs(index).toFixed(0)} ms`);
  const deadLeft = `dead node ${DYING + 1} ${leftMs(DYING).toFixed(0)} ms`;
  stage.say(`left by PTTL: ${lefts.join(", ")}, ${deadLeft}`);
  await stage.pause(1_200);
}
