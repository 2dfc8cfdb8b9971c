import { firstNumber, outOfStep, OUT_OF_STEP_REMEDY } from "../../channel/node-connection.js";
import { exclusiveLock } from "../../kinds/exclusive.js";
import { ownedLock } from "../../kinds/owned.js";
import { permitLock } from "../../kinds/permit.js";
import { sharedLock } from "../../kinds/shared.js";
import { fenceSlackUs } from "../../protocol/fencing.js";
import {
  companionKey,
  inboxChannel,
  nameKeys,
  queueKeyOf,
  RECORD_KEY,
} from "../../protocol/keys.js";
import type { LockKind } from "../../protocol/lock-kind.js";
import {
  newOperation,
  type Operation,
  type OperationKind,
  type Vote,
} from "../../protocol/operation.js";
import { leaseOwnerIdOf } from "../../protocol/owner-id.js";
import type { Waiter } from "../../protocol/node-queue.js";
import type { Cluster, PlainClient, Redis } from "../../redis/plain-client.js";
import { systemEntropy } from "../../runtime/system.js";
import { decodeReply } from "../../script/batch-decoder.js";
import { encodeBatch } from "../../script/batch-encoder.js";
import { MORTAL_SCRIPT } from "../../script/embedded-lua.js";
import { BATCH_SCRIPT, BATCH_SHA } from "../../script/batch-script.js";
import { connectionFailure, isSyntaxError } from "../../script/redis-errors.js";
import type { LockFailure } from "./seen.js";
import { within } from "../../runtime/within.js";

/** Prefix of the names of these locks, after the key prefix. */
export const TRIED_NAMES = "quorate:doctor:";

/** Longest ttl of any key here, in case the doctor is killed, ms. */
const LIFE_MS = 5_000;

/** Of their owners, whose signs are told as those of other locks are. */
const SETTINGS = { label: "quorate doctor", ttlMs: LIFE_MS, driftFactor: 0, clockStepMs: 1 };

/** How long the name is reserved for a notified waiter, ms. */
const TURN_MS = 50;

/** The connections used for this. */
export interface TriedNode {
  readonly client: Redis | Cluster;
  /** Another connection, for messages; undefined where there are none (on a Cluster). */
  readonly listen: (() => Promise<PlainClient>) | undefined;
  readonly keyPrefix: string;
  readonly timeoutMs: number;
}

/**
 * Acquires, extends and releases locks of all kinds on names of its own, on this node alone, with the script that all
 * clients use, and reports what fails.
 *
 * The fences of these locks are in a separate key instead of the node's record, so the record is neither needed nor
 * changed, and nothing is left afterwards.
 */
export async function tryLocks(node: TriedNode): Promise<readonly LockFailure[]> {
  const trial = new Trial(node);
  try {
    await trial.run();
  } finally {
    await trial.tidy();
  }
  return trial.failures;
}

class Trial {
  readonly #node: TriedNode;
  readonly #entropy = systemEntropy();
  /** A name for each kind: what a missing permission leaves of one says nothing about the next. */
  readonly #used: LockKind[] = [];
  readonly #failures = new Map<string, LockFailure>();
  #isScriptKnown = false;
  #number = firstNumber(systemEntropy());

  constructor(node: TriedNode) {
    this.#node = node;
  }

  /** The exclusive lock of a name that was not used before. */
  #newLock(): LockKind {
    const keys = exclusiveLock(nameKeys(this.#node.keyPrefix, TRIED_NAMES + this.#entropy.id()));
    this.#used.push(keys);
    return keys;
  }

  get failures(): readonly LockFailure[] {
    return [...this.#failures.values()];
  }

  async run(): Promise<void> {
    await this.#connection();
    await this.#each(
      "every",
      "locks",
      this.#held(this.#newLock(), (of) => [of("extend")]),
    );
    if (this.#failures.size > 0) return;
    // Again, now by the hash of the script.
    await this.#each("every", "locks", this.#held(this.#newLock()));
    await this.#each(
      "some",
      "inspecting locks",
      this.#held(this.#newLock(), (of) => [of("inspect")]),
    );
    const shared = sharedLock(this.#newLock());
    await this.#each(
      "some",
      "shared locks",
      this.#held(shared, () => this.#held(shared)),
    );
    await this.#each("some", "semaphores", this.#held(permitLock(this.#newLock(), 1, 1, [0])));
    await this.#each(
      "some",
      "locks with an owner",
      this.#held(ownedLock(this.#newLock(), "doctor")),
    );
    const { lockKey } = this.#newLock();
    for (const command of ["TYPE", "HLEN"])
      await this.#direct("some", "meeting locks of other clients", [command, lockKey]);
    await this.#direct("speed", "taking over from crashed holders", ["PEXPIRETIME", lockKey]);
    await this.#waiting();
  }

  /** Removes everything, whatever happened before. If this fails too, all keys expire. */
  async tidy(): Promise<void> {
    const companions = ["readers", "permits", "numbers", "holds"];
    for (const each of this.#used) {
      const { lockKey } = each;
      const beside = companions.map((what) => companionKey(what, lockKey));
      const keys = [lockKey, queueKeyOf(each), fencesKeyOf(each), ...beside];
      await this.#command("DEL", ...keys).catch(() => {});
    }
  }

  /** A new connection finds the previous one by its name and ends it, which takes these commands. */
  async #connection(): Promise<void> {
    if (this.#node.listen === undefined) return;
    const nobody = ["ID", String(Number.MAX_SAFE_INTEGER)];
    for (const words of [
      ["ID"],
      ["SETNAME", "quorate"],
      ["LIST", ...nobody],
      ["KILL", ...nobody],
    ]) {
      await this.#direct("every", "connections", ["CLIENT", ...words]);
    }
  }

  /** An acquire, further steps, and its release. */
  #held(
    keys: LockKind,
    meanwhile: (of: (kind: OperationKind) => Operation) => readonly Operation[] = () => [],
  ): readonly [Operation, ...Operation[]] {
    const ownerId = leaseOwnerIdOf(this.#entropy.id(), undefined, SETTINGS);
    const of = (kind: OperationKind): Operation => this.#operation(kind, keys, ownerId);
    return [of("acquire"), ...meanwhile(of), of("release")];
  }

  #operation(kind: OperationKind, keys: LockKind, ownerId: string, waiter?: Waiter): Operation {
    const fence = kind === "acquire" ? Date.now() * 1_000 : kind === "release" ? 1 : undefined;
    const sendBeforeMs = Number.POSITIVE_INFINITY;
    return newOperation(kind, { keys, ownerId, ttlMs: LIFE_MS, fence, sendBeforeMs, waiter });
  }

  /** All of them must be granted. */
  async #each(
    neededBy: LockFailure["neededBy"],
    what: string,
    operations: readonly [Operation, ...Operation[]],
  ): Promise<void> {
    const votes = await this.#votes(operations);
    if (typeof votes === "string") return this.#denied(neededBy, what, votes);
    // Later failures follow from the first.
    const failed = votes.find(({ kind }) => kind !== "granted");
    if (failed?.kind === "fault") return this.#denied(neededBy, what, failed.message);
    if (failed?.kind === "refused") {
      this.#fail(neededBy, what, `it refused the test lock: ${failed.reason}`);
    }
  }

  async #waiting(): Promise<void> {
    const { listen, timeoutMs } = this.#node;
    if (listen === undefined) return;
    const inbox = this.#entropy.id();
    const listener = await listen();
    if (listener.kind === "failed") return this.#slower(listener.failure.message);
    try {
      const client = listener.client as Redis;
      let isTold = false;
      client.on("message", () => (isTold = true));
      const listening = async (): Promise<boolean> => {
        await within(client.subscribe(inboxChannel(inbox)), timeoutMs);
        return isTold;
      };
      await listening();
      await this.#queueUp(inbox, listening);
      await this.#direct("speed", WAITING, ["PUBSUB", "NUMSUB", inboxChannel(inbox)]);
    } catch (error) {
      this.#slower(connectionFailure(error).message);
    } finally {
      listener.close();
    }
  }

  /**
   * One client holds the name; another is in its queue and is notified of the release.
   *
   * @param told whether the message has arrived, if it was published before this call: a connection keeps the order
   */
  async #queueUp(inbox: string, told: () => Promise<boolean>): Promise<void> {
    const keys = this.#newLock();
    const [holder, other] = [this.#entropy.id(), this.#entropy.id()];
    const waiter = { inbox, ticket: Date.now() * 1_000, turnMs: TURN_MS };
    const votes = await this.#votes([
      this.#operation("acquire", keys, holder),
      this.#operation("acquire", keys, other, waiter),
      this.#operation("inspect", keys, ""),
    ]);
    const seen = typeof votes === "string" ? undefined : votes[2];
    const isQueued = seen?.kind === "granted" && seen.snapshot?.waitingCount === 1;
    if (!isQueued) return this.#notQueued(typeof votes === "string" ? votes : undefined);
    await this.#votes([this.#operation("release", keys, holder)]);
    if (!(await told())) {
      const found = await this.#direct("speed", WAITING, ["PUBLISH", inboxChannel(inbox), ""]);
      if (!found) this.#slower("a message that was published to a waiter did not arrive");
    }
    await this.#votes([this.#operation("leave", keys, other, waiter)]);
  }

  #notQueued(why = "a waiter was not found in the queue"): Promise<void> {
    return this.#denied("speed", WAITING, why);
  }

  /** Some servers do not report which command of a script was denied, so each is tried separately. */
  async #denied(neededBy: LockFailure["neededBy"], what: string, message: string): Promise<void> {
    if (!/permission|can't run|was not found/i.test(message)) {
      return this.#fail(neededBy, what, message);
    }
    let isFound = false;
    const keys = this.#newLock();
    const [queueKey, fencesKey] = [queueKeyOf(keys), fencesKeyOf(keys)];
    // None of them creates a key, which might not expire.
    const commands: readonly (readonly [string, ...string[]])[] = [
      ["ZADD", queueKey, "XX", "0", "none"],
      ["ZRANGE", queueKey, "0", "0"],
      ["ZSCORE", queueKey, "none"],
      ["ZREMRANGEBYSCORE", queueKey, "-inf", "(0"],
      ["ZREM", queueKey, "none"],
      ["HSET", fencesKey, "doctor", "0", "a word too few"],
      ["HGETALL", fencesKey],
      ["HDEL", fencesKey, "none"],
      ["TYPE", keys.lockKey],
    ];
    for (const each of commands) {
      const isDenied = await this.#direct(neededBy, what, each);
      isFound ||= isDenied;
    }
    if (!isFound) this.#fail(neededBy, what, message);
  }

  /** Whether it failed. Commands that the server does not know are not needed on it. */
  async #direct(
    neededBy: LockFailure["neededBy"],
    what: string,
    [command, ...words]: readonly [string, ...string[]],
  ): Promise<boolean> {
    try {
      await this.#command(command, ...words);
      return false;
    } catch (error) {
      if (command === "HSET" && TOO_FEW.test(String(error))) return false;
      // Before Redis 6.2, all connections are listed instead of one.
      if (isSyntaxError(error)) return false;
      if (command === "PEXPIRETIME" && !/NOPERM|permission/.test(String(error))) return false;
      const name = /^(CLIENT|PUBSUB)$/.test(command) ? `${command}|${words[0]}` : command;
      const failure = connectionFailure(
        new Error(`ERR ${name} failed: ${(error as Error).message}`),
      );
      this.#fail(neededBy, what, failure.message);
      return true;
    }
  }

  #slower(message: string): void {
    this.#fail("speed", WAITING, message);
  }

  #fail(neededBy: LockFailure["neededBy"], what: string, message: string): void {
    // What fails repeatedly is reported once, with its first use.
    if (!this.#failures.has(message)) this.#failures.set(message, { neededBy, what, message });
  }

  /** The votes, or why there are none. */
  async #votes(
    operations: readonly [Operation, ...Operation[]],
  ): Promise<readonly Vote[] | string> {
    const constants = { fenceSlackUs: fenceSlackUs(60_000) };
    const number = this.#number++;
    const words = encodeBatch(operations, "", number, constants);
    const fencesKey = fencesKeyOf(operations[0].keys);
    words[words.indexOf(RECORD_KEY)] = fencesKey;
    const how = this.#isScriptKnown ? ["EVALSHA", BATCH_SHA] : ["EVAL", BATCH_SCRIPT];
    try {
      // The only key that would not expire by itself exists before the script uses it, and expires.
      await this.#command("EVAL", MORTAL_SCRIPT, "1", fencesKey, String(LIFE_MS));
      const reply = await this.#command(...(how as [string, string]), ...words);
      this.#isScriptKnown = this.#node.listen !== undefined;
      const decoded = decodeReply(reply, operations);
      const failure = outOfStep({ number, withScript: how[0] === "EVAL" }, decoded);
      if (failure !== undefined) return `${failure.message}; ${OUT_OF_STEP_REMEDY}`;
      return decoded.kind === "votes" ? decoded.votes : "the script did not run";
    } catch (error) {
      return connectionFailure(error).message;
    }
  }

  #command(name: string, ...words: string[]): Promise<unknown> {
    return within(this.#node.client.call(name, ...words), this.#node.timeoutMs);
  }
}

/** In place of the record, in the same hash slot as the rest. */
const fencesKeyOf = ({ lockKey }: LockKind): string => companionKey("doctor", lockKey);

const WAITING = "notifying waiters";

/** What a server says to {@link Trial} about a command that is permitted, and has a word too few. */
const TOO_FEW = /wrong number of arguments/i;
