import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";

/** An ioredis client that neither reconnects nor retries, so that a test sees each fault. */
export async function oneShotClient(url: string, commandTimeout = 5000): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    commandTimeout,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  redis.on("error", () => {});
  await redis.connect();
  return redis;
}

/**
 * Waits for a moment in which a command is not answered, where nothing that it could be answered by gets
 * through. Not by a timeout of the client's, within which all that is to be answered would have to be.
 */
export async function unanswered(command: Promise<unknown>): Promise<void> {
  const settled = command.then(
    (answer) => `answered ${String(answer)}`,
    (error: unknown) => `failed: ${String(error)}`,
  );
  const outcome = await Promise.race([settled, sleep(150, undefined)]);
  if (outcome !== undefined) throw new Error(`expected no answer, but it ${outcome}`);
}

/** A bare socket, for what must not be mixed with a client's handshake. */
export async function rawSocket(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** True if something accepts connections on the port. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** Waits until the condition holds; fails after `limitMs`. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  limitMs = 20_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error("the condition did not come true");
    await sleep(10);
  }
}

/** Resolves to the error a promise rejects with; throws when it does not reject. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error("expected a rejection");
}
