import { membersOfSet } from "../../protocol/layout.js";
import type { Operation, RefusedVote } from "../../protocol/operation.js";
import type { LaidOut } from "../laid-out.js";
import { giveTurn, leaveQueue, turnText } from "../node-queue.js";
import { FREE, get, refuse, remainingMs, set, type ScriptCall } from "../node-steps.js";

/** Several names at once, all or none: the plain lock key of each holds the same ownerId. */
export function severalLayout(
  call: ScriptCall,
  { keys, ownerId, ttlMs, waiter }: Operation,
): LaidOut {
  const members = membersOfSet(keys);
  const isMine = ({ lockKey }: { lockKey: string }): boolean => {
    return get(call, lockKey)?.text === ownerId;
  };
  const isOurTurn = (): boolean => {
    return waiter !== undefined && get(call, keys.lockKey)?.text === turnText(waiter.inbox);
  };
  let isInVain = false;

  /** Of data it is said under which key it stands, unless that is the first. */
  const named = (refusal: RefusedVote, key: string): RefusedVote => {
    return refusal.reason === "foreign" && key !== keys.lockKey ? { ...refusal, key } : refusal;
  };

  const retime = (): void => {
    for (const { lockKey } of members) {
      const mine = get(call, lockKey);
      const leftMs = mine?.text === ownerId ? remainingMs(call, mine) : 0;
      set(call, lockKey, ownerId, Math.max(ttlMs, leftMs));
    }
  };

  const drop = (): void => {
    members.forEach((member, index) => {
      if (!isMine(member)) return;
      call.keys.delete(member.lockKey, call.nowMs);
      // Those who wait for the first name are told behind it.
      if (index > 0) giveTurn(call, member);
    });
  };

  /** The holder that stays longest; somebody's data before all. */
  const blocker = (): RefusedVote | undefined => {
    let longest: RefusedVote | undefined;
    isInVain = true;
    for (const [index, { lockKey }] of members.entries()) {
      const holder = get(call, lockKey);
      if (holder === undefined || holder.text === ownerId || (index === 0 && isOurTurn())) continue;
      const refusal = refuse(call, holder);
      if (refusal.reason === "foreign") {
        isInVain = true;
        return named(refusal, lockKey);
      }
      if (longest === undefined || refusal.remainingMs > longest.remainingMs) longest = refusal;
      if (index === 0) isInVain = false;
    }
    return longest;
  };

  return {
    isOurs: () => members.every(isMine),
    retime,
    take(isAcquire): RefusedVote | undefined {
      const refusal = blocker();
      if (refusal === undefined) retime();
      else if (refusal.reason === "held" && isInVain && isAcquire && waiter !== undefined) {
        leaveQueue(call, keys, waiter);
        // The turn at the first name is of no use, and goes on to the next.
        if (isOurTurn()) {
          call.keys.delete(keys.lockKey, call.nowMs);
          giveTurn(call, keys);
        }
      }
      return refusal;
    },
    isInVain: () => isInVain,
    blocker() {
      for (const { lockKey } of members) {
        const holder = get(call, lockKey);
        if (holder === undefined || holder.text === ownerId) continue;
        return named(refuse(call, holder), lockKey);
      }
      return FREE;
    },
    drop,
    dropRest: drop,
  };
}
