import { expect } from "chai";
import { getEventListeners } from "node:events";
import { readinessOf } from "../../src/channel/channel-state.js";
import { ClosedError, NotReadyError } from "../../src/api/errors.js";
import { MisconfiguredError } from "../../src/api/node-errors.js";
import type { NodeState, NodeStatus } from "../../src/api/events.js";
import type { ReadyOptions } from "../../src/api/locks.js";
import { untilReady } from "../../src/manager/ready.js";
import { ManualClock } from "../support/manual-clock.js";
import { rejectionOf, rejectionWith } from "../support/settle.js";

/** Nodes whose states are the test's. */
class Nodes {
  isClosed = false;
  readonly clock = new ManualClock();
  readonly waiting = new Set<() => void>();
  readonly settling = new Set<number>();
  readonly listedTwice = new Set<number>();
  #states: NodeState[];

  constructor(...states: NodeState[]) {
    this.#states = states;
  }

  get nodes(): NodeStatus[] {
    return this.#states.map((state, index) => ({
      node: `node${index}:6379`,
      state,
      detail: `why ${index}`,
      quarantineLeftMs: 0,
      clockOffsetMs: undefined,
    }));
  }

  set(...states: NodeState[]): void {
    this.#states = states;
    this.tell();
  }

  tell(): void {
    for (const check of this.waiting) check();
  }

  ready(options: ReadyOptions = {}): Promise<void> {
    const behind = {
      clock: this.clock,
      waiting: this.waiting,
      isClosed: () => this.isClosed,
      readiness: () =>
        this.#states.map((state, at) =>
          readinessOf(state, this.settling.has(at), this.listedTwice.has(at)),
        ),
    };
    return untilReady(this, behind, options);
  }
}

/** Whether it has settled by now, and how. */
function watch(promise: Promise<void>): { readonly outcome: () => unknown } {
  let outcome: unknown = "pending";
  promise.then(
    () => (outcome = "ready"),
    (error: unknown) => (outcome = error),
  );
  return { outcome: () => outcome };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("untilReady", () => {
  async function pass({ clock }: Nodes, ms: number): Promise<void> {
    clock.advance(ms);
    await turn();
  }

  it("resolves with a quorum, or with all of them", async () => {
    const nodes = new Nodes("ready", "connecting", "down");
    const [quorum, all] = [watch(nodes.ready()), watch(nodes.ready({ all: true }))];
    await turn();
    expect([quorum.outcome(), all.outcome()]).to.deep.equal(["pending", "pending"]);
    nodes.set("ready", "ready", "down");
    await turn();
    expect([quorum.outcome(), all.outcome()]).to.deep.equal(["ready", "pending"]);
    nodes.set("ready", "ready", "ready");
    await turn();
    expect(all.outcome()).to.equal("ready");
    await nodes.ready({ timeoutMs: 0 });
  });

  it("rejects as soon as too many nodes for a quorum are misconfigured, with all nodes", async () => {
    const nodes = new Nodes("connecting", "misconfigured", "ready");
    const { outcome } = watch(nodes.ready());
    await turn();
    expect(outcome()).to.equal("pending");
    nodes.set("misconfigured", "misconfigured", "ready");
    await turn();
    const error = outcome() as MisconfiguredError;
    expect(error).to.be.instanceOf(MisconfiguredError);
    expect(error.nodes).to.deep.equal(nodes.nodes);
    // No vote was asked for, so there is no tally of votes.
    expect(error.message).to.equal(
      "nodes are misconfigured (node0:6379: why 0; node1:6379: why 1). " +
        "Mend them: `locks.nodes` has the reason for each",
    );
    expect(error.votes).to.deep.equal([]);
  });

  // Each node is unknown at first; then one after the other is seen.
  for (const order of ["012", "021", "102", "120", "201", "210"]) {
    it(`does without a misconfigured minority, seen in the order ${order}`, async () => {
      const inTheEnd: readonly NodeState[] = ["ready", "ready", "misconfigured"];
      const nodes = new Nodes("connecting", "connecting", "connecting");
      const [quorum, all] = [watch(nodes.ready()), watch(nodes.ready({ all: true }))];
      const states: NodeState[] = nodes.nodes.map(({ state }) => state);
      for (const index of order.split("").map(Number)) {
        states[index] = inTheEnd[index] ?? "down";
        nodes.set(...states);
        await turn();
      }
      expect(quorum.outcome()).to.equal("ready");
      expect(all.outcome()).to.be.instanceOf(MisconfiguredError);
    });
  }

  it("rejects a list with a server in it twice, even if there is a quorum", async () => {
    const nodes = new Nodes("ready", "misconfigured", "ready");
    nodes.listedTwice.add(1);
    await rejectionWith(MisconfiguredError, nodes.ready());
    // It has been set right, and waits to be admitted.
    nodes.settling.add(1);
    await nodes.ready();
    nodes.settling.delete(1);
    nodes.set("ready", "down", "ready");
    await nodes.ready();
  });

  it("gives up after 10 s, with the state of every node and why", async () => {
    const nodes = new Nodes("ready", "down", "suspected");
    const { outcome } = watch(nodes.ready());
    await pass(nodes, 9_999);
    expect(outcome()).to.equal("pending");
    await pass(nodes, 1);
    const error = outcome() as NotReadyError;
    expect(error).to.be.instanceOf(NotReadyError);
    expect(error.code).to.equal("QUORATE_NOT_READY");
    expect(error.nodes).to.deep.equal(nodes.nodes);
    expect(error.message)
      .to.match(/^1 of 3 nodes vote after \d+ ms, 2 are needed/)
      .and.include("node1:6379 is down: why 1")
      .and.include("node2:6379 is suspected: why 2")
      .and.not.include("node0");
  });

  it("gives up after timeoutMs, whatever is to come", async () => {
    const nodes = new Nodes("quarantined", "quarantined", "ready");
    nodes.settling.add(0).add(1);
    const { outcome } = watch(nodes.ready({ timeoutMs: 50 }));
    await pass(nodes, 49);
    expect(outcome()).to.equal("pending");
    await pass(nodes, 1);
    expect(outcome()).to.be.instanceOf(NotReadyError);
  });

  it("waits longer by default for nodes that will vote by themselves", async () => {
    const nodes = new Nodes("quarantined", "connecting", "down");
    nodes.settling.add(0).add(1);
    const { outcome } = watch(nodes.ready());
    await pass(nodes, 60_000);
    expect(outcome()).to.equal("pending");
    nodes.set("ready", "connecting", "down");
    await pass(nodes, 10_000);
    expect(outcome()).to.equal("pending");
    nodes.set("ready", "ready", "down");
    await turn();
    expect(outcome()).to.equal("ready");
  });

  it("waits for these no longer than there are enough of them, also if no event tells so", async () => {
    const nodes = new Nodes("quarantined", "connecting", "down");
    nodes.settling.add(0).add(1);
    const { outcome } = watch(nodes.ready());
    await pass(nodes, 10_000);
    expect(outcome()).to.equal("pending");
    nodes.settling.delete(1);
    await pass(nodes, 1_000);
    expect(outcome()).to.be.instanceOf(NotReadyError);
  });

  it("waits without limit if told to", async () => {
    const nodes = new Nodes("down");
    const { outcome } = watch(nodes.ready({ timeoutMs: Number.POSITIVE_INFINITY }));
    expect(nodes.clock.timerCount).to.equal(0);
    await pass(nodes, 2 ** 31);
    expect(outcome()).to.equal("pending");
  });

  const ENDS: Readonly<Record<string, (nodes: Nodes, controller: AbortController) => unknown>> = {
    "it is ready": (nodes) => nodes.set("ready"),
    "a node is misconfigured": (nodes) => nodes.set("misconfigured"),
    "the time is over": ({ clock }) => clock.advance(10_000),
    "it is called off": (_, controller) => controller.abort(),
    "the manager is closed": (nodes) => {
      nodes.isClosed = true;
      nodes.tell();
    },
  };
  for (const [what, end] of Object.entries(ENDS)) {
    it(`leaves no listener behind when ${what}`, async () => {
      const nodes = new Nodes("down");
      const controller = new AbortController();
      const { outcome } = watch(nodes.ready({ signal: controller.signal }));
      expect(nodes.waiting.size).to.equal(1);
      expect(getEventListeners(controller.signal, "abort")).to.have.length(1);
      end(nodes, controller);
      await turn();
      expect(outcome()).not.to.equal("pending");
      expect([nodes.waiting.size, nodes.clock.timerCount]).to.deep.equal([0, 0]);
      expect(getEventListeners(controller.signal, "abort")).to.have.length(0);
    });
  }

  it("names a signal that is none", async () => {
    for (const signal of [5, {}, new AbortController()]) {
      const error = await rejectionWith(TypeError, new Nodes("ready").ready({ signal } as never));
      expect(error.message).to.match(/^`signal` must be an AbortSignal, got /);
    }
  });

  it("rejects with the signal's reason, before and while it waits, and when closed", async () => {
    const reason = new Error("the caller's own");
    expect(
      await rejectionOf(new Nodes("ready").ready({ signal: AbortSignal.abort(reason) })),
    ).to.equal(reason);
    const controller = new AbortController();
    const waiting = new Nodes("down").ready({ signal: controller.signal });
    controller.abort(reason);
    expect(await rejectionOf(waiting)).to.equal(reason);
    const nodes = new Nodes("down");
    nodes.isClosed = true;
    await rejectionWith(ClosedError, nodes.ready());
  });

  for (const [options, message] of [
    [{ timeout: 5 }, /unknown option `timeout`: did you mean `timeoutMs`/],
    [{ all: 1 }, /`all` must be a boolean, got 1/],
    [{ timeoutMs: "5" }, /`timeoutMs` must be a number, got "5"/],
    [{ timeoutMs: Number.NaN }, /`timeoutMs` must be a number, got NaN/],
    [{ timeoutMs: -1 }, /`timeoutMs` must be at least 0 ms, got -1/],
  ] as const) {
    it(`refuses ${JSON.stringify(options)}`, async () => {
      const error = (await rejectionOf(new Nodes("ready").ready(options as object))) as Error;
      expect(error.message).to.match(message);
      expect([TypeError, RangeError]).to.include(error.constructor);
    });
  }
});
