import { expect } from "chai";
import { Deployment, type DeploymentWarning } from "../../src/channel/deployment.js";
import type { IncarnationRecord } from "../../src/protocol/incarnation.js";
import { QUARANTINE_MS, WINDOW_MS } from "../support/channel-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { handshakeReply } from "../support/scripted-transport.js";

/** An assembly whose members record what they are asked. */
class DeploymentBench {
  readonly clock = new ManualClock();
  readonly warnings: DeploymentWarning[] = [];
  /** By node: `handshake`, `open <id>`, `admit`. */
  readonly asked: string[][];
  readonly deployment: Deployment;

  constructor(nodeCount = 3, over: { isBootstrapOn?: boolean; isQuarantineOn?: boolean } = {}) {
    this.deployment = new Deployment(
      {
        nodeCount,
        maxTtlMs: 10_000,
        driftFactor: 0.01,
        isQuarantineOn: true,
        isBootstrapOn: true,
        windowMs: WINDOW_MS,
        warn: (warning) => this.warnings.push(warning),
        ...over,
      },
      this.clock,
    );
    this.asked = Array.from({ length: nodeCount }, () => []);
    for (const asked of this.asked) {
      this.deployment.join({
        handshake: (openId) => asked.push(openId === undefined ? "handshake" : `open ${openId}`),
        admit: () => asked.push("admit"),
      });
    }
  }

  handshake(
    index: number,
    state: IncarnationRecord["state"],
    over: Partial<IncarnationRecord> = {},
  ): void {
    const record = { id: `r${index}`, state, nodeCount: this.asked.length, ...over };
    this.deployment.onHandshake(index, handshakeReply(record, { runId: `run${index}` }));
  }

  handshakeAll(state: IncarnationRecord["state"]): void {
    this.asked.forEach((_, index) => this.handshake(index, state));
  }

  /** Takes what was asked since the last time. */
  take(): string[][] {
    return this.asked.map((asked) => asked.splice(0));
  }
}

describe("Deployment: a new deployment", () => {
  it("opens when all nodes were seen fresh twice, and admits them when all say they are open", () => {
    const bench = new DeploymentBench();
    bench.handshakeAll("fresh");
    expect(bench.take(), "the second look").to.deep.equal([
      ["handshake"],
      ["handshake"],
      ["handshake"],
    ]);
    bench.handshakeAll("fresh");
    expect(bench.take()).to.deep.equal([["open r0"], ["open r1"], ["open r2"]]);
    bench.handshake(1, "open");
    bench.handshake(0, "open");
    expect(bench.take(), "a vote now could be forgotten without a trace").to.deep.equal([
      [],
      [],
      [],
    ]);
    bench.handshake(2, "open");
    expect(bench.take()).to.deep.equal([["admit"], ["admit"], ["admit"]]);
    expect([0, 1, 2].map((index) => bench.deployment.quarantineLeftMs(index))).to.deep.equal([
      0, 0, 0,
    ]);
    bench.clock.advance(2 * WINDOW_MS);
    expect(bench.take().flat()).to.deep.equal([]);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("does not open on one look", () => {
    const bench = new DeploymentBench();
    bench.handshakeAll("fresh");
    bench.take();
    bench.handshake(0, "fresh");
    bench.handshake(1, "fresh");
    bench.handshake(1, "fresh");
    expect(bench.take().flat()).to.deep.equal([]);
  });

  it("does not open when a record was written anew between the looks", () => {
    const bench = new DeploymentBench();
    bench.handshakeAll("fresh");
    bench.take();
    bench.handshake(0, "fresh");
    bench.handshake(1, "fresh", { id: "another" });
    bench.handshake(2, "fresh");
    const asked = bench.take();
    expect(asked.flat().filter((what) => what.startsWith("open"))).to.deep.equal([]);
    for (const each of asked) expect(each).to.include("admit");
    for (const index of [0, 1, 2])
      expect(bench.deployment.quarantineLeftMs(index)).to.be.above(9_000);
  });

  it("does not open when a node was opened by another between the looks", () => {
    const bench = new DeploymentBench();
    bench.handshakeAll("fresh");
    bench.take();
    bench.handshake(0, "open");
    bench.handshake(1, "fresh");
    bench.handshake(2, "fresh");
    expect(
      bench
        .take()
        .flat()
        .filter((what) => what.startsWith("open")),
    ).to.deep.equal([]);
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(0);
  });

  it("polls the others while another client opens the deployment", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "open");
    bench.handshake(1, "fresh");
    bench.handshake(2, "fresh");
    expect(bench.take()).to.deep.equal([[], [], []]);
    bench.clock.advance(50);
    expect(bench.take()).to.deep.equal([["handshake"], ["handshake"], ["handshake"]]);
    bench.handshake(1, "open");
    bench.handshake(2, "open");
    expect(bench.take()).to.deep.equal([["admit"], ["admit"], ["admit"]]);
    bench.clock.advance(2 * WINDOW_MS);
    expect(bench.take()).to.deep.equal([[], [], []]);
  });

  it("opens again where the message that opened was lost", () => {
    const bench = new DeploymentBench();
    bench.handshakeAll("fresh");
    bench.handshakeAll("fresh");
    bench.take();
    bench.handshake(0, "open");
    bench.clock.advance(50);
    expect(bench.take()).to.deep.equal([["open r0"], ["open r1"], ["open r2"]]);
  });

  it("admits an open node whose fellows are missing once its record has grown old", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "open");
    bench.clock.advance(50);
    expect(bench.take()).to.deep.equal([["handshake"], [], []]);
    bench.handshake(0, "open", { writtenMs: -WINDOW_MS - 1 });
    expect(bench.take()).to.deep.equal([["admit"], [], []]);
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(0);
  });

  it("does not trust an open node whose clock stands still and whose fellows are missing", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "open");
    bench.clock.advance(2 * WINDOW_MS);
    expect(bench.take()[0]).to.include("admit");
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(QUARANTINE_MS);
  });

  it("admits into quarantine when a node is missing past the window", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "fresh");
    bench.handshake(1, "fresh");
    bench.clock.advance(2 * WINDOW_MS - 1);
    expect(bench.take().flat()).not.to.include("admit");
    bench.clock.advance(1);
    expect(bench.take()).to.deep.equal([["admit"], ["admit"], []]);
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(QUARANTINE_MS - 2 * WINDOW_MS);
    bench.handshake(2, "fresh");
    expect(bench.take()).to.deep.equal([[], [], ["admit"]]);
    expect(bench.deployment.quarantineLeftMs(2)).to.equal(QUARANTINE_MS);
  });

  it("admits all at once, in quarantine, when one node turns out to have a past", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "fresh");
    bench.handshake(1, "forgot");
    expect(bench.take()).to.deep.equal([["admit"], ["admit"], []]);
    bench.handshake(2, "open", { writtenMs: 0 });
    expect(bench.take()).to.deep.equal([[], [], ["admit"]]);
    expect([0, 1, 2].map((index) => bench.deployment.quarantineLeftMs(index))).to.deep.equal([
      QUARANTINE_MS,
      QUARANTINE_MS,
      0,
    ]);
  });

  for (const { title, over, leftMs } of [
    { title: "bootstrap is explicit", over: { isBootstrapOn: false }, leftMs: QUARANTINE_MS },
    { title: "quarantine is off", over: { isQuarantineOn: false }, leftMs: 0 },
  ]) {
    it(`waits for nobody where ${title}`, () => {
      const bench = new DeploymentBench(3, over);
      bench.handshake(0, "fresh");
      expect(bench.take()).to.deep.equal([["admit"], [], []]);
      expect(bench.deployment.quarantineLeftMs(0)).to.equal(leftMs);
    });
  }

  it("leaves no node waiting past a window that begins after an earlier one was called off", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "fresh");
    bench.handshake(0, "open");
    bench.handshake(1, "open");
    bench.take();
    bench.handshake(2, "fresh");
    bench.clock.advance(10 * WINDOW_MS);
    expect(bench.take()[2]).to.include("admit");
  });

  it("does nothing any more once closed", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "fresh");
    bench.deployment.close();
    bench.clock.advance(WINDOW_MS);
    expect(bench.take().flat()).to.deep.equal([]);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("does not look again for who may open a node, once closed", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "fresh");
    bench.clock.advance(2 * WINDOW_MS);
    expect(bench.take()[0]).to.include("admit");
    expect(bench.clock.timerCount).to.equal(1);
    bench.deployment.close();
    expect(bench.clock.timerCount).to.equal(0);
  });
});

describe("Deployment: quarantine", () => {
  it("counts from the node's own time for a client that starts only now", () => {
    const bench = new DeploymentBench(1, { isBootstrapOn: false });
    bench.handshake(0, "forgot", { writtenMs: 1_000_000 - 4_000 });
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(QUARANTINE_MS - 3_000);
  });

  it("counts from the moment of seeing for a client that saw it, whatever the node's clock says", () => {
    const bench = new DeploymentBench(1);
    bench.handshake(0, "open");
    bench.handshake(0, "forgot", { id: "new", writtenMs: 0 });
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(QUARANTINE_MS);
    bench.clock.advance(5_000);
    bench.handshake(0, "forgot", { id: "new", writtenMs: 0 });
    expect(
      bench.deployment.quarantineLeftMs(0),
      "another handshake does not begin it anew",
    ).to.equal(QUARANTINE_MS - 5_000);
  });

  it("is not lifted by a record that was opened after this client saw the node forget", () => {
    const bench = new DeploymentBench(1);
    bench.handshake(0, "open");
    bench.handshake(0, "fresh", { id: "new" });
    bench.handshake(0, "open", { id: "new" });
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(QUARANTINE_MS);
    expect(bench.take()[0]).to.not.include("open new");
  });

  it("lasts as long as the largest maxTtlMs on any node's record", () => {
    const bench = new DeploymentBench(3);
    bench.handshake(0, "open");
    bench.handshake(1, "open", { maxTtlMs: 60_000 });
    bench.handshake(2, "open");
    bench.deployment.onForgot(0);
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(60_602);
  });

  it("asks the others again when a node forgot: they have the longest ttl on record", () => {
    const bench = new DeploymentBench(3);
    bench.handshakeAll("open");
    bench.take();
    bench.handshake(0, "forgot", { id: "new" });
    expect(bench.take()).to.deep.equal([["admit"], ["handshake"], ["handshake"]]);
    bench.handshake(1, "open", { maxTtlMs: 60_000 });
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(60_602);
  });

  it("is void where it is off", () => {
    const bench = new DeploymentBench(1, { isQuarantineOn: false });
    bench.handshake(0, "forgot");
    bench.deployment.onForgot(0);
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(0);
  });

  it("never holds a node that keeps no record", () => {
    const bench = new DeploymentBench(1);
    bench.handshake(0, "unkept");
    expect(bench.take()).to.deep.equal([["admit"]]);
    expect(bench.deployment.quarantineLeftMs(0)).to.equal(0);
  });
});

describe("Deployment: who is who", () => {
  it("finds a server that is given twice, and no node a duplicate of itself", () => {
    const bench = new DeploymentBench(3);
    bench.handshake(0, "open");
    expect(bench.deployment.duplicateOf(1, "run0")).to.equal(0);
    expect(bench.deployment.duplicateOf(1, "run1")).to.equal(undefined);
    expect(bench.deployment.duplicateOf(0, "run0")).to.equal(undefined);
  });

  it("goes by the server that a node was last", () => {
    const bench = new DeploymentBench(2);
    bench.handshake(0, "open");
    bench.deployment.onHandshake(
      0,
      handshakeReply({ id: "new", state: "forgot" }, { runId: "run9" }),
    );
    expect(bench.deployment.duplicateOf(1, "run0")).to.equal(undefined);
    expect(bench.deployment.duplicateOf(1, "run9")).to.equal(0);
  });

  it("warns of a record with another node count, naming both", () => {
    const bench = new DeploymentBench(3);
    bench.handshake(1, "open", { nodeCount: 5 });
    expect(bench.warnings).to.have.length(1);
    expect(bench.warnings[0]).to.include({ kind: "nodeCount", index: 1 });
    expect(bench.warnings[0]?.message).to.include("5").and.include("3");
    bench.handshake(2, "open");
    expect(bench.warnings).to.have.length(1);
  });

  it("knows whether a record of the node was seen", () => {
    const bench = new DeploymentBench(2);
    bench.handshake(1, "open");
    expect([0, 1].map((index) => bench.deployment.hasRecord(index))).to.deep.equal([false, true]);
  });
});
