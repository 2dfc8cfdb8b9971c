/** Calls back after about `ms` milliseconds, never synchronously. Returns a function that cancels it. */
export type Alarm = (ms: number, callback: () => void) => () => void;

/** Up to 2 ms late, or a fraction of a millisecond early: Node's timers count whole milliseconds. */
export const coarseAlarm: Alarm = (ms, callback) => {
  const timer = setTimeout(callback, Math.ceil(ms));
  return () => clearTimeout(timer);
};

/** How late a Node timer can fire, ms. */
const TIMER_LATE_MS = 2;

/** A few microseconds late, never early: it polls when a timer would be too coarse. */
export const preciseAlarm: Alarm = (ms, callback) => {
  const dueAt = performance.now() + ms;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  const poll = (): void => {
    if (performance.now() >= dueAt) callback();
    else immediate = setImmediate(poll);
  };
  if (ms <= TIMER_LATE_MS) immediate = setImmediate(poll);
  else timer = setTimeout(poll, Math.floor(ms - TIMER_LATE_MS));
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
};
