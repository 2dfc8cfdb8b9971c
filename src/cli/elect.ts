import type { LockManager, LockReport, Term } from "../index.js";
import { choice, defineCommand, flag, type Call } from "./command.js";
import { checkSettings, withConnection } from "./connect.js";
import { durationText } from "./duration.js";
import { EXIT, UsageError, type ExitCode } from "./exit-codes.js";
import { codeOfOutcome } from "./exec/exec.js";
import { RUN_OPTIONS } from "./exec/lock-options.js";
import { tellOfOutage } from "./exec/outage.js";
import { planOf, type Plan } from "./exec/plan.js";
import { runUnder, type HeldLock, type Outcome, type RunSurroundings } from "./exec/run.js";
import { SignalWatch } from "./exec/signals.js";
import { StatusFeed } from "./exec/status-feed.js";
import { fingerprintOf } from "../operator/fingerprint.js";
import { ownerIdOfTerm } from "../manager/election/term.js";
import { checkNodesSeen, checkSameNodes } from "./nodes-changed.js";
import { printable, type Output } from "./output.js";
import { FLUSH_MS } from "./patient-writer.js";
import { pause } from "./until-signal.js";

/** Pauses before a failed command is run again, ms: each twice the previous one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** How often the leader is queried, ms. */
const OBSERVE_MS = 1_000;

const ELECT_OPTIONS = {
  "on-exit": choice(["again", "stop"], {
    help: "what to do when the command ends on its own [stop after exit code 0, else again]",
  }),
  observe: flag({
    help: "print the leader, asked for every second, whenever it changes; run nothing",
  }),
  ...RUN_OPTIONS,
} as const;

export const elect = defineCommand({
  name: "elect",
  summary: "Run a command on one of many machines, repeatedly; the others are on standby",
  synopsis: "NAME [OPTIONS] -- COMMAND [ARG...]",
  words: { min: 1, max: 1, title: "one NAME" },
  takesCommand: true,
  options: ELECT_OPTIONS,
  notes: `
Start it on every machine. One becomes leader and runs the command, as \`quorate exec\` does; the others
wait. If the leader stops, or loses the lock, its command is stopped and another machine becomes leader. A
command that fails is run again by the next leader, after 1 s, 2 s, ... 30 s. TERM, INT and QUIT are
forwarded to the command and end the election.`,
  examples: ["quorate elect scheduler -- /usr/bin/scheduler", "quorate elect scheduler --observe"],
  async run(call) {
    if (call.values.observe === true) return await observe(call);
    const name = call.words[0] ?? "";
    const plan = await planOf(call, { names: [name], isElection: true });
    const { output, env } = call;
    using watch = new SignalWatch();
    const around = { env, output, feed: new StatusFeed(plan.statusFd), watch };
    try {
      const code = await withConnection(plan.settings, call, (locks) =>
        lead(locks, name, call.values, plan, around),
      );
      return code ?? watch.endedBy ?? "SIGTERM";
    } finally {
      await around.feed.flush(FLUSH_MS);
    }
  },
});

/** Campaigns until the command should not run again. @returns undefined if a signal ended it */
async function lead(
  locks: LockManager,
  name: string,
  { "on-exit": onExit, "nodes-changed": isChanged }: Call<typeof ELECT_OPTIONS>["values"],
  plan: Plan,
  around: RunSurroundings,
): Promise<ExitCode | undefined> {
  const { output, feed, watch } = around;
  using _ = tellOfOutage(locks, output);
  const reruns = new Reruns();
  await checkNodesSeen(locks, isChanged, plan.settings.lease.nodeTimeoutMs, watch.aborted);
  for (;;) {
    feed.tell({ event: "waiting" });
    const election = locks.elect(name, { signal: watch.aborted });
    const { value: term } = await election.next();
    if (term === undefined) return undefined;
    try {
      checkSameNodes(locks, isChanged);
    } catch (error) {
      await election.return();
      throw error;
    }
    feed.tell({ event: "acquired", fencingToken: term.fencingToken, validMs: term.remainingMs });
    output.note(`now leading ${printable(name)}, fencing token ${term.fencingToken}`);
    const startMs = performance.now();
    const held = heldOf(locks, term, plan.settings.lease.label);
    const outcome = await runUnder(held, plan, around);
    await election.return();
    if (watch.hasToEnd || isLast(outcome, onExit)) return codeOfOutcome(outcome);
    const pauseMs = reruns.pauseAfter(performance.now() - startMs);
    output.note(`${endText(outcome)}; candidate again in ${durationText(pauseMs)}`);
    await pause(pauseMs, watch.aborted);
    if (watch.endedBy !== undefined) return undefined;
  }
}

/** How long to wait before a command is run again: longer each time, but for one that ran for a while. */
export class Reruns {
  #nextMs = FIRST_PAUSE_MS;

  /** The pause now, ms. @param ranMs how long the command ran */
  pauseAfter(ranMs: number): number {
    const pauseMs = ranMs > LONGEST_PAUSE_MS ? FIRST_PAUSE_MS : this.#nextMs;
    this.#nextMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    return pauseMs;
  }
}

/** Whether the command should not run again. */
export function isLast({ ending, isLost }: Outcome, onExit: "again" | "stop" | undefined): boolean {
  if (onExit !== undefined) return onExit === "stop";
  return !isLost && ending.kind === "exit" && ending.code === 0;
}

function endText({ ending, isLost }: Outcome): string {
  if (isLost) return "leadership was lost";
  return `the command ended ${ending.kind === "exit" ? `with exit code ${ending.code}` : `by ${ending.signal}`}`;
}

function heldOf(locks: LockManager, term: Term, label: string): HeldLock {
  const { name, fencingToken } = term;
  return {
    ...{ locks, lease: term, names: [name], mode: "exclusive", permit: undefined },
    ...{ label, fencingToken },
    fingerprint: fingerprintOf(ownerIdOfTerm(term)),
    release: () => term.resign(),
  };
}

/** Prints the leader until a signal arrives. */
async function observe(call: Call<typeof ELECT_OPTIONS>): Promise<ExitCode> {
  const { words, command, output } = call;
  if (command !== undefined)
    throw new UsageError("--observe does not run a command: remove -- and everything after it");
  const name = words[0] ?? "";
  const checked = await checkSettings(call, {}, { names: words });
  using watch = new SignalWatch();
  const show = async (locks: LockManager): Promise<void> => {
    let before: string | undefined;
    while (!watch.aborted.aborted && output.isRead) {
      const report = await locks.inspect(name);
      const now = leaderText(report);
      if (now !== before) printLeader(report, now, output);
      before = now;
      await pause(OBSERVE_MS, watch.aborted);
    }
  };
  await withConnection(checked, call, show, true);
  return watch.endedBy ?? EXIT.ok;
}

function leaderOf({ holders }: LockReport): LockReport["holders"][number] | undefined {
  return holders.find(({ isQuorate }) => isQuorate);
}

/** The same while the leader does not change. */
function leaderText(report: LockReport): string {
  const leader = leaderOf(report);
  if (leader === undefined)
    return report.state === "free" ? "no leader" : "leader unknown: no quorum";
  return `${leader.label ?? "(no label)"} (${leader.fingerprint}) leads`;
}

function printLeader(report: LockReport, text: string, output: Output): void {
  const { state } = report;
  const { label, fingerprint } = leaderOf(report) ?? {};
  if (output.isJson) output.json({ atMs: Date.now(), state, label, fingerprint });
  else output.print(`${new Date().toISOString()} ${printable(text)}`);
}
