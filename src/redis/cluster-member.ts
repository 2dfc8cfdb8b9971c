import type { Cluster, Redis, RedisOptions } from "ioredis";
import { Suspicion } from "../channel/suspicion.js";
import type { Clock } from "../coordinator/ports.js";
import { giveUpAfterMs } from "../protocol/deadlines.js";
import { isConnectionClosed } from "../script/redis-errors.js";
import { dropClient } from "./drop-stream.js";

/**
 * The part of a node's timeout after which one member is suspected: earlier than the whole Cluster would be, and in
 * time for the others that were asked in the same batch.
 */
const SUSPECT_FACTOR = 0.9;

/** The rejection of a call that is not answered in time; it may be executed yet. */
export const SILENT = new Error("the member that has the hash slot does not answer");

/** The address of a member, as the Cluster client's table of slots has it. */
export function addressOf({ host, port }: RedisOptions): string {
  return `${host}:${port}`;
}

interface PendingCall {
  /** Lease clock, ms. */
  readonly sentMs: number;
  readonly giveUp: () => void;
}

/**
 * Watches the calls to one member of a Cluster. Once it is suspected, they are given up, so that others need not wait
 * for a member that is frozen.
 */
export class ClusterMember {
  readonly #cluster: Cluster;
  readonly #address: string;
  readonly #clock: Clock;
  readonly #suspicion: Suspicion;
  readonly #calls = new Set<PendingCall>();

  constructor(cluster: Cluster, address: string, clock: Clock, nodeTimeoutMs: number) {
    this.#cluster = cluster;
    this.#address = address;
    this.#clock = clock;
    const suspectAfterMs = SUSPECT_FACTOR * nodeTimeoutMs;
    this.#suspicion = new Suspicion(clock, suspectAfterMs, giveUpAfterMs(nodeTimeoutMs), {
      oldestSentMs: () => this.#calls.values().next().value?.sentMs,
      onSuspicion: () => {
        if (this.isSilent) for (const { giveUp } of this.#calls) giveUp();
      },
      onBroken: () => this.#drop(),
    });
  }

  /** Nothing should be sent to it now. */
  get isSilent(): boolean {
    return this.#suspicion.isSuspected;
  }

  /** Whoever would have sent something to it while it is silent finds out whether it answers again. */
  tryAgain(): void {
    if (this.#calls.size === 0) this.#probe();
    // It may have been replaced, which ioredis finds out only now and then.
    this.#cluster.refreshSlotsCache();
  }

  /** @throws SILENT if it is not answered in time, and what `send` rejects with */
  ask(send: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call = { sentMs: this.#clock.now(), giveUp: () => reject(SILENT) };
      const onEnd = (isAnswer: boolean): void => {
        const isOfNow = this.#calls.delete(call);
        if (isOfNow && isAnswer && this.isSilent) this.#suspicion.trust();
      };
      this.#calls.add(call);
      this.#suspicion.watch(call.sentMs);
      send().then(
        (reply) => {
          onEnd(true);
          resolve(reply);
        },
        (error: unknown) => {
          onEnd(!isConnectionClosed(error));
          reject(error);
        },
      );
    });
  }

  close(): void {
    this.#suspicion.reset();
  }

  /** It may be gone without having closed its connection. */
  #drop(): void {
    this.#calls.clear();
    const redis = this.#client;
    if (redis !== undefined) dropClient(redis);
  }

  #probe(): void {
    const redis = this.#client;
    // That of a member which was dropped comes back with the next look at the slots.
    if (redis !== undefined) void this.ask(() => redis.ping()).catch(() => {});
  }

  get #client(): Redis | undefined {
    return this.#cluster.nodes().find(({ options }) => addressOf(options) === this.#address);
  }
}
