import type { Cluster, Redis } from "ioredis";
import type { Clock, Entropy, Timer } from "../coordinator/ports.js";
import { reconnectDelayMs } from "../protocol/backoff.js";
import { detached } from "../runtime/system.js";
import { show } from "../runtime/validate.js";
import { isConnectionClosed } from "../script/redis-errors.js";

/** How a client proves to a node who it is, for a while. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Until when the node accepts a connection that was authenticated with them. Without it, they are not renewed. */
  readonly expiresAt?: Date | undefined;
}

/** Gets credentials for a node (`host:port`). Not called again for the node before it has settled. */
export type CredentialsProvider = (node: string) => Promise<Credentials>;

/** What the credentials of a node need of their surroundings. */
export interface CredentialsWorld {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Tells an operator what is wrong. */
  readonly warn: (message: string) => void;
}

/**
 * When a connection is authenticated again, ms from now: at 80 % of the rest, within 5 %, so that not all clients do so
 * at once, and so that there is time to try again.
 */
export function renewalDelayMs(restMs: number, unit: number): number {
  return restMs > 0 ? Math.max(MIN_RENEWAL_MS, restMs * (0.75 + unit / 10)) : EXPIRED_MS;
}

/** A provider is never called without a pause, however short its credentials live; nor if they have expired, ms. */
const MIN_RENEWAL_MS = 100;
const EXPIRED_MS = 1_000;

/**
 * The credentials of one node, and its connections: each asks for credentials before it connects, and all are
 * authenticated again before the credentials expire. A connection is never closed because that fails: the server
 * decides how long it accepts it.
 */
export class NodeCredentials {
  readonly #node: string;
  readonly #provider: CredentialsProvider;
  readonly #timeoutMs: number;
  readonly #world: CredentialsWorld;
  /** Connections that ask for credentials, or have asked, until they end; and those of them that are ready. */
  readonly #open = new Set<Redis>();
  readonly #ready = new Set<Redis>();
  #asking: Promise<Credentials> | undefined;
  #askedMs = 0;
  /** The next renewal, and when it is due in steady time. Only while there are connections. */
  #next: { readonly timer: Timer; readonly dueMs: number } | undefined;
  /** Until an answer is overdue. Only while there are connections. */
  #slow: Timer | undefined;
  #failedCount = 0;
  #problem: string | undefined;

  /** @param timeoutMs after which a provider that has not answered is reported */
  constructor(
    node: string,
    provider: CredentialsProvider,
    timeoutMs: number,
    world: CredentialsWorld,
  ) {
    this.#node = node;
    this.#provider = provider;
    this.#timeoutMs = timeoutMs;
    this.#world = world;
  }

  /** Why there are no new credentials, for people; undefined while all is well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Whether a connection waits for them. */
  get isAsking(): boolean {
    return this.#asking !== undefined;
  }

  /** Has the client ask for credentials when it connects, and authenticates it again until its connection ends. */
  guard(client: Redis): Redis {
    const { connector } = client as unknown as Inner;
    const connect = connector.connect.bind(connector);
    let onClosed: (reason: Error) => void = () => {};
    const closed = new Promise<never>((_, reject) => (onClosed = reject));
    closed.catch(() => {});
    connector.connect = async (...args) => {
      this.#open.add(client);
      client.once("end", () => this.#onEnd(client));
      const credentials = await Promise.race([this.#ask(), closed]);
      const { condition } = client as unknown as Inner;
      if (condition) condition.auth = [credentials.username, credentials.password];
      client.once("ready", () => this.#ready.add(client));
      this.#renewBefore(credentials);
      return connect(...args);
    };
    // Its end comes a moment later, and nothing is asked for or renewed until then.
    const disconnect = client.disconnect.bind(client);
    client.disconnect = (...args) => {
      onClosed(new Error("Connection is closed."));
      this.#onEnd(client);
      disconnect(...args);
    };
    const duplicate = client.duplicate.bind(client);
    client.duplicate = (...args) => this.guard(duplicate(...args));
    return client;
  }

  /** The same for the connections to the members of a Cluster. */
  guardMembers(cluster: Cluster): Cluster {
    return cluster.on("+node", (member: Redis) => this.guard(member));
  }

  #onEnd(client: Redis): void {
    this.#ready.delete(client);
    this.#open.delete(client);
    if (this.#open.size > 0) return;
    this.#stopClock();
    this.#next?.timer.cancel();
    this.#next = undefined;
  }

  /** Whoever asks meanwhile gets the same answer. */
  #ask(): Promise<Credentials> {
    const { clock } = this.#world;
    if (this.#asking === undefined) this.#askedMs = clock.steady();
    // Also for connections that come when all that asked have ended.
    this.#slow ??= clock.setTimer(this.#askedMs + this.#timeoutMs - clock.steady(), () =>
      this.#onProblem(`credentials() has not answered within ${this.#timeoutMs} ms`),
    );
    this.#asking ??= this.#askOnce().finally(() => {
      this.#asking = undefined;
      this.#stopClock();
    });
    return this.#asking;
  }

  #stopClock(): void {
    this.#slow?.cancel();
    this.#slow = undefined;
  }

  async #askOnce(): Promise<Credentials> {
    try {
      const credentials = checked(await detached(() => this.#provider(this.#node)));
      // What is wrong may be that the server refuses them.
      if (this.#ready.size === 0) this.#problem = undefined;
      return credentials;
    } catch (error) {
      const message = `credentials() failed: ${error instanceof Error ? error.message : show(error)}`;
      this.#onProblem(message);
      throw new Error(message, { cause: error });
    }
  }

  #renewBefore({ expiresAt }: Credentials): void {
    if (expiresAt === undefined) return;
    const { clock, entropy } = this.#world;
    const restMs = expiresAt.getTime() - clock.wallUs() / 1_000;
    this.#renewIn(renewalDelayMs(restMs, entropy.unit()));
  }

  /** The connection that expires first decides for all. */
  #renewIn(delayMs: number): void {
    const { clock } = this.#world;
    const dueMs = clock.steady() + delayMs;
    if (this.#next !== undefined && this.#next.dueMs <= dueMs) return;
    this.#next?.timer.cancel();
    this.#next = { timer: clock.setTimer(delayMs, () => void this.#renew()), dueMs };
  }

  async #renew(): Promise<void> {
    this.#next = undefined;
    const renewed = await this.#authenticateAll().catch(() => undefined);
    if (this.#open.size === 0) return;
    if (renewed !== undefined) this.#renewBefore(renewed);
    else this.#renewIn(reconnectDelayMs(++this.#failedCount, this.#world.entropy.unit()));
  }

  async #authenticateAll(): Promise<Credentials> {
    const credentials = await this.#ask();
    await Promise.all([...this.#ready].map((client) => this.#authenticate(client, credentials)));
    this.#failedCount = 0;
    this.#problem = undefined;
    return credentials;
  }

  async #authenticate(client: Redis, { username, password }: Credentials): Promise<void> {
    const { condition } = client as unknown as Inner;
    if (client.mode === "subscriber" && condition?.protocol !== 3) {
      // Such a connection executes no AUTH before RESP3. Its successor asks for credentials.
      client.disconnect();
      return;
    }
    try {
      await client.auth(username, password);
    } catch (error) {
      if (isConnectionClosed(error)) return;
      this.#onProblem(`its new credentials are refused: ${(error as Error).message}`);
      throw error;
    }
  }

  /** Told once, until it is over or something else is wrong. */
  #onProblem(problem: string): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#world.warn(`${this.#node}: ${problem}`);
  }
}

/** Internals of ioredis. The condition is that of the current connection; its protocol falls back to 2. */
interface Inner {
  readonly connector: { connect: (...args: unknown[]) => Promise<unknown> };
  readonly condition?: { auth?: unknown; readonly protocol?: number } | null;
}

/** @throws TypeError that says what is wrong with an answer, and shows no password. */
function checked(answer: unknown): Credentials {
  const { username, password, expiresAt } = Object(answer) as Partial<Credentials>;
  for (const [name, text] of Object.entries({ username, password })) {
    if (typeof text !== "string" || text === "") {
      throw new TypeError(`\`${name}\` must be a string that is not empty, got ${typeof text}`);
    }
  }
  if (expiresAt !== undefined && !(expiresAt instanceof Date && expiresAt.getTime() > 0)) {
    throw new TypeError(`\`expiresAt\` must be a valid Date, got ${show(expiresAt)}`);
  }
  return answer as Credentials;
}
