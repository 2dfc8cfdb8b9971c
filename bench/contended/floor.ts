import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { callOf, encode, grantOf, valuesOf } from "../raw-socket/commands.js";
import { FanOut, openSockets } from "../raw-socket/fan-out.js";
import type { Contender, ContenderAnswer, Place } from "./contention.js";

const KEY = "floor";

/** Deletes the key, and notifies the next process in the same step. */
const RELEASE_AND_TELL = `
redis.call('PUBLISH', KEYS[2], 1)
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

const channelOf = (index: number): string => `floor:${index}`;

/**
 * The lower bound of a hand-over's cost, with plain sockets: one worker per process, in a ring that is known in
 * advance. A release is sent to the nodes, which notify the next process; that sets the key on a quorum and holds it
 * for the section. With one process, release and acquire are one write.
 */
export async function openFloor(
  urls: readonly string[],
  { index, processCount }: Place,
): Promise<Contender> {
  const nodes = await FanOut.open(urls, [RELEASE_AND_TELL]);
  const turns = await Turns.open(urls, channelOf(index));
  const next = (index + 1) % processCount;
  const release = callOf(RELEASE_AND_TELL, KEY, channelOf(next));
  const grant = grantOf(KEY);
  const nextValue = valuesOf(`floor${index}-`);
  const isAlone = processCount === 1;

  let count = 0;
  let endMs = Infinity;
  let working: Promise<void> = Promise.resolve();
  const work = async (sectionMs: number): Promise<void> => {
    if (index !== 0) await turns.next();
    while (performance.now() < endMs) {
      const value = nextValue();
      await nodes.send(grant(value));
      count++;
      if (sectionMs > 0) await sleep(sectionMs);
      // Its reply is not awaited: the next acquire follows it at once.
      void nodes.send(release(value));
      if (!isAlone) await turns.next();
    }
  };

  return {
    warmUp: async (cycleCount) => {
      const own = `floor:warm:${index}`;
      const [warmGrant, warmRelease] = [
        grantOf(own),
        callOf(RELEASE_AND_TELL, own, `${own}:nobody`),
      ];
      for (let cycle = 0; cycle < cycleCount; cycle++) {
        const value = nextValue();
        await nodes.send(warmGrant(value));
        await nodes.send(warmRelease(value));
      }
    },
    begin: ({ sectionMs }) => {
      working = work(sectionMs);
    },
    measure: async (measureMs): Promise<ContenderAnswer> => {
      count = 0;
      endMs = performance.now() + measureMs;
      // The ring stops as soon as one worker is done.
      await Promise.race([working, sleep(measureMs)]);
      return { counts: [count], waitsMs: [], openWaitsMs: [] };
    },
  };
}

/** Notifications by the nodes: it is our turn when a quorum has sent one. */
class Turns {
  readonly #heard: number[];
  readonly #quorum: number;
  #taken = 0;
  #resolve: (() => void) | undefined;

  private constructor(sockets: readonly Socket[], messageLength: number) {
    this.#heard = sockets.map(() => 0);
    this.#quorum = Math.floor(sockets.length / 2) + 1;
    sockets.forEach((socket, node) => {
      let byteCount = 0;
      // All messages are the same, so their bytes need not be read.
      socket.on("data", (chunk: Buffer) => {
        byteCount += chunk.length;
        this.#heard[node] = Math.floor(byteCount / messageLength);
        this.#wake();
      });
    });
  }

  static async open(urls: readonly string[], channel: string): Promise<Turns> {
    const sockets = await openSockets(urls);
    for (const socket of sockets) {
      socket.write(encode("SUBSCRIBE", channel));
      await once(socket, "data");
    }
    return new Turns(sockets, encode("message", channel, "1").length);
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#wake();
    });
  }

  #wake(): void {
    if (this.#resolve === undefined) return;
    const heardCount = this.#heard.filter((count) => count > this.#taken).length;
    if (heardCount < this.#quorum) return;
    this.#taken++;
    this.#resolve();
    this.#resolve = undefined;
  }
}
