import { setTimeout as sleep } from "node:timers/promises";
import type { ClientOptions } from "../client-options.js";
import { RedisFleet, type FleetNode } from "../../../src/testing/index.js";
import type { LockClient, Subject } from "../subjects/subject.js";
import { KeyObserver } from "./key-observer.js";

/** Name of the lock that scenarios use. */
export const LOCK_NAME = "the-lock";

/** Servers, and a library under test that is connected to them and has completed a lock cycle. */
export class Stage {
  readonly fleet: RedisFleet;
  readonly client: LockClient;
  readonly #subject: Subject;
  readonly #options: ClientOptions;

  private constructor(
    fleet: RedisFleet,
    client: LockClient,
    subject: Subject,
    options: ClientOptions,
  ) {
    this.fleet = fleet;
    this.client = client;
    this.#subject = subject;
    this.#options = options;
  }

  static async open(
    subject: Subject,
    options: ClientOptions,
    nodeCount: number,
    { links = false, clock = false }: { links?: boolean; clock?: boolean } = {},
  ): Promise<Stage> {
    const fleet = await RedisFleet.start({ nodes: nodeCount, links, server: { clock } });
    const client = await subject.open(fleet.urls, options);
    await warmUp(client);
    return new Stage(fleet, client, subject, options);
  }

  get nodes(): readonly FleetNode[] {
    return this.fleet.nodes;
  }

  /** The key under which the subject stores a lock. */
  keyOf(name = LOCK_NAME): string {
    return this.#subject.lockKey(name);
  }

  /** A client such as another process would have, over its own links to the nodes if given. */
  async another(urls: readonly string[] = this.fleet.urls): Promise<LockClient> {
    return this.#subject.open(urls, this.#options);
  }

  observe(nodes: readonly FleetNode[] = this.nodes, name = LOCK_NAME): KeyObserver {
    return new KeyObserver(nodes, this.keyOf(name));
  }
}

/** Loads scripts on all nodes, so that no scenario measures the very first call. */
export async function warmUp(client: LockClient): Promise<void> {
  const grant = await client.acquire("warm-up", 5_000);
  // The commands to the nodes beyond the quorum may still be under way.
  await sleep(50);
  await grant.release();
  await sleep(50);
}
