import type { Layout } from "../../protocol/layout.js";
import type { Operation, RefusedVote } from "../../protocol/operation.js";
import type { LaidOut } from "../laid-out.js";
import { isBehindWriter, tellReaders, turnText } from "../node-queue.js";
import { refuse, SHARED, type ScriptCall } from "../node-steps.js";
import { membersOf, storeMembers } from "../sorted-set.js";

/** Many readers, each with an expiry of its own. */
export function sharedLayout(
  call: ScriptCall,
  { keys: nameKeys, ownerId, ttlMs, waiter }: Operation,
  { keys: [readersKey = ""] }: Layout,
): LaidOut {
  const { keys, nowMs } = call;
  const { lockKey, queueKey } = nameKeys;
  let isFirst = false;
  const lockText = (): string | undefined => keys.get(lockKey, nowMs)?.text;

  const endsAt = (): number | undefined => {
    const score = membersOf(call, readersKey).find(({ member }) => member === ownerId)?.score;
    const isAlive = score !== undefined && score >= nowMs && lockText() === SHARED;
    return isAlive ? score : undefined;
  };

  /** The lock key ends with the last reader, and the readers with it. */
  const settle = (readers: readonly { score: number; member: string }[]): void => {
    const alive = readers.filter(({ score }) => score >= nowMs);
    if (alive.length === 0) {
      keys.delete(lockKey, nowMs);
      keys.delete(readersKey, nowMs);
      return;
    }
    const leftMs = Math.max(1, ...alive.map(({ score }) => score - nowMs));
    keys.set(lockKey, SHARED, nowMs, leftMs);
    storeMembers(call, readersKey, alive, leftMs);
  };

  const others = () => membersOf(call, readersKey).filter(({ member }) => member !== ownerId);

  const retime = (): void => {
    const endsAtMs = Math.max(endsAt() ?? 0, nowMs + ttlMs);
    settle([...others(), { score: endsAtMs, member: ownerId }]);
  };

  return {
    isOurs: () => endsAt() !== undefined,
    retime,
    take(isAcquire): RefusedVote | undefined {
      const holder = keys.get(lockKey, nowMs);
      const isTurn = waiter !== undefined && holder?.text === turnText(waiter.inbox);
      if (holder !== undefined && holder.text !== SHARED && !isTurn) return refuse(call, holder);
      if (holder?.text !== SHARED) {
        keys.delete(readersKey, nowMs);
        isFirst = true;
      } else if (isAcquire && endsAt() === undefined && isBehindWriter(call, queueKey, waiter)) {
        return refuse(call, holder);
      }
      retime();
      return undefined;
    },
    taken() {
      if (isFirst) tellReaders(call, nameKeys);
    },
    drop: () => settle(others()),
  };
}
