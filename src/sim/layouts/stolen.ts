import type { Operation, RefusedVote } from "../../protocol/operation.js";
import type { LaidOut } from "../laid-out.js";
import { get, refuse, remainingMs, set, type ScriptCall } from "../node-steps.js";

/** A plain mutex that is taken from whoever holds it; data that is no lock stays. */
export function stolenLayout(call: ScriptCall, { keys, ownerId, ttlMs }: Operation): LaidOut {
  const { lockKey } = keys;
  const isOurs = (): boolean => get(call, lockKey)?.text === ownerId;

  const retime = (): void => {
    const mine = isOurs() ? get(call, lockKey) : undefined;
    const leftMs = mine === undefined ? 0 : remainingMs(call, mine);
    set(call, lockKey, ownerId, Math.max(ttlMs, leftMs));
  };

  return {
    isOurs,
    retime,
    take(): RefusedVote | undefined {
      const holder = get(call, lockKey);
      const refusal = holder && refuse(call, holder);
      if (refusal?.reason === "foreign") return refusal;
      retime();
      return undefined;
    },
    drop: () => call.keys.delete(lockKey, call.nowMs),
  };
}
