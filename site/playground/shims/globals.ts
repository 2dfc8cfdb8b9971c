/** The part of `process` that exists in a browser. */
export const process = {
  pid: 0,
  env: {} as Record<string, string | undefined>,
  nextTick: (run: () => void): void => queueMicrotask(run),
  emitWarning: (): void => {},
};

export { Buffer } from "buffer/index.js";
