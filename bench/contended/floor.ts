import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { callOf, encode, grantOf, sha1Of, valuesOf } from "../raw-socket/commands.js";
import { FanOut, openSockets } from "../raw-socket/fan-out.js";
import { TTL_MS } from "../subjects/subject.js";
import type { Contender, ContenderAnswer, Place } from "./contention.js";

const KEY = "floor";

/** Deletes the key, and notifies the next process in the same step. */
const RELEASE_AND_TELL = `
redis.call('PUBLISH', KEYS[2], 1)
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** Hands the key on to the next process, and notifies it, in the same step. */
const RELEASE_AND_GRANT = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
redis.call('PUBLISH', KEYS[2], 1)
return 1`;

const channelOf = (index: number): string => `floor:${index}`;

/** The value of a process in its next turn; the process before it knows it, too. */
const valueOf = (index: number, turn: number): string =>
  `floor${index}-`.padEnd(12, "-") + turn.toString(36).padStart(10, "0");

/**
 * The lower bound of a hand-over's cost, with plain sockets: one worker per process, in a ring that is known in
 * advance.
 *
 * @param isGranted a release sets the key of the next process on the nodes, which notify it: one way to the nodes and one
 *   to the next holder. If not, the nodes only notify the next process, which then sets the key on a quorum. With one
 *   process, release and acquire are one write.
 */
export async function openFloor(
  urls: readonly string[],
  { index, processCount }: Place,
  isGranted: boolean,
): Promise<Contender> {
  const nodes = await FanOut.open(urls, [RELEASE_AND_TELL, RELEASE_AND_GRANT]);
  const turns = await Turns.open(urls, channelOf(index));
  const next = (index + 1) % processCount;
  const grant = grantOf(KEY);
  const release = callOf(RELEASE_AND_TELL, KEY, channelOf(next));
  const sha1 = sha1Of(RELEASE_AND_GRANT);
  const handOn = (value: string, turn: number): string => {
    const nextValue = valueOf(next, next === 0 ? turn + 1 : turn);
    return encode("EVALSHA", sha1, 2, KEY, channelOf(next), value, nextValue, TTL_MS);
  };
  const isAlone = processCount === 1;

  let count = 0;
  let waitsMs: number[] = [];
  let endMs = Infinity;
  let working: Promise<void> = Promise.resolve();
  const work = async (sectionMs: number): Promise<void> => {
    if (index !== 0) await turns.next();
    for (let turn = 0; performance.now() < endMs; turn++) {
      const value = valueOf(index, turn);
      if (!isGranted || (index === 0 && turn === 0)) await nodes.send(grant(value));
      count++;
      if (sectionMs > 0) await sleep(sectionMs);
      // Its reply is not awaited: the next acquire follows it at once.
      void nodes.send(isGranted ? handOn(value, turn) : release(value));
      const fromMs = performance.now();
      if (isGranted || !isAlone) await turns.next();
      waitsMs.push(performance.now() - fromMs);
    }
  };
  const nextValue = valuesOf(`floor${index}-`);

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
      waitsMs = [];
      endMs = performance.now() + measureMs;
      // The ring stops as soon as one worker is done.
      await Promise.race([working, sleep(measureMs)]);
      return { counts: [count], waitsMs, openWaitsMs: [] };
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
