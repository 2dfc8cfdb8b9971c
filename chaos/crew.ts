import { fork, type ChildProcess, type ForkOptions } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { forgetChild, killWithParent } from "../src/testing/child-cleanup.js";
import { waitUntilStopped } from "../src/testing/process-state.js";
import type { Counts, FromClient, Job, ToClient } from "./client/messages.js";
import type { NowUs } from "./clock.js";
import type { ProcessRecord } from "./history/records.js";
import type { NodeList } from "./nodes.js";
import { PLANTS } from "./plants/table.js";
import type { Plant } from "./settings.js";
import type { Stores } from "./stores.js";

const REGISTER_PLANT = new URL("plants/register.js", import.meta.url).href;
const CLIENT = fileURLToPath(new URL("client/main.js", import.meta.url));

/** Time within which a client that was told to finish must have exited, ms. */
const FINISH_MS = 15_000;

/** Signals that end a process from a terminal. */
const INTERRUPTS: readonly (string | null)[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The exit code of a process, or null if a signal other than those ended it. */
type Ending = number | null | "interrupted";

/** The part of a client's job that is the same for all clients. */
export type CommonJob = Omit<Job, "kind" | "process" | "journal" | "nodes">;

export interface CrewPorts {
  readonly now: NowUs;
  readonly record: (record: ProcessRecord) => void;
  readonly stores: Stores;
  readonly onCounts: (counts: Counts) => void;
  /** Called when a client exits without having been killed or told to finish. */
  readonly onFailure: (error: Error) => void;
  readonly journalDir: string;
}

interface Member {
  readonly process: string;
  readonly child: ChildProcess;
  readonly exited: Promise<Ending>;
  /** Its exit is expected: it was killed, or told to finish. */
  isLeaving: boolean;
  isPaused: boolean;
}

/** How to start a client with the planted bug. */
function plantOptions(plant: Plant | undefined): ForkOptions {
  if (plant === undefined || PLANTS[plant].patches.length === 0) return {};
  return {
    execArgv: [...process.execArgv, `--import=${REGISTER_PLANT}`],
    env: { ...process.env, QUORATE_CHAOS_PLANT: plant },
  };
}

/** The client processes, one per seat; a killed one is replaced. */
export class Crew {
  readonly #job: CommonJob;
  readonly #plant: Plant | undefined;
  readonly #nodes: readonly NodeList[];
  readonly #ports: CrewPorts;
  readonly #seats: (Member | undefined)[];
  readonly #generations: number[];
  /** By seat: how long the client stays stopped after it has stopped itself, ms. */
  readonly #stopForMs = new Map<number, number>();
  readonly journals: string[] = [];

  /** @param nodes the nodes that each seat's client gets; one entry per seat */
  constructor(
    nodes: readonly NodeList[],
    job: CommonJob,
    ports: CrewPorts,
    plant: Plant | undefined,
  ) {
    this.#plant = plant;
    this.#nodes = nodes;
    this.#job = job;
    this.#ports = ports;
    this.#seats = nodes.map(() => undefined);
    this.#generations = nodes.map(() => 0);
  }

  /** Starts a new client on every empty seat. */
  fill(): void {
    this.#seats.forEach((member, seat) => {
      if (member === undefined) this.#seats[seat] = this.#fork(seat);
    });
  }

  async freeze(seat: number, rest: () => Promise<void>): Promise<void> {
    const member = this.#seats[seat];
    if (member === undefined || member.isLeaving || member.isPaused) return;
    member.isPaused = true;
    this.#tell(member, "pause");
    member.child.kill("SIGSTOP");
    await waitUntilStopped(member.child.pid ?? 0);
    await rest();
    this.#resume(member);
  }

  /** Makes the client stop itself between its next check and the write after it. */
  stopAfterCheck(seat: number, forMs: number): void {
    this.#stopForMs.set(seat, forMs);
    this.#send(this.#seats[seat], { kind: "stopAfterCheck" });
  }

  /** Sends SIGKILL, and starts a new client after the rest. */
  async kill(seat: number, rest: () => Promise<void>): Promise<void> {
    const member = this.#seats[seat];
    if (member === undefined || member.isLeaving) return;
    member.isLeaving = true;
    this.#tell(member, "crash");
    member.child.kill("SIGKILL");
    await member.exited;
    this.#seats[seat] = undefined;
    await rest();
    this.fill();
  }

  /** Continues all stopped processes. */
  resumeAll(): void {
    for (const member of this.#seats) if (member?.isPaused === true) this.#resume(member);
  }

  /** Lets all clients exit by themselves, and records those that did. The others are killed. */
  async finish(): Promise<void> {
    const members = this.#seats.filter((member) => member !== undefined);
    await Promise.all(members.map((member) => this.#dismiss(member)));
  }

  /** Kills all of them at once, after a failure. */
  destroy(): void {
    for (const member of this.#seats) {
      if (member === undefined) continue;
      member.isLeaving = true;
      member.child.kill("SIGKILL");
    }
  }

  async #dismiss(member: Member): Promise<void> {
    member.isLeaving = true;
    this.#send(member, { kind: "finish" });
    const timer = new AbortController();
    const late = sleep(FINISH_MS, "late" as const, { signal: timer.signal }).catch(() => null);
    const code = await Promise.race([member.exited, late]);
    timer.abort();
    if (code === 0) this.#tell(member, "exited");
    else if (code === "interrupted") return;
    else if (code === "late") member.child.kill("SIGKILL");
    else this.#ports.onFailure(new Error(`${member.process} ended with ${code} when it finished`));
  }

  #fork(seat: number): Member {
    const process = `c${seat}.${this.#generations[seat]}`;
    this.#generations[seat] = (this.#generations[seat] ?? 0) + 1;
    // In its own session, because Ctrl-C reaches the whole process group of the terminal.
    const child = fork(CLIENT, {
      detached: true,
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      ...plantOptions(this.#plant),
    });
    const { pid } = child;
    if (pid !== undefined) killWithParent(pid);
    const exited = new Promise<Ending>((resolve) => {
      child.once("exit", (code, signal) => {
        if (pid !== undefined) forgetChild(pid);
        const isInterrupted = INTERRUPTS.includes(signal);
        resolve(isInterrupted ? "interrupted" : code);
        if (isInterrupted) {
          // Ctrl-C came just as it was started, before it had its own session.
          member.isLeaving = true;
          this.#tell(member, "crash");
        } else if (!member.isLeaving) {
          this.#ports.onFailure(new Error(`${process} ended with ${code}, and nobody killed it`));
        }
      });
    });
    const member: Member = { process, child, exited, isLeaving: false, isPaused: false };
    child.once("error", (error) => this.#ports.onFailure(error));
    child.on("message", (message: FromClient) => this.#onMessage(seat, member, message));
    const journal = join(this.#ports.journalDir, `${process}.ndjson`);
    this.journals.push(journal);
    // It may be killed before it opens the file.
    writeFileSync(journal, "");
    const nodes = this.#nodes[seat] ?? [];
    this.#send(member, { kind: "job", ...this.#job, process, journal, nodes });
    return member;
  }

  #onMessage(seat: number, member: Member, message: FromClient): void {
    if (message.kind === "counts") this.#ports.onCounts(message);
    else if (message.kind === "store") {
      this.#send(member, this.#ports.stores.answer(member.process, message));
    } else {
      // It has stopped, or will within a moment.
      member.isPaused = true;
      this.#tell(member, "pause");
      const timer = setTimeout(() => this.#resume(member), this.#stopForMs.get(seat) ?? 0);
      void member.exited.then(() => clearTimeout(timer));
    }
  }

  #resume(member: Member): void {
    if (!member.isPaused) return;
    member.isPaused = false;
    member.child.kill("SIGCONT");
    this.#tell(member, "resume");
  }

  #send(member: Member | undefined, message: ToClient): void {
    // A process that is gone needs no answer; a write to it may fail at any time.
    if (member?.child.connected === true) member.child.send(message, () => {});
  }

  #tell({ process }: Member, what: ProcessRecord["what"]): void {
    this.#ports.record({ kind: "process", atUs: this.#ports.now(), process, what });
  }
}
