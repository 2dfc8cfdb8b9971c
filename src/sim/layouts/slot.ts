import { inboxChannel } from "../../protocol/keys.js";
import type { Layout } from "../../protocol/layout.js";
import type { Operation, RefusedVote } from "../../protocol/operation.js";
import { permitsIn, slotsText } from "../../protocol/slots.js";
import type { LaidOut } from "../laid-out.js";
import { giveTurn, isTurn, leaveQueue, leaveQueueAs, placeAt, turnText } from "../node-queue.js";
import { FREE, get, refuse, set, type ScriptCall } from "../node-steps.js";
import { membersOf, storeMembers, type Member } from "../sorted-set.js";

/** One of the permits of a semaphore: a slot, with an expiry of its own. */
export function slotLayout(
  call: ScriptCall,
  { keys: nameKeys, ownerId, ttlMs, waiter }: Operation,
  { keys: [slotsKey = ""], args: [permits, slotArgument = ""] }: Layout,
): LaidOut {
  const { nowMs } = call;
  const { lockKey, queueKey } = nameKeys;
  const slot = Number(slotArgument);
  const place = placeText(slot, ownerId);
  const turn = waiter === undefined ? undefined : turnText(waiter.inbox);
  let marker = `semaphore:${permits}`;
  let isFirst = false;
  const lockText = (): string | undefined => get(call, lockKey)?.text;
  const others = (member: string): Member[] =>
    membersOf(call, slotsKey).filter((each) => each.member !== member);

  const endsAt = (): number | undefined => {
    const score = membersOf(call, slotsKey).find(({ member }) => member === place)?.score;
    return score !== undefined && score >= nowMs && lockText() === marker ? score : undefined;
  };

  /** The lock key ends with the last of them, and the slots with it. */
  const settle = (all: readonly Member[]): void => {
    const alive = all.filter(({ score }) => score >= nowMs);
    if (alive.length === 0) {
      call.keys.delete(lockKey, nowMs);
      call.keys.delete(slotsKey, nowMs);
      return;
    }
    const leftMs = Math.max(1, ...alive.map(({ score }) => score - nowMs));
    set(call, lockKey, marker, leftMs);
    storeMembers(call, slotsKey, alive, leftMs);
  };

  const standing = () =>
    membersOf(call, slotsKey)
      .filter(({ score }) => score >= nowMs)
      .map(({ score, member }) => ({ ...slotIn(member), leftMs: score - nowMs }));

  const refuseBy = (all: ReturnType<typeof standing>): RefusedVote => {
    const first = all.find(({ owner }) => !isTurn(owner)) ?? all[0];
    const taken = new Set(all.map((each) => each.slot));
    return {
      kind: "refused",
      reason: "held",
      remainingMs: first?.leftMs ?? 0,
      label: undefined,
      takenSlots: slotsText(taken, Number(permits)),
    };
  };

  /** Keeps a free slot for the first who wants one and is heard. */
  const serve = (index: number): boolean => {
    for (;;) {
      const first = placeAt(call, queueKey, 0)?.member ?? "";
      const [, turnMs, inbox] = /^s(\d+):(.*)$/.exec(first) ?? [];
      if (turnMs === undefined || inbox === undefined) return false;
      leaveQueueAs(call, queueKey, first);
      if (call.publish(inboxChannel(inbox), `${turnMs}/${index}:${lockKey}`) === 0) continue;
      const member = placeText(index, turnText(inbox));
      settle([...others(member), { score: nowMs + Number(turnMs), member }]);
      return true;
    }
  };

  const retime = (): void => {
    const endsAtMs = Math.max(endsAt() ?? 0, nowMs + ttlMs);
    settle([...others(place), { score: endsAtMs, member: place }]);
  };

  return {
    isOurs: () => endsAt() !== undefined,
    retime,
    blocker() {
      const holder = get(call, lockKey);
      if (holder === undefined) return FREE;
      if (holder.text !== marker) return refuse(call, holder);
      const all = standing();
      return all.some((each) => each.slot === slot) ? refuseBy(all) : FREE;
    },
    take(): RefusedVote | undefined {
      const holder = get(call, lockKey);
      if (holder !== undefined && holder.text !== marker && holder.text !== turn) {
        if (permitsIn(holder.text) === undefined) return refuse(call, holder);
        return { kind: "refused", reason: "foreign", remainingMs: 0, label: holder.text };
      }
      if (holder?.text === marker) {
        const all = standing();
        const who = all.find((each) => each.slot === slot)?.owner;
        if (who !== undefined && who !== ownerId && who !== turn) return refuseBy(all);
        if (who !== undefined && who === turn) settle(others(placeText(slot, who)));
      } else {
        call.keys.delete(slotsKey, nowMs);
        isFirst = true;
      }
      retime();
      return undefined;
    },
    isInVain: () => permitsIn(lockText() ?? "") !== undefined && lockText() !== marker,
    taken() {
      if (!isFirst) return;
      for (let index = 0; index < Number(permits); index++) {
        if (index !== slot && !serve(index)) return;
      }
    },
    drop: () => settle(others(place)),
    passOn: () => void serve(slot),
    leave() {
      if (waiter === undefined || turn === undefined) return;
      leaveQueue(call, nameKeys, waiter);
      const holder = lockText() ?? "";
      const kept = placeText(slot, turn);
      if (holder === turn) {
        call.keys.delete(lockKey, nowMs);
        giveTurn(call, nameKeys);
      } else if (slotArgument !== "" && permitsIn(holder) !== undefined) {
        if (!membersOf(call, slotsKey).some(({ member }) => member === kept)) return;
        // Who passes it on need not know how many permits there are.
        marker = holder;
        settle(others(kept));
        if (!serve(slot) && lockText() === undefined) giveTurn(call, nameKeys);
      }
    },
  };
}

function placeText(slot: number, owner: string): string {
  return `${slot}:${owner}`;
}

/** Who stands in which slot, as a member of the sorted set tells. */
export function slotIn(member: string): { slot: number; owner: string } {
  const colon = member.indexOf(":");
  return { slot: Number(member.slice(0, colon)), owner: member.slice(colon + 1) };
}
