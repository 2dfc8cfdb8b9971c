import { IS_LONG } from "./long.js";

/** A test that only the long run has. */
export const itWhenLong: Mocha.TestFunction | Mocha.PendingTestFunction = IS_LONG ? it : it.skip;
