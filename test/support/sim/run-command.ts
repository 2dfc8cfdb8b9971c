/** Started by command.ts: runs one of the simulator's commands as the scripts of the repository do. */
import { exhaustMain, replayMain, simulateMain } from "../../../src/sim/cli/index.js";
import { REAL_RULES, type Rules } from "../../../src/sim/exhaust/scope.js";

/** A wrong rule: an acquire takes whatever stands there. */
const TAKING: Rules = {
  ...REAL_RULES,
  runOperation: (call, operation) => {
    if (operation.kind === "acquire") call.keys.delete(operation.keys.lockKey, 0);
    return REAL_RULES.runOperation(call, operation);
  },
};

const COMMANDS: Readonly<Record<string, (argv: readonly string[]) => Promise<number>>> = {
  simulate: simulateMain,
  replay: replayMain,
  exhaust: exhaustMain,
  "exhaust-planted": (argv) => exhaustMain(argv, TAKING),
};

const [name = "", ...argv] = process.argv.slice(2);
const command = COMMANDS[name];
if (command === undefined) throw new TypeError(`no such command: ${name}`);
process.exitCode = await command(argv);
