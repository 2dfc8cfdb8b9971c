import type { Layout } from "../../protocol/layout.js";
import type { Operation, RefusedVote } from "../../protocol/operation.js";
import {
  TIMESTAMP_MARGIN_MS,
  timestampLayoutOf,
  unitMs,
  type TimestampLayout,
} from "../../protocol/timestamps.js";
import { isHash } from "../hash.js";
import type { LaidOut } from "../laid-out.js";
import { foreignAt, FREE, get, remainingMs, set, type ScriptCall } from "../node-steps.js";

/** The lock key says when the lock ends; a key beside it says whose that is, if it is one of ours. */
export function timestampLayout(
  call: ScriptCall,
  { keys, ownerId, ttlMs }: Operation,
  { keys: [ownerKey = ""], args }: Layout,
): LaidOut {
  const layout = args[0] as TimestampLayout;
  const unit = unitMs(layout);
  const { lockKey } = keys;

  /** Who stands in it, if it is one of us. */
  const owner = (): string | undefined => {
    const holder = get(call, lockKey);
    const [, stamp, found] = /^(\d+) (.*)$/.exec(get(call, ownerKey)?.text ?? "") ?? [];
    const isOfUs = holder?.text === stamp && holder?.expiresAtMs !== Number.POSITIVE_INFINITY;
    return isOfUs ? found : undefined;
  };

  const put = (): void => {
    const stamp = String(Math.ceil((call.nowMs + ttlMs + TIMESTAMP_MARGIN_MS) / unit));
    set(call, ownerKey, `${stamp} ${ownerId}`, ttlMs);
    set(call, lockKey, stamp, ttlMs);
  };

  const heldBy = (): RefusedVote => {
    const holder = get(call, lockKey);
    if (holder === undefined) return FREE;
    if (isHash(holder.text) || timestampLayoutOf(holder.text) !== layout) {
      return foreignAt(call, lockKey);
    }
    const saidMs = Math.ceil(Number(holder.text) * unit + TIMESTAMP_MARGIN_MS - call.nowMs);
    const leftMs = Math.min(saidMs, remainingMs(call, holder));
    if (leftMs <= 0) return FREE;
    const ofUs = owner() ?? "";
    const label = ofUs[22] === ":" ? ofUs.slice(23) : "";
    return {
      kind: "refused",
      reason: "held",
      remainingMs: leftMs,
      label: label === "" ? undefined : label,
    };
  };

  const isOurs = (): boolean => owner() === ownerId;

  const retime = (): void => {
    const holder = get(call, lockKey);
    if (holder === undefined || ttlMs > remainingMs(call, holder)) put();
  };

  return {
    isOurs,
    retime,
    heldBy,
    take(): RefusedVote | undefined {
      if (isOurs()) {
        retime();
        return undefined;
      }
      const refusal = heldBy();
      if (refusal !== FREE) return refusal;
      put();
      return undefined;
    },
    isInVain: () => heldBy().reason === "foreign",
    drop(): void {
      call.keys.delete(lockKey, call.nowMs);
      call.keys.delete(ownerKey, call.nowMs);
    },
    dropRest(): void {
      const [, , found] = /^(\d+) (.*)$/.exec(get(call, ownerKey)?.text ?? "") ?? [];
      if (found === ownerId) call.keys.delete(ownerKey, call.nowMs);
    },
    keepsNoTurn: true,
  };
}
