// npm run simulate: runs many simulated scenarios and judges them. See docs/internals/simulator.md.
import { simulator } from "./simulator.mjs";

const { simulateMain } = await simulator();
process.exitCode = await simulateMain(process.argv.slice(2));
