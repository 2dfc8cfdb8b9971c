import type { QuorateWarning } from "../api/events.js";
import type { QuorumObserver } from "./open-quorum.js";

/** Hears of what it has a method for: of the nodes, and of the locks on them. Must not throw. */
export interface NodesObserver extends Partial<Omit<QuorumObserver, "onNodeWarning">> {
  onWarning?(code: QuorateWarning["code"], message: string): void;
}

/** One for all: what several may hear is told to each that hears it, in turn; the rest only one of them knows. */
export function asOne(all: readonly NodesObserver[]) {
  const told = <Event extends keyof Told>(event: Event): Told[Event] => {
    const heard: readonly Tell[] = all.flatMap((one) => one[event]?.bind(one) ?? []);
    const [only] = heard;
    if (only !== undefined && heard.length === 1) return only;
    return (...about: never[]) => heard.forEach((tell) => tell(...about));
  };
  return {
    ...(Object.assign({}, ...all) as NodesObserver),
    onGranted: told("onGranted"),
    onExtended: told("onExtended"),
    onReleased: told("onReleased"),
    onLost: told("onLost"),
    onLate: told("onLate"),
    hearsLate: () => all.some((one) => one.hearsLate?.() === true),
    onNodeState: told("onNodeState"),
    onWarning: told("onWarning"),
  };
}

type Tell = (...about: never[]) => void;

/** What several may hear. */
type Told = Required<
  Pick<
    NodesObserver,
    | ("onGranted" | "onExtended" | "onReleased" | "onLost" | "onLate")
    | ("onNodeState" | "onWarning")
  >
>;
