import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { exhaustMain, replayMain, simulateMain } from "../../../sim/cli/index.js";
import { stepperOf } from "../../../sim/exhaust/node-step.js";
import { REAL_RULES, type Rules } from "../../../sim/exhaust/scope.js";
import { planted, TAKING } from "./planted.js";

const WRONG: Rules = { ...REAL_RULES, stepOnNode: stepperOf(planted(TAKING)) };

export const COMMANDS = {
  simulate: simulateMain,
  replay: replayMain,
  exhaust: exhaustMain,
  "exhaust-planted": (argv: readonly string[]) => exhaustMain(argv, WRONG),
} as const;

const PROGRAM = fileURLToPath(new URL("./run-command.js", import.meta.url));

export type Command = keyof typeof COMMANDS;

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** One of the simulator's commands, in this process: what it prints and ends with. */
export async function callCommand(command: Command, ...argv: string[]): Promise<Ended> {
  const outputs = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write.bind(stream);
    const output = { text: "", restore: () => void (stream.write = write) };
    stream.write = (text: string | Uint8Array): boolean => {
      output.text += String(text);
      return true;
    };
    return output;
  });
  try {
    const code = await COMMANDS[command](argv);
    const [out = "", err = ""] = outputs.map(({ text }) => text);
    return { code, out, err };
  } finally {
    for (const { restore } of outputs) restore();
  }
}

/** The same in a process of its own, without a terminal. */
export function runCommand(command: Command, ...argv: string[]): Ended {
  const args = [PROGRAM, command, ...argv];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    maxBuffer: 64 << 20,
  });
  return { code: status, out: stdout, err: stderr };
}

export function startCommand(command: Command, ...argv: string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAM, command, ...argv]);
}

/** Sends SIGINT as soon as the process has printed what is waited for; resolves to how it ended. */
export function interrupted(child: ChildProcess, shown: RegExp): Promise<Ended> {
  let out = "";
  let err = "";
  let isSent = false;
  const look = (): void => {
    if (isSent || !shown.test(`${out}\n${err}`)) return;
    isSent = true;
    child.kill("SIGINT");
  };
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk.toString();
    look();
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk.toString();
    look();
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
  });
}
