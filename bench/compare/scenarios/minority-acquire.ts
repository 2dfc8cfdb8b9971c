import { setTimeout as sleep } from "node:timers/promises";
import { settleWithin } from "../observe/settle.js";
import { LOCK_NAME, Stage } from "../observe/stage.js";
import { span } from "../observe/words.js";
import { attemptFacts, attemptWords, grantOf } from "./attempt-words.js";
import { CLIENT_NOTE, type NodeFault } from "./node-fault.js";
import { SETTLE_LIMIT_MS, type Scenario } from "./scenario.js";

const NODE_COUNT = 3;

/** One of three nodes is down or frozen when a free lock is acquired. */
export function minorityAcquire({ word, how, strike }: NodeFault): Scenario {
  return {
    id: `one-${word}-acquire`,
    title: `One node of three ${word}: acquire`,
    setUp: `One of 3 nodes is ${how}. A second later a free lock is acquired, with the library's default waiting.`,
    good: "granted within milliseconds: a majority is available",
    note: CLIENT_NOTE,
    ttlMs: 10_000,
    isClientSensitive: true,
    limitMs: () => SETTLE_LIMIT_MS + 1_000,
    run: async (subject, ttlMs, options) => {
      const stage = await Stage.open(subject, options, NODE_COUNT);
      const observer = stage.observe(stage.nodes.slice(0, -1));
      const node = stage.nodes.at(-1);
      if (node !== undefined) await strike(node);
      await sleep(1_000);
      const attempt = await settleWithin(
        () => stage.client.acquire(LOCK_NAME, ttlMs),
        SETTLE_LIMIT_MS,
      );
      const [keyLeftMs = 0] = await observer.remainingMs();
      const facts = { ...attemptFacts(attempt), keyLeftMs };
      const isSlow = grantOf(attempt) !== undefined && attempt.afterMs > ttlMs / 10;
      const left = isSlow ? `; its keys have ${span(keyLeftMs)} left` : "";
      return { cell: attemptWords(attempt) + left, facts };
    },
  };
}
