import type { Redis } from "ioredis";
import { detached } from "../runtime/system.js";
import { dropClient } from "./drop-stream.js";

/** How often a connection that listens is asked whether it still does, ms; and how long it may take to be ready. */
const CONFIRM_MS = 10_000;

/**
 * Subscribes again and again, and closes a connection on which that is not answered. Nothing else is sent there: if its
 * server lost power, or something in between forgot it, nobody would notice for minutes or hours. Nodes, for which nobody
 * listens any more, give no waiter of the process its turn.
 *
 * @returns closes the connection
 */
export function confirmAgain(
  redis: Redis,
  subscribe: () => Promise<unknown>,
  everyMs = CONFIRM_MS,
): () => void {
  let isAnswered = false;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const onAnswer = (): void => {
    isAnswered = true;
  };
  const look = (): void => {
    if (isOver) return;
    if (!isAnswered) return dropClient(redis);
    isAnswered = false;
    subscribe().then(onAnswer, onAnswer);
  };
  redis.once("ready", onAnswer);
  // ioredis has a limit for what comes before, and none for the server's first answer.
  redis.once("connect", () => {
    if (isOver) return;
    // What arrived while the process stood still is read first.
    timer = detached(() => setInterval(() => setImmediate(look), everyMs).unref());
  });
  const end = (): void => {
    isOver = true;
    clearInterval(timer);
  };
  redis.once("end", end);
  return () => {
    end();
    dropClient(redis);
  };
}
