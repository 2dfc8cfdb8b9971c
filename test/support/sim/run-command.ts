/** Started by command.ts: runs one of the simulator's commands as the scripts of the repository do. */
import { COMMANDS, type Command } from "./command.js";

const [name, ...argv] = process.argv.slice(2);
const run = COMMANDS[name as Command] as (typeof COMMANDS)[Command] | undefined;
if (run === undefined) throw new TypeError(`no such command: ${name}`);
process.exitCode = await run(argv);
