/** The simulator's commands, started by the scripts of this repository. */
export { exhaustMain } from "./exhaust-main.js";
export { replayMain } from "./replay-main.js";
export { simulateMain } from "./simulate-main.js";
