import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { breakCode, type BrokenCode } from "./broken-code.js";
import { isTested, type Row } from "./row.js";
import type { Effort, Job, Outcome } from "./runner.js";

/** Processes at once. */
const RUNNER_COUNT = 2;

/** The simulator of a mutant may spin for ever. Far above what it takes on a busy machine. */
const PATIENCE_MS: Readonly<Record<Effort, number>> = {
  pin: 120_000,
  few: 120_000,
  search: 1_800_000,
};

export type Result = Outcome | { readonly error: string };

const RUNNER = fileURLToPath(new URL("runner.js", import.meta.url));

/** Runs rows, two at a time; `done` is told each result as it comes. */
export async function runMutants(
  rows: readonly Row[],
  effortsOf: (row: Row) => readonly Effort[],
  done: (row: Row, result: Result) => void,
): Promise<void> {
  const code = await breakCode(rows);
  // The longest first, so that both processes end at about the same time.
  const queue = rows.toSorted((a, b) => costOf(b) - costOf(a));
  const work = async (): Promise<void> => {
    let runner = new Runner(code);
    const ask = async (row: Row): Promise<Result> => {
      const result = await runRow(runner, code, row, effortsOf(row));
      if ("error" in result || "failsAnyway" in result) {
        await runner.kill();
        runner = new Runner(code);
      }
      return result;
    };
    for (let row = queue.shift(); row !== undefined; row = queue.shift()) {
      const result = await ask(row);
      // The cause may be what the bug of an earlier row has left in the process.
      done(row, "failsAnyway" in result ? await ask(row) : result);
    }
    await runner.end();
  };
  try {
    await Promise.all(Array.from({ length: RUNNER_COUNT }, work));
  } finally {
    rmSync(code.folder, { recursive: true });
  }
}

/** One effort after the other, until somebody notices. */
async function runRow(
  runner: Runner,
  code: BrokenCode,
  row: Row,
  efforts: readonly Effort[],
): Promise<Result> {
  if (code.changed[row.id] === undefined) return { error: "it does not fit the sources" };
  let result: Result = { isNoticed: false, by: [], runCount: 0, notes: [] };
  for (const effort of efforts) {
    result = await runner.run(row, effort);
    if ("error" in result || result.isNoticed) break;
  }
  return result;
}

function costOf(row: Row): number {
  return isTested(row) ? 0 : (row.pin?.ms ?? Infinity);
}

class Runner {
  readonly #code: BrokenCode;
  #child: Promise<ChildProcess> | undefined;

  constructor(code: BrokenCode) {
    this.#code = code;
  }

  async run(row: Row, effort: Effort): Promise<Result> {
    this.#child ??= started(this.#code);
    const child = await this.#child;
    return new Promise((resolve) => {
      const settle = (result: Result): void => {
        clearTimeout(timer);
        child.off("message", onMessage);
        child.off("exit", onExit);
        resolve(result);
      };
      const onMessage = (reply: { outcome: Outcome } | { error: string }): void =>
        settle("outcome" in reply ? reply.outcome : reply);
      const onExit = (exitCode: number | null): void =>
        settle({ error: `its process ended with ${exitCode}` });
      const timer = setTimeout(() => settle({ error: "no end in sight" }), PATIENCE_MS[effort]);
      child.on("message", onMessage);
      child.on("exit", onExit);
      child.send({ row, effort } satisfies Job);
    });
  }

  /** It must have no job. */
  async end(): Promise<void> {
    const child = await this.#child;
    if (child?.connected !== true) return;
    child.disconnect();
    await once(child, "exit");
  }

  async kill(): Promise<void> {
    const child = await this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

async function started(code: BrokenCode): Promise<ChildProcess> {
  // Its code is loaded from many addresses: maps of all of them would take longer than the runs.
  const child = fork(RUNNER, {
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    serialization: "advanced",
  });
  child.send(code);
  await once(child, "message");
  return child;
}
