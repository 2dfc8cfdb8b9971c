import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { processTable, type ProcessEntry } from "../../src/cli/exec/process-table.js";
import type { RedisFleet } from "../../src/testing/index.js";
import { startCli, type CliProcess } from "./cli.js";
import type { StampFolder } from "./watched-command.js";

/** What is struck in a round. */
export const VICTIMS = [
  "quorate",
  "guard",
  "command",
  "suspend",
  "waiter",
  "node",
  "quorum",
] as const;

export type Victim = (typeof VICTIMS)[number];

/** When a command was alive, by the stamps of all of its processes, ms since 1970. */
export interface Span {
  readonly token: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

const TTL_MS = 2_000;
const CONTENDERS = 3;
const NAME = "rounds";

/** Three processes of quorate want one name for a command that never ends by itself; each round strikes somebody. */
export class KillRounds {
  readonly #fleet: RedisFleet;
  readonly #stamps: StampFolder;
  readonly #random: () => number;
  readonly #contenders: CliProcess[] = [];
  readonly #script: string;
  #isOver = false;

  constructor(fleet: RedisFleet, stamps: StampFolder, random: () => number) {
    this.#fleet = fleet;
    this.#stamps = stamps;
    this.#random = random;
    const run = stamps.file("run-$QUORATE_FENCING_TOKEN");
    const stamp = (name: string): string => `while :; do : > ${run}.${name}; sleep 0.01; done`;
    this.#script = stamps.script(
      "command",
      `trap "" TERM; : > ${run}.begin; echo $$ > ${run}.pid; (${stamp("child")}) & ${stamp("parent")}`,
    );
    for (let index = 0; index < CONTENDERS; index++) this.#contend(index);
  }

  /** Waits for a command that runs, and strikes. */
  async round(victim: Victim): Promise<void> {
    const pid = await this.#runningPid();
    await sleep(this.#random() * 300);
    const table = processTable();
    const holder = table.find((entry) => entry.pid === pid)?.parentPid;
    const guard = table.find((entry) => entry.parentPid === holder && entry.pid !== pid);
    if (holder === undefined) return;
    switch (victim) {
      case "quorate":
        return kill(holder);
      case "command":
        return kill(pid);
      case "guard":
        if (guard !== undefined) kill(guard.pid);
        await sleep(300);
        return kill(holder);
      case "waiter":
        return kill(this.#waiterPid(holder));
      case "suspend":
        kill(holder, "SIGSTOP");
        await sleep(TTL_MS * 1.5);
        return kill(holder, "SIGCONT");
      case "node":
        return await this.#freeze(1, 500);
      case "quorum":
        return await this.#freeze(2, TTL_MS * 1.2);
    }
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const { child } of this.#contenders) child.kill("SIGKILL");
    await Promise.all(this.#contenders.map(({ result }) => result));
    while (this.#livingPids().length > 0) await sleep(20);
  }

  spans(): readonly Span[] {
    const files = readdirSync(this.#stamps.dir);
    return files.flatMap((file) => {
      const token = /^run-(\d+)\.begin$/.exec(file)?.[1];
      if (token === undefined) return [];
      const all = files.filter((other) => other.startsWith(`run-${token}.`));
      return {
        token: Number(token),
        fromMs: this.#stamps.lastMs(file),
        untilMs: Math.max(...all.map((each) => this.#stamps.lastMs(each))),
      };
    });
  }

  #contend(index: number): void {
    const args = [
      "exec",
      NAME,
      "-q",
      "--ttl",
      `${TTL_MS}ms`,
      "--grace",
      "300ms",
      "--",
      this.#script,
    ];
    const cli = startCli(args, { env: { QUORATE_NODES: this.#fleet.urls.join(",") } });
    this.#contenders[index] = cli;
    void cli.result.then(() => {
      if (!this.#isOver) this.#contend(index);
    });
  }

  async #runningPid(): Promise<number> {
    const endMs = performance.now() + 20_000;
    for (;;) {
      const [pid] = this.#livingPids();
      if (pid !== undefined) return pid;
      if (performance.now() > endMs) throw new Error("nobody got the lock for 20 s");
      await sleep(5);
    }
  }

  #livingPids(): readonly number[] {
    const files = readdirSync(this.#stamps.dir).filter((file) => file.endsWith(".pid"));
    const pids = new Set(files.map((file) => Number(this.#stamps.text(file))));
    const isLiving = ({ pid, isZombie }: ProcessEntry): boolean => pids.has(pid) && !isZombie;
    return processTable()
      .filter(isLiving)
      .map(({ pid }) => pid);
  }

  #waiterPid(holder: number): number {
    const pids = this.#contenders.flatMap(({ child }) => child.pid ?? []);
    return pids.find((pid) => pid !== holder) ?? holder;
  }

  async #freeze(count: number, ms: number): Promise<void> {
    const first = Math.floor(this.#random() * this.#fleet.nodes.length);
    const nodes = [...this.#fleet.nodes, ...this.#fleet.nodes].slice(first, first + count);
    await Promise.all(nodes.map((node) => node.pause()));
    await sleep(ms);
    await Promise.all(nodes.map((node) => node.resume()));
  }
}

/** Pairs of commands that ran at the same time, or whose tokens are not in the order of their times. */
export function overlaps(spans: readonly Span[]): readonly string[] {
  const inOrder = spans.toSorted((a, b) => a.fromMs - b.fromMs);
  return inOrder.slice(1).flatMap((next, index) => {
    const before = inOrder[index];
    if (before === undefined) return [];
    const about = `${JSON.stringify(before)} and ${JSON.stringify(next)}`;
    if (next.fromMs < before.untilMs) return `at the same time: ${about}`;
    return next.token > before.token ? [] : `tokens out of order: ${about}`;
  });
}

function kill(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
