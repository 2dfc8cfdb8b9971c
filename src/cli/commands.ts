import type { Command } from "./command.js";
import { doctor } from "./doctor/doctor.js";
import { exec } from "./exec/exec.js";
import { inspect } from "./inspect.js";
import { release } from "./release.js";

/** All commands, in the order of `quorate --help`. */
export const COMMANDS: readonly Command[] = [exec, inspect, release, doctor];
