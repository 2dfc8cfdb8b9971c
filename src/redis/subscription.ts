import type { Redis } from "ioredis";
import type { Subscription, SubscriptionEvents } from "../channel/transport.js";
import { connectionFailure, isConnectionClosed } from "../script/redis-errors.js";
import { connectOnce } from "./client-events.js";

/** One connection that listens to one channel until it breaks or is closed. */
export function subscribeOnce(
  redis: Redis,
  channel: string,
  events: SubscriptionEvents,
): Subscription {
  let isOver = false;
  const disconnect = (): void => {
    // If it has already ended, ioredis would wait for that end with a timer that keeps the process alive for 2 s.
    if (redis.status !== "end") redis.disconnect();
  };
  const end = (refusal?: string): void => {
    if (isOver) return;
    isOver = true;
    disconnect();
    events.onClose(refusal);
  };
  redis.on("message", (_, message: string) => {
    if (!isOver) events.onMessage(message);
  });
  connectOnce(redis, {
    onOpen: () => {
      redis.subscribe(channel).then(
        () => {
          if (!isOver) events.onOpen();
        },
        (error: unknown) => {
          end(isConnectionClosed(error) ? undefined : connectionFailure(error).message);
        },
      );
    },
    onClose: () => end(),
  });
  return {
    close: () => {
      isOver = true;
      disconnect();
    },
  };
}
