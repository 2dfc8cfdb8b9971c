// npm run replay -- FILE|LINK: runs a saved scenario again and prints what happened. See docs/internals/simulator.md.
import { simulator } from "./simulator.mjs";

const { replayMain } = await simulator();
process.exitCode = await replayMain(process.argv.slice(2));
