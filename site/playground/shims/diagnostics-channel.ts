/** There are never any subscribers. */
export const channel = () => ({ hasSubscribers: false, publish: (): void => {} });

export const tracingChannel = () => {
  const none = channel();
  const parts = { start: none, end: none, asyncStart: none, asyncEnd: none, error: none };
  return { ...parts, hasSubscribers: false };
};
