import { setTimeout as sleep } from "node:timers/promises";
import { TcpLink } from "../../../src/testing/index.js";
import { settleWithin } from "../observe/settle.js";
import { Stage, warmUp } from "../observe/stage.js";
import { span } from "../observe/words.js";
import type { LockClient } from "../subjects/subject.js";
import type { Scenario } from "./scenario.js";

const NODE_COUNT = 3;
const ROUNDS = 5;
const ROUND_LIMIT_MS = 15_000;
const DELAY_MS = 150;
const HOLD_MS = 20;

interface Contender {
  readonly client: LockClient;
  /** Its own links to the nodes. */
  readonly links: readonly TcpLink[];
}

/** Three contenders, each reaching a different node first: nobody has a majority. */
export const splitVote: Scenario = {
  id: "split-vote",
  title: "Three clients split the votes of three nodes 1-1-1",
  setUp: `Three clients want the same lock at once, with the library's default waiting. Each reaches a different one of 3 nodes ${DELAY_MS} ms sooner than the other two nodes; ${DELAY_MS + 100} ms after the start the network is fast again. A client that gets the lock releases it after ${HOLD_MS} ms. ${ROUNDS} rounds.`,
  good: "one client gets it soon, and then the others: the lock was free at the start",
  ttlMs: 10_000,
  isAlone: true,
  limitMs: () => ROUNDS * (ROUND_LIMIT_MS + 1_000),
  run: async (subject, ttlMs, options) => {
    const stage = await Stage.open(subject, options, NODE_COUNT);
    const contenders: Contender[] = [];
    for (let index = 0; index < NODE_COUNT; index++) {
      const links = await Promise.all(
        stage.nodes.map((node) => TcpLink.start({ targetPort: node.directPort })),
      );
      const client = await stage.another(links.map(({ url }) => url));
      await warmUp(client);
      contenders.push({ client, links });
    }
    const rounds: Round[] = [];
    for (let index = 0; index < ROUNDS; index++) {
      rounds.push(await playRound(contenders, `split-${index}`, ttlMs));
      // Longer than messages of one round stay in flight.
      await sleep(500);
    }
    const firsts = rounds.flatMap(({ firstGrantMs }) => firstGrantMs ?? []).toSorted(ascending);
    const served = rounds.reduce((sum, round) => sum + round.grantedCount, 0);
    const lasts = rounds.map(({ lastEndMs }) => lastEndMs).toSorted(ascending);
    const facts = {
      firstGrantMs: rounds.map(({ firstGrantMs }) => firstGrantMs),
      grantedCounts: rounds.map(({ grantedCount }) => grantedCount),
      lastEndMs: rounds.map(({ lastEndMs }) => lastEndMs),
    };
    const total = ROUNDS * NODE_COUNT;
    const all = `${served} of ${total} calls get it`;
    if (firsts.length === 0) return { cell: `no grant: all fail after ${range(lasts)}`, facts };
    const none = ROUNDS - firsts.length;
    const without = none === 0 ? "" : `no grant in ${none} of ${ROUNDS} rounds; else `;
    return { cell: `${without}first grant after ${range(firsts)}; ${all}`, facts };
  },
};

interface Round {
  readonly firstGrantMs: number | undefined;
  readonly grantedCount: number;
  readonly lastEndMs: number;
}

async function playRound(
  contenders: readonly Contender[],
  name: string,
  ttlMs: number,
): Promise<Round> {
  for (const [index, { links }] of contenders.entries()) {
    for (const [node, link] of links.entries()) {
      if (node !== index) link.delay(DELAY_MS, { direction: "toServer" });
    }
  }
  const startMs = performance.now();
  const grantsMs: number[] = [];
  const ends = contenders.map(async ({ client }) => {
    await settleWithin(async () => {
      const grant = await client.acquire(name, ttlMs);
      grantsMs.push(performance.now() - startMs);
      await sleep(HOLD_MS);
      await grant.release();
    }, ROUND_LIMIT_MS);
    return performance.now() - startMs;
  });
  await sleep(DELAY_MS + 100);
  await Promise.all(contenders.flatMap(({ links }) => links.map((link) => link.heal())));
  const endsMs = await Promise.all(ends);
  return {
    firstGrantMs: grantsMs[0],
    grantedCount: grantsMs.length,
    lastEndMs: Math.max(...endsMs),
  };
}

const ascending = (a: number, b: number): number => a - b;

/** Median and range, such as `0.4 s (0.3 s to 0.6 s)`. */
function range(sorted: readonly number[]): string {
  const [low = 0] = sorted;
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return `${span(middle)} (${span(low)} to ${span(sorted.at(-1) ?? 0)})`;
}
