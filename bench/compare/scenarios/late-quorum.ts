import { settleWithin } from "../observe/settle.js";
import { LOCK_NAME, Stage } from "../observe/stage.js";
import { count, span } from "../observe/words.js";
import { attemptFacts, attemptWords, grantOf } from "./attempt-words.js";
import { SETTLE_LIMIT_MS, type Scenario } from "./scenario.js";

const NODE_COUNT = 3;

/** Every node votes yes, but the answers arrive when the keys have expired. */
export const lateQuorum: Scenario = {
  id: "late-quorum",
  title: "A quorum answers after the ttl",
  setUp:
    "3 nodes execute at once; their replies take 1.5 ttls. One attempt. If it is granted, the result shows the validity that the library states, and the nodes that still have the key.",
  good: "no grant",
  note: "Quorate stops waiting for a node after `nodeTimeoutMs`, by default a twentieth of the ttl. redlock-universal's adapters stop after 5 s by default.",
  ttlMs: 2_000,
  isClientSensitive: true,
  limitMs: () => SETTLE_LIMIT_MS,
  run: async (subject, ttlMs, options) => {
    const stage = await Stage.open(subject, options, NODE_COUNT, { links: true });
    const observer = stage.observe();
    for (const { link } of stage.nodes) link.delay(1.5 * ttlMs, { direction: "toClient" });
    const attempt = await settleWithin(
      () => stage.client.tryAcquire(LOCK_NAME, ttlMs),
      SETTLE_LIMIT_MS,
    );
    const grant = grantOf(attempt);
    const standing = (await observer.sample()).values.filter((value) => value !== null).length;
    const facts = {
      ...attemptFacts(attempt),
      statedValidityMs: grant?.statedValidityMs,
      nodesWithKey: standing,
    };
    if (grant === undefined) return { cell: attemptWords(attempt), facts };
    const { statedValidityMs } = grant;
    const stated = statedValidityMs === undefined ? "no validity stated" : span(statedValidityMs);
    const left = statedValidityMs === undefined ? stated : `${stated} left`;
    return { cell: `granted, ${left}; key on ${count(standing, "node")}`, facts };
  },
};
