import { bench } from "./bench.js";
import type { Command } from "./command.js";
import { completion } from "./completion.js";
import { doctor } from "./doctor/doctor.js";
import { elect } from "./elect.js";
import { exec } from "./exec/exec.js";
import { held } from "./held.js";
import { inspect } from "./inspect.js";
import { ls } from "./ls.js";
import { release } from "./release.js";
import { schema } from "./schema.js";
import { watch } from "./watch.js";

/** All commands, in the order of `quorate --help`. */
export const COMMANDS: readonly Command[] = [
  ...[exec, elect, held, inspect, ls, watch, release, doctor, bench],
  ...[schema, completion],
];
