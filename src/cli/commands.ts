import type { Command } from "./command.js";
import { doctor } from "./doctor/doctor.js";
import { elect } from "./elect.js";
import { exec } from "./exec/exec.js";
import { held } from "./held.js";
import { inspect } from "./inspect.js";
import { release } from "./release.js";

/** All commands, in the order of `quorate --help`. */
export const COMMANDS: readonly Command[] = [exec, elect, held, inspect, release, doctor];
