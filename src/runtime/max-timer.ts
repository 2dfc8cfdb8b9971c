/** The longest delay that timers of Node.js accept, ms. They take a longer one for 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
