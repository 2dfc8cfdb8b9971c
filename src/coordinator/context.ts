import type { Admission, Throttle, Throttled } from "./admission.js";
import type { NodeStanding } from "../protocol/watching.js";
import type { Clock, Entropy, Listening, NodePort } from "./ports.js";
import type { WaitQueues } from "./wait-queues.js";
import type { LossNews } from "./loss-news.js";
import type { Keepers } from "./keepers.js";
import type { Proposals } from "./proposals.js";
import type { Schedule } from "./schedule.js";
import type { Observer } from "./observer.js";

/** What one lock manager's coordinator works with. */
export interface Context {
  readonly nodes: readonly NodePort[];
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly schedule: Schedule;
  /** Those in flight. Closed when all locks are about to be released: renewals would delay that. */
  readonly renewals: Throttle<Throttled>;
  /** Which attempts may begin. */
  readonly admission: Admission;
  readonly proposals: Proposals;
  readonly keepers: Keepers;
  /** The waiting acquires of this process, by name. */
  readonly waitQueues: WaitQueues;
  /** By which locks are told that they have ended. */
  readonly lossNews: LossNews;
  /** Hears who holds a name, as single nodes say; absent where there are no messages. */
  readonly listen?:
    | ((
        lockKey: string,
        onStanding: (nodeIndex: number, standing: NodeStanding) => void,
      ) => Listening)
    | undefined;
  readonly observer: Observer;
}
