import type { NextTurn } from "../../../sim/world.js";

/** A replacement for `setImmediate` of Node.js: each message is a separate task, and they run in order. */
export function messageTurns(): NextTurn {
  const { port1, port2 } = new MessageChannel();
  const steps: (() => void)[] = [];
  let first = 0;
  port1.addEventListener("message", () => {
    const step = steps[first];
    first++;
    if (first === steps.length) first = steps.length = 0;
    step?.();
  });
  port1.start();
  return (step) => {
    steps.push(step);
    port2.postMessage(undefined);
  };
}
