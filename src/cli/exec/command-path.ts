import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { EXIT, ExitError } from "../exit-codes.js";

/**
 * Checks that the system will find the program and can execute it.
 *
 * @throws ExitError with exit code 127 if there is none, 126 if it cannot be executed
 */
export function checkCommand(program: string, path = "/usr/local/bin:/usr/bin:/bin"): void {
  const places = program.includes("/")
    ? [program]
    : path.split(delimiter).map((folder) => join(folder === "" ? "." : folder, program));
  const found = program === "" ? [] : places.map(stateOf);
  if (found.includes("executable")) return;
  const shown = JSON.stringify(program);
  if (found.includes("other")) {
    throw new ExitError(`cannot execute ${shown}: not an executable file`, EXIT.notExecutable);
  }
  throw new ExitError(`command not found: ${shown}`, EXIT.notFound);
}

/** The exit code for a command that could not be started. */
export function exitCodeOfSpawn(error: NodeJS.ErrnoException): number {
  return error.code === "ENOENT" ? EXIT.notFound : EXIT.notExecutable;
}

function stateOf(file: string): "executable" | "other" | "none" {
  try {
    if (!statSync(file).isFile()) return "other";
    accessSync(file, constants.X_OK);
    return "executable";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "none" : "other";
  }
}
