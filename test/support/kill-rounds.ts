import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { processTable, type ProcessEntry } from "../../src/cli/exec/process-table.js";
import type { RedisFleet } from "../../src/testing/index.js";
import { startCli, type CliProcess } from "./cli.js";
import { eventually } from "./settle.js";
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

/** Such that a machine that stands still for a moment costs no lock. */
const TTL_MS = 4_000;
/** How long quorate may stand still between the start of a guard and its first lines to it, ms. */
const GUARD_TOLD_MS = 2_000;
/** To start processes of quorate, and for the end of the lock before, on a busy machine. */
const START_LIMIT_MS = 40_000;
const CONTENDERS = 3;
const NAME = "rounds";

/** Three processes of quorate want one name for a command that never ends by itself; each round strikes somebody. */
export class KillRounds {
  readonly #fleet: RedisFleet;
  readonly #stamps: StampFolder;
  readonly #random: () => number;
  readonly #options: readonly string[];
  readonly #contenders: CliProcess[] = [];
  readonly #script: string;
  #isOver = false;

  /** @param options of `quorate exec`, besides */
  constructor(
    fleet: RedisFleet,
    stamps: StampFolder,
    random: () => number,
    options: readonly string[] = [],
  ) {
    this.#options = options;
    this.#fleet = fleet;
    this.#stamps = stamps;
    this.#random = random;
    const run = stamps.file("run-$QUORATE_FENCING_TOKEN");
    const stamp = (name: string): string => `while :; do : > ${run}.${name}; sleep 0.01; done`;
    this.#script = stamps.script(
      "command",
      `trap "" TERM; : > ${run}.begin; (${stamp("child")}) & ${stamp("parent")}`,
    );
    for (let index = 0; index < CONTENDERS; index++) this.#contend(index);
  }

  /** Waits for a command that runs under one of the contenders, and strikes it or one of them. */
  async round(victim: Victim): Promise<void> {
    await this.#running();
    await sleep(this.#random() * 300);
    // Only what is known to be ours is struck: numbers of processes are used again.
    const { leader, holder } = await this.#running();
    switch (victim) {
      case "quorate":
        holder.child.kill("SIGKILL");
        return;
      case "command":
        return killPid(leader.pid);
      case "guard":
        await this.#replaceGuard(leader, holder);
        holder.child.kill("SIGKILL");
        return;
      case "waiter":
        this.#contenders.find((each) => each !== holder)?.child.kill("SIGKILL");
        return;
      case "suspend":
        holder.child.kill("SIGSTOP");
        await sleep(TTL_MS * 1.5);
        holder.child.kill("SIGCONT");
        return;
      case "node":
        return await this.#freeze(1, 500);
      case "quorum":
        return await this.#freeze(2, TTL_MS * 1.2);
    }
  }

  /** When so many commands have begun. */
  async begun(count: number): Promise<void> {
    await eventually(`${count} commands began`, () => this.spans().length >= count, START_LIMIT_MS);
  }

  /** Ends all processes. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const { child } of this.#contenders) child.kill("SIGKILL");
    // The guards do that in time, but for a command whose guard was struck a moment before.
    const guardedMs = this.#options.includes("--no-guard") ? 0 : 2 * TTL_MS;
    const endMs = performance.now() + guardedMs;
    for (let left = this.#living(); left.length > 0; left = this.#living()) {
      if (performance.now() >= endMs) for (const { pid } of left) killPid(pid);
      await sleep(100);
    }
    await Promise.all(this.#contenders.map(({ result }) => result));
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
    const times = ["--ttl", `${TTL_MS}ms`, "--grace", "300ms"];
    const args = ["exec", NAME, "-q", ...times, ...this.#options, "--", this.#script];
    const cli = startCli(args, { env: { QUORATE_NODES: this.#fleet.urls.join(",") } });
    this.#contenders[index] = cli;
    void cli.result.then(() => {
      if (!this.#isOver) this.#contend(index);
    });
  }

  async #running(): Promise<{ leader: ProcessEntry; holder: CliProcess }> {
    const endMs = performance.now() + START_LIMIT_MS;
    while (performance.now() < endMs) {
      for (const leader of processTable()) {
        const holder = this.#contenders.find(({ child }) => child.pid === leader.parentPid);
        if (holder !== undefined && this.#isOurs(leader)) return { leader, holder };
      }
      await sleep(50);
    }
    throw new Error(`nobody got the lock for ${START_LIMIT_MS} ms`);
  }

  /** Kills the guard, and waits until there is another one that knows its command. */
  async #replaceGuard(leader: ProcessEntry, { child }: CliProcess): Promise<void> {
    const guards = (): readonly number[] =>
      processTable().flatMap(({ pid, parentPid, isZombie }) => {
        const isOther = parentPid !== child.pid || pid === leader.pid || isZombie;
        return !isOther && commandLine(pid).includes("guard-main") ? pid : [];
      });
    const before = guards();
    for (const pid of before) killPid(pid);
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
    await eventually(
      "there is another guard",
      () => isOver() || guards().some((pid) => !before.includes(pid)),
    );
    await sleep(GUARD_TOLD_MS);
  }

  /** All processes of all commands. */
  #living(): readonly ProcessEntry[] {
    return processTable().filter((entry) => this.#isOurs(entry));
  }

  /** Whether it is a process of a command, by the script that it runs. */
  #isOurs({ pid, isZombie }: ProcessEntry): boolean {
    return !isZombie && commandLine(pid) === `/bin/sh\0${this.#script}\0`;
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

function killPid(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended meanwhile.
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
