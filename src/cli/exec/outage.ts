import type { LockManager } from "../../index.js";
import { printable, type Output } from "../output.js";

/** How long an outage lasts before it is reported, ms. */
const OUTAGE_MS = 5_000;

/** If there is no quorum for a while, notes why, once. @returns what stops that */
export function tellOfOutage(locks: LockManager, output: Output): Disposable {
  const timer = setInterval(() => {
    if (locks.isReady) return;
    const { votes, nodeCount, size } = locks.quorum;
    const others = locks.nodes.filter(({ state }) => state !== "ready");
    const why = others
      .map(({ node, state, detail }) => `${node} is ${state}: ${detail}`)
      .join("; ");
    output.note(
      printable(`no quorum: ${votes} of ${nodeCount} nodes vote, ${size} are needed (${why})`),
    );
    clearInterval(timer);
  }, OUTAGE_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
