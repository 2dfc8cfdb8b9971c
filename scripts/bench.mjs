// npm run bench: compiles the bench and runs it. Arguments after -- are passed to it, see bench/arguments.ts.
import { launch } from "./launch.mjs";

await launch("bench", "bench");
