import { EventEmitter } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { ChannelState } from "../../../src/channel/channel-state.js";
import { acquireFresh } from "../../../src/cli/exec/acquire-fresh.js";
import type { Lock, LockManager, LockReport } from "../../../src/index.js";

const LOCK = {} as Lock;
const NAMES = ["a", "b"];

const held = (): Error => Object.assign(new Error("held"), { code: "QUORATE_CONTENDED" });

class Manager extends EventEmitter {
  isReady = false;
  nodes: readonly { readonly state: ChannelState }[] = [{ state: "connecting" }];
  /** By name. */
  readonly states: Record<string, LockReport["state"]> = {};

  become(isReady: boolean, ...states: readonly ChannelState[]): void {
    this.isReady = isReady;
    this.nodes = states.map((state) => ({ state }));
    this.emit("node");
  }

  inspect(name: string): Promise<{ readonly state: LockReport["state"] }> {
    return Promise.resolve({ state: this.states[name] ?? "free" });
  }
}

/** What was asked for, and how it ended. */
interface Trial {
  readonly manager: Manager;
  readonly controller: AbortController;
  /** The waits of the attempts so far, ms. */
  readonly waits: (number | undefined)[];
  readonly outcome: Promise<unknown>;
}

function begin(waitMs: number, answer: () => Promise<Lock>, manager = new Manager()): Trial {
  const waits: (number | undefined)[] = [];
  const controller = new AbortController();
  const locks = manager as unknown as LockManager;
  const acquire = (ownMs: number | undefined): Promise<Lock> => {
    waits.push(ownMs);
    return answer();
  };
  const outcome = acquireFresh(locks, NAMES, waitMs, controller.signal, acquire).catch(
    (error: unknown) => error,
  );
  return { manager, controller, waits, outcome };
}

const granted = (): Promise<Lock> => Promise.resolve(LOCK);
const refused = (): Promise<Lock> => Promise.reject(held());

function readyManager(states: Manager["states"] = {}): Manager {
  const manager = new Manager();
  manager.become(true, "ready", "connecting");
  return Object.assign(manager, { states });
}

describe("The first acquire of a process", () => {
  it("waits for its nodes as for anything else, if it waits without a limit", async () => {
    const { waits, outcome } = begin(Number.POSITIVE_INFINITY, granted);
    expect(await outcome).to.equal(LOCK);
    expect(waits).to.deep.equal([Number.POSITIVE_INFINITY]);
  });

  const SETTLED: readonly (readonly [isReady: boolean, ...states: ChannelState[]])[] = [
    [true, "ready", "ready", "connecting"],
    [false, "down", "misconfigured", "quarantined"],
  ];
  for (const [isReady, ...states] of SETTLED) {
    for (const waitMs of [0, 60_000]) {
      it(`begins when nodes are ${states.join(", ")}, with a wait of ${waitMs} ms`, async () => {
        const { manager, waits, outcome } = begin(waitMs, granted);
        manager.become(false, "ready", "connecting", "connecting");
        await sleep(30);
        expect(waits).to.deep.equal([]);
        manager.become(isReady, ...states);
        expect(await outcome).to.equal(LOCK);
        expect(manager.listenerCount("node")).to.equal(0);
        expect(waits.length).to.equal(1);
        if (waitMs === 0) expect(waits[0]).to.equal(0);
        else expect(waits[0], "what is left of the wait").to.be.within(30_000, waitMs - 25);
      });
    }
  }

  it("asks once, however short the wait is, when the nodes have taken longer to answer", async () => {
    const { manager, waits, outcome } = begin(5, granted);
    await sleep(30);
    manager.become(true, "ready");
    expect(await outcome).to.equal(LOCK);
    expect(waits).to.deep.equal([1]);
  });

  it("ends its wait for nodes when it is aborted", async () => {
    const { manager, controller, outcome } = begin(60_000, refused);
    controller.abort();
    expect(await outcome).to.have.property("message", "held");
    expect(manager.listenerCount("node")).to.equal(0);
  });

  it("does not wait for nodes if it was aborted before", async () => {
    const locks = new Manager() as unknown as LockManager;
    const begun = acquireFresh(locks, NAMES, 60_000, AbortSignal.abort(), granted);
    expect(await begun).to.equal(LOCK);
  });

  const STANDING: readonly (readonly [
    what: string,
    states: Manager["states"],
    attempts: number,
  ])[] = [
    ["all of the names are held", { a: "held", b: "held" }, 1],
    ["only the first is", { a: "held", b: "free" }, 1],
    ["only the last is", { a: "free", b: "held" }, 1],
    ["votes are split", { a: "undecided", b: "free" }, 5],
    ["all are free again", {}, 5],
  ];
  for (const [what, states, attempts] of STANDING) {
    it(`makes ${attempts === 1 ? "one attempt" : "a few attempts"} without a wait where ${what}`, async () => {
      const { waits, outcome } = begin(0, refused, readyManager(states));
      expect(await outcome).to.have.property("message", "held");
      expect(waits).to.deep.equal(Array.from({ length: attempts }, () => 0));
    });
  }

  it("takes the lock that a later one of these attempts gets", async () => {
    let count = 0;
    const answer = (): Promise<Lock> => (++count === 3 ? granted() : refused());
    const { waits, outcome } = begin(0, answer, readyManager());
    expect(await outcome).to.equal(LOCK);
    expect(waits.length).to.equal(3);
  });

  it("does not try again after any other error", async () => {
    const error = Object.assign(new Error("down"), { code: "QUORATE_UNREACHABLE" });
    const { waits, outcome } = begin(0, () => Promise.reject(error), readyManager());
    expect(await outcome).to.equal(error);
    expect(waits.length).to.equal(1);
  });
});
