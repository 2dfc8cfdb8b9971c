/** Started by command.ts: runs one of the simulator's commands as the scripts of the repository do. */
import { exhaustMain, replayMain, simulateMain } from "../../../sim/cli/index.js";
import { stepperOf } from "../../../sim/exhaust/node-step.js";
import { REAL_RULES, type Rules } from "../../../sim/exhaust/scope.js";
import { planted, TAKING } from "./planted.js";

const WRONG: Rules = { ...REAL_RULES, stepOnNode: stepperOf(planted(TAKING)) };

const COMMANDS: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>> = {
  simulate: simulateMain,
  replay: replayMain,
  exhaust: exhaustMain,
  "exhaust-planted": (argv) => exhaustMain(argv, WRONG),
};

const [name = "", ...argv] = process.argv.slice(2);
const command = COMMANDS[name];
if (command === undefined) throw new TypeError(`no such command: ${name}`);
process.exitCode = await command(argv);
