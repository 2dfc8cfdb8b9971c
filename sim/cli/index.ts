/** The simulator's commands, as the scripts of this repository start them. */
export { exhaustMain } from "./exhaust-main.js";
export { replayMain } from "./replay-main.js";
export { simulateMain } from "./simulate-main.js";
