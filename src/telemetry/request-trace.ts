import type { Lock } from "../api/lock.js";
import { CHANNELS } from "./channels.js";
import type { RequestMessage } from "./messages.js";

type Wrapper = (run: () => void) => void;

/** The callback of a request, as published on `quorate:request`. Rejects if the callback throws. */
export function traceRequest<T>(lock: Lock, callback: (lock: Lock) => T): Promise<Awaited<T>> {
  const { start, end, asyncStart, asyncEnd, error } = CHANNELS.request;
  const { name, names, mode, fencingToken } = lock;
  const wrappers: Wrapper[] = [];
  const around = (wrapper: Wrapper): void => void wrappers.push(wrapper);
  const message: RequestMessage = {
    ...{ name, names, mode, fencingToken, outcome: undefined },
    around,
  };
  const onEnd = (outcome: "done" | "threw"): void => {
    message.outcome = lock.signal.aborted ? "lost" : outcome;
    asyncStart.publish(message);
    asyncEnd.publish(message);
  };
  return start.runStores(message, () => {
    const run = async (): Promise<Awaited<T>> => await callback(lock);
    const running = runWithin(wrappers, run);
    end.publish(message);
    return running.then(
      (result) => {
        onEnd("done");
        return result;
      },
      (thrown: unknown) => {
        message.error = thrown;
        error.publish(message);
        onEnd("threw");
        throw thrown;
      },
    );
  });
}

/** Once, whatever the wrappers do; what they throw is uncaught, as with any subscriber. */
function runWithin<T>(wrappers: readonly Wrapper[], run: () => Promise<T>): Promise<T> {
  let running: Promise<T> | undefined;
  const inner = (): void => {
    running ??= run();
  };
  const outer = wrappers.reduce<() => void>(
    (within, wrapper) => () => {
      try {
        wrapper(within);
      } catch (error) {
        process.nextTick(() => {
          throw error;
        });
      }
    },
    inner,
  );
  outer();
  return running ?? run();
}
