import { adviceOf } from "./advice.js";
import type { Call, Command } from "./command.js";
import { COMMANDS } from "./commands.js";
import { complete, COMPLETE } from "./complete.js";
import { codeOf, EXIT, exitCodeOf, UsageError, type ExitCode } from "./exit-codes.js";
import { Output, printable, type Streams } from "./output.js";
import { checkWords, findCommand, parseCommandLine, type Parsed } from "./parse.js";
import { usageOf, usageOfAll } from "./usage.js";
import { version } from "./version.js";

/** The environment of a command line; the process's own, except in tests. */
export interface Surroundings extends Streams {
  readonly args: readonly string[];
  readonly env: Call["env"];
  /** Instead of stderr where a command runs under a lock: who does not read it must not end that. */
  readonly patient?: Streams["stderr"];
}

/** Runs one command line. Never rejects. @returns how the process is to end */
export async function main(
  { args: given, env, stdout, stderr, patient = stderr }: Surroundings,
  commands: readonly Command[] = COMMANDS,
): Promise<ExitCode> {
  // As of git, npm and docker.
  const args = given[0] === "help" ? [...given.slice(1), "--help"] : given;
  const streams = { stdout, stderr };
  if (given[0] === COMPLETE) {
    for (const line of complete(given.slice(1), commands)) stdout.write(`${line}\n`);
    return EXIT.ok;
  }
  // Until the command line is parsed, so that its errors are reported in the right format.
  let output = new Output(
    { isJson: isAmongOptions("--json", args), isQuiet: false, isVerbose: false },
    streams,
  );
  let command: Command | undefined;
  try {
    command = findCommand(args, commands);
    const parsed = parseCommandLine(args, command);
    const { globals } = parsed;
    const { json = false, quiet = false, verbose = false } = globals;
    const notes = command?.takesCommand === true ? patient : stderr;
    const manner = { isJson: json, isQuiet: quiet, isVerbose: verbose };
    output = new Output(manner, { stdout, stderr: notes });
    if (globals.version === true) return show(output, version());
    if (globals.help === true) {
      return show(output, command === undefined ? usageOfAll(commands) : usageOf(command));
    }
    if (command === undefined) throw new UsageError("no command");
    checkWords(command, parsed);
    return await command.run(callOf(parsed, env, output));
  } catch (error) {
    const exitCode = exitCodeOf(error);
    // The caller has said that this is not an error.
    if (exitCode === EXIT.ok && output.isQuiet) return exitCode;
    output.error(messageOf(error, exitCode), { exitCode, code: codeOf(error) });
    if (exitCode === EXIT.usage && !output.isJson) {
      output.note(`try: quorate ${command === undefined ? "" : `${command.name} `}--help`);
    }
    return exitCode;
  }
}

function callOf({ words, rest, values, globals }: Parsed, env: Call["env"], output: Output): Call {
  return { words, command: rest, values, globals, env, output };
}

function show(output: Output, text: string): number {
  output.print(text);
  return EXIT.ok;
}

function messageOf(error: unknown, exitCode: number): string {
  if (exitCode !== EXIT.bug) return printable(adviceOf(error as Error));
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `this is a bug in quorate: ${text}`;
}

function isAmongOptions(option: string, args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).includes(option);
}
