// npm run compare: compiles the comparison and runs it. Arguments after -- are passed to it, see
// bench/compare/arguments.ts.
import { launch } from "./launch.mjs";

await launch("bench/compare", "compare");
