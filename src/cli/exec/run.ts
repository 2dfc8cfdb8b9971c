import type { Lock, LockManager } from "../../index.js";
import { adviceOf } from "../advice.js";
import type { Call } from "../command.js";
import { durationText } from "../duration.js";
import { EXIT, ExitError } from "../exit-codes.js";
import { printable, type Output } from "../output.js";
import { exitCodeOfSpawn } from "./command-path.js";
import { askNodes } from "../holding.js";
import { deploymentOf, SOCKET_VARIABLE } from "../holding-socket.js";
import { marksOf, variablesOf, variablesOfSettings, type Held } from "./environment.js";
import type { Ending } from "./ending.js";
import { Fence } from "./fence.js";
import { startGroup, type CommandGroup } from "./group.js";
import { Guard } from "./guard.js";
import { HoldingServer } from "./holding-server.js";
import type { Plan } from "./plan.js";
import type { SignalWatch } from "./signals.js";
import type { StatusFeed } from "./status-feed.js";
import { StopTimeout } from "./stop-timeout.js";

/** The lock, permit or term, which may be lost. */
export interface HeldLock extends Omit<Held, "remainingMs" | "validUntil"> {
  /** What it says of itself: reading it finds a loss, by the clock, before any timer. */
  readonly lease: Pick<Lock, "signal" | "remainingMs">;
  /** Whose nodes have it. */
  readonly locks: Pick<LockManager, "inspect">;
  release(): Promise<unknown>;
}

/** The outcome of a command: how it ended, and whether the lock was lost before. */
export interface Outcome {
  readonly ending: Ending;
  readonly isLost: boolean;
}

/** The output of a run, and its signals. */
export interface RunSurroundings {
  readonly env: Call["env"];
  readonly output: Output;
  readonly feed: StatusFeed;
  readonly watch: SignalWatch;
}

/**
 * Runs a command for as long as the lock is valid. When this settles, no process of its group is left (unless the plan
 * allows it), and the lock has been released.
 *
 * @throws ExitError if the command cannot be started; the lock is released then, too
 */
export async function runUnder(
  held: HeldLock,
  plan: Plan,
  around: RunSurroundings,
): Promise<Outcome> {
  try {
    return await new Run(held, plan, around).run();
  } finally {
    const { fencingToken } = held;
    await held.release();
    around.feed.tell({ event: "released", fencingToken });
  }
}

class Run {
  readonly #held: HeldLock;
  readonly #plan: Plan;
  readonly #around: RunSurroundings;
  readonly #startMs = performance.now();
  #group: CommandGroup | undefined;
  #guard: Guard | undefined;
  #isTold = false;
  #isKilled = false;

  constructor(held: HeldLock, plan: Plan, around: RunSurroundings) {
    this.#held = held;
    this.#plan = plan;
    this.#around = around;
  }

  async run(): Promise<Outcome> {
    const { isInTerminal, leavesGroup, stopTimeoutMs, times } = this.#plan;
    using timeout = new StopTimeout(stopTimeoutMs, (reason) => this.#kill(reason));
    const early: NodeJS.Signals[] = [];
    const passOn = (signal: NodeJS.Signals): void => {
      if (this.#group === undefined) return void early.push(signal);
      this.#group.signal(signal);
      timeout.passedOn(signal);
    };
    // From now on: a signal that came in between would end the term, and not the command.
    using _ = this.#around.watch.forward(isInTerminal, passOn);
    const own = this.#environment();
    using server = await this.#openServer(own);
    const env = { ...own, [SOCKET_VARIABLE]: server?.path };
    await this.#startGuard(marksOf(env), server?.dir);
    const fence = new Fence(() => this.#remainingMs(), times, {
      onRenewed: (validMs) => this.#tell("renewed", validMs),
      onLate: (validMs) => this.#onLate(validMs),
      onTerminate: (validMs) => this.#onTerminate(validMs),
      onKill: (validMs) => this.#onKill(validMs),
      onMoved: (guarded) => this.#guard?.update(guarded),
    });
    const onLost = (): void => fence.look();
    try {
      // So that the guard has its deadline before there is anything to stop.
      fence.look();
      if (fence.hasFired) throw this.#lostBefore();
      this.#group = await this.#start(env);
      const group = this.#group;
      for (const signal of early.splice(0)) passOn(signal);
      this.#held.lease.signal.addEventListener("abort", onLost, { once: true });
      fence.look();
      const ending = await group.ended;
      // The guard may have stopped it while this process was suspended and its timers could not fire.
      fence.look();
      const isLost = fence.hasFired || this.#held.lease.remainingMs === 0;
      fence.stop();
      if (!leavesGroup || fence.hasFired || this.#isKilled) await this.#clear(group);
      return { ending, isLost };
    } finally {
      fence.stop();
      this.#held.lease.signal.removeEventListener("abort", onLost);
      await this.#guard?.end();
    }
  }

  /** The remaining validity of the lock, limited by `--max-hold`. */
  #remainingMs(): number {
    return Math.min(this.#held.lease.remainingMs, Math.max(0, this.#maxHoldLeftMs()));
  }

  #maxHoldLeftMs(): number {
    const { maxHoldMs = Number.POSITIVE_INFINITY } = this.#plan.settings.options;
    return this.#startMs + maxHoldMs - performance.now();
  }

  #environment(): Record<string, string | undefined> {
    const { env } = this.#around;
    const { passesNodes, settings } = this.#plan;
    const ofSettings = variablesOfSettings(settings, env, passesNodes);
    const { remainingMs } = this.#held.lease;
    const validUntil = new Date(Date.now() + remainingMs);
    return { ...env, ...ofSettings, ...variablesOf({ ...this.#held, remainingMs, validUntil }) };
  }

  /** Answers the command for the nodes, unless it can ask them itself. */
  async #openServer(env: Record<string, string | undefined>): Promise<HoldingServer | undefined> {
    if (this.#plan.passesNodes) return undefined;
    return await HoldingServer.open(deploymentOf(env), (asked) =>
      askNodes(this.#held.locks, asked),
    );
  }

  async #startGuard(marks: readonly string[], dir: string | undefined): Promise<void> {
    const { hasGuard, onLoss, signal, times } = this.#plan;
    if (!hasGuard || onLoss === "ignore") return;
    const { graceMs } = times;
    this.#guard = await Guard.start({ signal, graceMs, kills: onLoss === "kill", marks, dir });
  }

  async #start(env: Record<string, string | undefined>): Promise<CommandGroup> {
    const { command, isInTerminal, stdio } = this.#plan;
    try {
      return await startGroup(command, {
        isInTerminal,
        env,
        marks: marksOf(env),
        stdio,
        onTarget: (target) => this.#guard?.guard(target),
      });
    } catch (error) {
      const { message } = error as Error;
      throw new ExitError(`cannot run the command: ${message}`, exitCodeOfSpawn(error as Error));
    }
  }

  /** Kills processes that the command left behind: they must not outlive the lock. */
  async #clear(group: CommandGroup): Promise<void> {
    if (this.#plan.onLoss !== "kill" && this.#isOver()) return;
    const areGone = await group.killAll(() => this.#isOver());
    if (areGone) return;
    this.#note(
      `processes of the command still run and cannot be killed: ${group.members().join(", ")}`,
    );
  }

  #isOver(): boolean {
    return this.#held.lease.remainingMs === 0;
  }

  #onLate(validMs: number): void {
    if (this.#maxHoldLeftMs() <= validMs) return;
    this.#tell("late", validMs);
    this.#note(`the lock could not be renewed so far; ${durationText(validMs)} remain`);
  }

  #onTerminate(validMs: number): void {
    const { onLoss, signal, times } = this.#plan;
    const reason = this.#reason();
    this.#isTold = true;
    this.#tell("stopping", validMs, reason);
    if (onLoss === "ignore") return this.#note(`${reason}; the command continues without it`);
    const next = onLoss === "kill" ? `, SIGKILL follows in ${durationText(times.graceMs)}` : "";
    this.#note(`${reason}; sending ${signal} to the command${next}`);
    this.#guard?.stopping();
    this.#group?.terminate(signal);
  }

  #onKill(validMs: number): void {
    if (this.#plan.onLoss !== "kill") {
      // Without a stage before: the lock was taken away long before its end.
      if (!this.#isTold && this.#held.lease.signal.aborted) this.#onTerminate(validMs);
      return;
    }
    this.#kill(this.#reason());
  }

  /** With all processes of its group. May be called repeatedly. */
  #kill(reason: string): void {
    if (!this.#isKilled) {
      this.#tell("killed", this.#remainingMs(), reason);
      this.#note(`${reason}; killing the command`);
    }
    this.#isKilled = true;
    this.#group?.signal("SIGKILL");
  }

  #reason(): string {
    const { signal } = this.#held.lease;
    if (signal.aborted) return adviceOf(signal.reason as Error);
    const leftMs = this.#remainingMs();
    const left = durationText(leftMs);
    return this.#maxHoldLeftMs() <= leftMs
      ? `--max-hold is reached in ${left}`
      : `the lock expires in ${left}: it could not be renewed`;
  }

  #lostBefore(): ExitError {
    return new ExitError(`${this.#reason()}; the command was not started`, EXIT.lost);
  }

  #tell(event: Parameters<StatusFeed["tell"]>[0]["event"], validMs: number, reason?: string): void {
    this.#around.feed.tell({ event, fencingToken: this.#held.fencingToken, validMs, reason });
  }

  #note(text: string): void {
    this.#around.output.note(printable(text));
  }
}
