import {
  faultVote,
  type FaultKind,
  type GrantedVote,
  type RefusedVote,
  type Vote,
} from "../../src/protocol/operation.js";

export const granted = (fence = 0): GrantedVote => ({ kind: "granted", fence });

export const held = (remainingMs = 500, label?: string): RefusedVote => ({
  kind: "refused",
  reason: "held",
  remainingMs,
  label,
});

export const free = (): RefusedVote => ({
  kind: "refused",
  reason: "free",
  remainingMs: 0,
  label: undefined,
});

export const foreign = (type = "list"): RefusedVote => ({
  kind: "refused",
  reason: "foreign",
  remainingMs: 0,
  label: type,
});

export const fault = (kind: FaultKind = "server", sent = true): Vote =>
  faultVote(kind, sent, `the test says ${kind}`);

/** As `bbbbbb` sees it: `+` granted, a letter who refused it (`?` for somebody), `x` a fault, `.` silence. */
export function votesOf(text: string): (Vote | undefined)[] {
  return text.split("").map((mark) => {
    if (mark === ".") return undefined;
    if (mark === "+") return granted(7);
    if (mark === "x") return fault("disconnected");
    return { ...held(), holder: mark === "?" ? undefined : mark.repeat(6) };
  });
}
