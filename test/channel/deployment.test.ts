import { expect } from "chai";
import { Deployment, type DeploymentWarning } from "../../src/channel/deployment.js";
import type { Handshake } from "../../src/channel/node-connection.js";
import type { RecordOrder } from "../../src/channel/transport.js";
import { nodeListText, type ListedNode } from "../../src/protocol/node-list.js";
import type { IncarnationRecord } from "../../src/protocol/record.js";
import { QUARANTINE_MS, WINDOW_MS } from "../support/channel-bench.js";
import { ManualClock } from "../support/manual-clock.js";
import { handshakeReply } from "../support/scripted-transport.js";

const IDS = "r0 r1 r2";
const MARK = (index: number): string => `mark r${index}: ${IDS}`;

function textOf(order: RecordOrder | undefined): string {
  switch (order?.becomes) {
    case undefined:
      return "handshake";
    case "fresh":
      return "write";
    case "opening":
      return `mark ${order.id}: ${order.fellows}`;
    case "open":
      return `open ${order.id}`;
    case "attested":
      return `attest ${order.id} above ${order.topFence}`;
  }
}

function listOf(count: number): readonly ListedNode[] {
  return Array.from({ length: count }, (_, at) => ({ id: `node${at}`, name: `n${at}:6379` }));
}

/** A deployment whose members record what they are asked. */
class DeploymentBench {
  readonly clock = new ManualClock();
  readonly warnings: DeploymentWarning[] = [];
  /** By node: `handshake`, `write`, `mark <id>`, `open <id>`, `attest <id>`, `admit`. */
  readonly asked: string[][];
  readonly deployment: Deployment;

  constructor(nodeCount = 3, over: { isBootstrapOn?: boolean; isQuarantineOn?: boolean } = {}) {
    this.deployment = new Deployment(
      {
        nodeCount,
        keyPrefix: "lock:",
        names: listOf(nodeCount).map(({ name }) => name),
        isLooking: false,
        ...{ maxTtlMs: 10_000, raisesTtl: true, firstTtlMs: 10_000, usualTtlMs: 10_000 },
        clockStepMs: 0,
        driftFactor: 0.01,
        isQuarantineOn: true,
        isBootstrapOn: true,
        windowMs: WINDOW_MS,
        warn: (warning) => this.warnings.push(warning),
        onCorrection: () => {},
        ...over,
      },
      this.clock,
    );
    this.asked = Array.from({ length: nodeCount }, () => []);
    for (const asked of this.asked) {
      this.deployment.join({
        handshake: (order) => asked.push(textOf(order)),
        admit: () => asked.push("admit"),
      });
    }
  }

  handshake(
    index: number,
    state: IncarnationRecord["state"],
    over: Partial<IncarnationRecord> = {},
    ownSinceMs?: number,
  ): void {
    const fellows = state === "opening" || state === "open" ? IDS : "";
    const nodeCount = this.asked.length;
    const nodeId = `node${index}`;
    const record = { id: `r${index}`, state, nodeCount, fellows, nodeId, ...over };
    const nodeList = nodeListText(listOf(nodeCount));
    const seen = { runId: `run${index}`, sentSteadyMs: this.clock.steady(), nodeList };
    this.deployment.onHandshake(index, handshakeReply(record, seen), ownSinceMs);
  }

  handshakeAll(
    state: IncarnationRecord["state"],
    { own = [] }: { readonly own?: readonly number[] } = {},
  ): void {
    this.asked.forEach((_, index) => {
      this.handshake(index, state, {}, own.includes(index) ? this.clock.now() : undefined);
    });
  }

  /** It has no record. */
  absent(index: number): void {
    const sentSteadyMs = this.clock.steady();
    const seen = {
      ...handshakeReply({}, { runId: `run${index}`, sentSteadyMs }),
      record: undefined,
    };
    this.deployment.onHandshake(index, seen, undefined);
  }

  /** A handshake finds that its record is gone. */
  lost(index: number): void {
    expect(this.deployment.isLost(index)).to.equal(true);
    this.deployment.onLost(index, this.clock.steady());
  }

  absentAll(indexes: readonly number[]): void {
    for (const index of indexes) this.absent(index);
  }

  left(): number[] {
    return this.asked.map((_, index) => this.deployment.quarantine.leftMs(index));
  }

  /** Takes what was asked since the last time. */
  take(): string[][] {
    return this.asked.map((asked) => asked.splice(0));
  }
}

describe("Deployment: a new deployment", () => {
  it("gets records once all nodes were seen, marks from who wrote them, and votes when it is open", () => {
    const bench = new DeploymentBench();
    bench.absentAll([0, 1]);
    expect(bench.take(), "one is missing").to.deep.equal([[], [], []]);
    bench.absent(2);
    expect(bench.take()).to.deep.equal([["write"], ["write"], ["write"]]);
    bench.handshakeAll("fresh", { own: [0, 1, 2] });
    expect(bench.take()).to.deep.equal([[MARK(0)], [MARK(1)], [MARK(2)]]);
    bench.handshakeAll("opening");
    expect(bench.take()).to.deep.equal([["open r0"], ["open r1"], ["open r2"]]);
    bench.handshake(1, "open");
    expect(bench.take(), "it was opened when all were marked").to.deep.equal([[], ["admit"], []]);
    bench.handshake(0, "open");
    bench.handshake(2, "open");
    expect(bench.take()).to.deep.equal([["admit"], [], ["admit"]]);
    expect(bench.left()).to.deep.equal([0, 0, 0]);
    bench.clock.advance(2 * WINDOW_MS);
    expect(bench.take().flat()).to.deep.equal([]);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("marks only what this client wrote, and waits for those who wrote the rest", () => {
    const bench = new DeploymentBench();
    bench.absentAll([0, 1, 2]);
    bench.take();
    bench.handshakeAll("fresh", { own: [1] });
    expect(bench.take()).to.deep.equal([[], [MARK(1)], []]);
    bench.handshake(1, "opening");
    bench.clock.advance(50);
    expect(bench.take()).to.deep.equal([["handshake"], ["handshake"], ["handshake"]]);
    bench.handshakeAll("opening");
    expect(bench.take()).to.deep.equal([["open r0"], ["open r1"], ["open r2"]]);
  });

  it("does not mark what it wrote longer ago than the window, also where the machine slept", () => {
    const bench = new DeploymentBench();
    bench.absentAll([0, 1, 2]);
    bench.take();
    bench.handshake(0, "fresh", {}, bench.clock.now());
    bench.clock.suspend(WINDOW_MS + 1);
    bench.handshake(1, "fresh", {}, bench.clock.now());
    bench.handshake(2, "fresh", {}, bench.clock.now());
    expect(bench.take()).to.deep.equal([[], [MARK(1)], [MARK(2)]]);
  });

  it("does not mark when a record was written anew meanwhile", () => {
    const bench = new DeploymentBench();
    bench.absentAll([0, 1, 2]);
    bench.handshake(1, "fresh", { id: "first" }, 0);
    bench.take();
    bench.handshake(0, "fresh", {}, 0);
    bench.handshake(1, "fresh", { id: "another" });
    bench.handshake(2, "fresh", {}, 0);
    const asked = bench.take();
    expect(asked.flat().filter((what) => what.startsWith("mark"))).to.deep.equal([]);
    for (const each of asked) expect(each).to.include("admit");
    for (const leftMs of bench.left()) expect(leftMs).to.be.above(9_000);
  });

  it("asks a node once until it has answered", () => {
    const bench = new DeploymentBench();
    bench.absentAll([0, 1, 2]);
    expect(bench.take()).to.deep.equal([["write"], ["write"], ["write"]]);
    bench.handshake(0, "fresh", {}, 0);
    bench.clock.advance(200);
    expect(bench.take()).to.deep.equal([["handshake"], [], []]);
  });

  it("opens what another client marked and left", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "open");
    bench.handshake(1, "opening");
    expect(bench.take(), "as all were marked").to.deep.equal([["admit"], ["open r1"], []]);
    bench.handshake(2, "opening");
    expect(bench.take()).to.deep.equal([[], [], ["open r2"]]);
  });

  it("looks once more at a node that was asked before another was seen open", () => {
    const bench = new DeploymentBench();
    bench.handshake(1, "fresh");
    bench.clock.advance(1);
    bench.handshake(0, "open");
    expect(bench.take()[1]).to.deep.equal([]);
    bench.clock.advance(49);
    expect(bench.take()[1]).to.deep.equal(["handshake"]);
    bench.handshake(1, "opening");
    expect(bench.take()[1]).to.deep.equal(["open r1"]);
  });

  it("votes where it is open, whoever is missing", () => {
    const bench = new DeploymentBench();
    bench.handshake(0, "open");
    expect(bench.take()).to.deep.equal([["admit"], [], []]);
    expect(bench.left()[0]).to.equal(0);
  });

  it("gets its records when a node is missing past the window, and is quarantined", () => {
    const bench = new DeploymentBench();
    bench.absentAll([0, 1]);
    bench.clock.advance(WINDOW_MS - 1);
    bench.absentAll([0, 1]);
    expect(bench.take().flat()).not.to.include("write");
    bench.clock.advance(1);
    expect(bench.take(), "what others had").to.deep.equal([
      ["handshake"],
      ["handshake"],
      ["handshake"],
    ]);
    bench.lost(0);
    bench.lost(1);
    bench.clock.advance(499);
    expect(bench.take().flat(), "the third may answer").to.deep.equal([]);
    bench.clock.advance(1);
    expect(bench.take()).to.deep.equal([["write"], ["write"], []]);
    bench.handshake(0, "fresh", {}, bench.clock.now());
    bench.handshake(1, "fresh", {}, bench.clock.now());
    expect(bench.take()).to.deep.equal([["admit"], ["admit"], []]);
    expect(bench.left().slice(0, 2)).to.deep.equal([QUARANTINE_MS, QUARANTINE_MS]);
    bench.handshake(2, "fresh", {}, bench.clock.now());
    expect(bench.take(), "it is over").to.deep.equal([[], [], ["admit"]]);
    expect(bench.left()[2]).to.equal(QUARANTINE_MS);
  });

  it("has another window once all nodes were seen, and no third one", () => {
    const bench = new DeploymentBench();
    bench.absentAll([0, 1]);
    bench.clock.advance(WINDOW_MS - 1);
    bench.absent(2);
    bench.handshakeAll("fresh");
    bench.clock.advance(WINDOW_MS - 1);
    expect(bench.take().flat()).not.to.include("admit");
    bench.handshake(0, "opening");
    bench.clock.advance(1);
    expect(
      bench
        .take()
        .flat()
        .filter((what) => what === "admit"),
    ).to.have.length(3);
  });

  it("gets its records at once, and is quarantined, when one node turns out to have a past", () => {
    const bench = new DeploymentBench();
    bench.absent(0);
    bench.handshake(1, "forgot");
    expect(bench.take()).to.deep.equal([[], ["admit", "handshake"], ["handshake"]]);
    bench.clock.advance(500);
    expect(bench.take()[0]).to.deep.equal(["write"]);
    bench.handshake(0, "fresh");
    bench.handshake(2, "attested", { writtenMs: 0 });
    expect(bench.take()).to.deep.equal([["admit"], [], ["admit"]]);
    expect(bench.left()).to.deep.equal([QUARANTINE_MS, QUARANTINE_MS - 500, 0]);
  });

  for (const { title, over, leftMs } of [
    { title: "bootstrap is explicit", over: { isBootstrapOn: false }, leftMs: QUARANTINE_MS },
    { title: "quarantine is off", over: { isQuarantineOn: false }, leftMs: 0 },
  ]) {
    it(`waits for nobody where ${title}`, () => {
      const bench = new DeploymentBench(3, over);
      bench.handshake(0, "fresh");
      expect(bench.take()).to.deep.equal([["admit"], [], []]);
      expect(bench.deployment.quarantine.leftMs(0)).to.equal(leftMs);
    });
  }

  it("does nothing any more once closed", () => {
    const bench = new DeploymentBench();
    bench.absentAll([0, 1]);
    bench.take();
    bench.deployment.close();
    bench.clock.advance(WINDOW_MS);
    expect(bench.take().flat()).to.deep.equal([]);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("does not look again whether others opened or attested a node, once closed", () => {
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
  for (const { title, over } of [
    { title: "its clock was set right by an hour", over: { writtenMs: 1_000_000 - 3_600_000 } },
    { title: "its record is from the future", over: { writtenMs: 9_000_000, writerMs: 0 } },
  ]) {
    it(`counts from its own first sight for a client that starts only now: ${title}`, () => {
      const bench = new DeploymentBench(1);
      bench.handshake(0, "forgot", over);
      expect(bench.left()).to.deep.equal([QUARANTINE_MS]);
      bench.clock.advance(4_000);
      bench.handshake(0, "forgot", over);
      expect(bench.left()).to.deep.equal([QUARANTINE_MS - 4_000]);
    });
  }

  it("is over where another client has watched the node for so long, also for one that saw the change", () => {
    const bench = new DeploymentBench(2);
    bench.handshake(0, "forgot");
    bench.handshake(1, "open");
    bench.handshake(1, "forgot", { id: "new" });
    expect(bench.left()).to.deep.equal([QUARANTINE_MS, QUARANTINE_MS]);
    bench.handshake(0, "attested");
    bench.handshake(1, "attested", { id: "new" });
    expect(bench.left()).to.deep.equal([0, 0]);
    expect(bench.clock.timerCount).to.equal(1);
    bench.clock.advance(1_000);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("is looked at every half a second, whether others have watched it for longer", () => {
    const bench = new DeploymentBench(1);
    bench.handshake(0, "forgot");
    expect(bench.take()).to.deep.equal([["admit"]]);
    bench.clock.advance(499);
    expect(bench.take()).to.deep.equal([[]]);
    bench.clock.advance(1);
    expect(bench.take()).to.deep.equal([["handshake"]]);
    bench.clock.advance(2_000);
    expect(bench.take(), "it has not answered").to.deep.equal([[]]);
    bench.handshake(0, "forgot");
    bench.clock.advance(500);
    expect(bench.take()).to.deep.equal([["admit", "handshake"]]);
  });

  it("ends on the node's record first: not a moment before it was watched for the longest lease", () => {
    const bench = new DeploymentBench(1);
    bench.handshake(0, "open");
    bench.handshake(0, "forgot", { id: "new" });
    bench.take();
    bench.clock.advance(QUARANTINE_MS - 1);
    expect(bench.take()).to.deep.equal([[]]);
    bench.clock.advance(1);
    expect(bench.take()).to.deep.equal([["attest new above 0"]]);
    expect(bench.left()[0], "until the node has it").to.be.above(0);
    bench.handshake(0, "forgot", { id: "new" });
    bench.clock.advance(50);
    expect(bench.take()[0], "it was lost on the way").to.include("attest new above 0");
    bench.handshake(0, "attested", { id: "new" });
    expect(bench.left()).to.deep.equal([0]);
  });

  it("is attested with the highest fence of enough others, asked when it was over", () => {
    const bench = new DeploymentBench(3);
    bench.handshakeAll("open");
    bench.handshake(0, "forgot", { id: "new" });
    bench.handshake(1, "open", { topFence: 90 });
    bench.handshake(2, "open", { topFence: 80 });
    bench.take();
    bench.clock.advance(QUARANTINE_MS);
    expect(bench.take(), "what they said before does not count").to.deep.equal([
      [],
      ["handshake"],
      ["handshake"],
    ]);
    bench.handshake(1, "open", { topFence: 101 });
    expect(bench.take()[0], "one is not enough").to.deep.equal([]);
    bench.handshake(2, "open", { topFence: 100 });
    expect(bench.take()[0]).to.deep.equal(["attest new above 101"]);
  });

  for (const { title, silent } of [
    { title: "does not answer", silent: () => {} },
    {
      title: "forgot, too",
      silent: (bench: DeploymentBench) => bench.handshake(2, "forgot", { id: "newer" }),
    },
    {
      title: "has no fence that is one",
      silent: (bench: DeploymentBench) => bench.handshake(2, "open", { topFence: Number.NaN }),
    },
  ]) {
    it(`is attested with what there is in the end, where another ${title}`, () => {
      const bench = new DeploymentBench(3);
      bench.handshakeAll("open");
      bench.handshake(0, "forgot", { id: "new" });
      for (const at of [1, 2]) bench.handshake(at, "open");
      bench.clock.advance(QUARANTINE_MS);
      bench.handshake(1, "open", { topFence: 101 });
      silent(bench);
      bench.take();
      bench.handshake(0, "forgot", { id: "new" });
      bench.clock.advance(500);
      expect(bench.take()[0]).to.include("attest new above 101");
    });
  }

  it("goes by clocks where no client lives for long: the node's, and those of clients", () => {
    const bench = new DeploymentBench(1);
    const wallMs = bench.clock.wallUs() / 1_000;
    const ageMs = QUARANTINE_MS + 1_000 + 5_000;
    const old = { clockStepMs: 5_000, writtenMs: 1_000_000 - ageMs, writerMs: wallMs - ageMs };
    bench.handshake(0, "forgot", { ...old, writerMs: old.writerMs + 100 });
    bench.take();
    bench.clock.advance(50);
    expect(bench.take()).to.deep.equal([[]]);
    bench.handshake(0, "forgot", { ...old, writerMs: old.writerMs + 50 });
    expect(bench.left()[0]).to.be.above(0);
    bench.clock.advance(50);
    expect(bench.take()[0]).to.include("attest r0 above 0");
    bench.handshake(0, "attested", old);
    expect(bench.left()).to.deep.equal([0]);
  });

  it("counts from the moment of seeing for a client that saw it, whatever the node's clock says", () => {
    const bench = new DeploymentBench(1);
    bench.handshake(0, "open");
    bench.handshake(0, "forgot", { id: "new", writtenMs: 0 });
    expect(bench.deployment.quarantine.leftMs(0)).to.equal(QUARANTINE_MS);
    bench.clock.advance(5_000);
    bench.handshake(0, "forgot", { id: "new", writtenMs: 0 });
    expect(
      bench.deployment.quarantine.leftMs(0),
      "another handshake does not begin it anew",
    ).to.equal(QUARANTINE_MS - 5_000);
  });

  it("is not lifted by a record that was opened after this client saw the node forget", () => {
    const bench = new DeploymentBench(1);
    bench.handshake(0, "open");
    bench.handshake(0, "fresh", { id: "new" });
    bench.handshake(0, "open", { id: "new" });
    expect(bench.deployment.quarantine.leftMs(0)).to.equal(QUARANTINE_MS);
    expect(bench.take()[0]).to.not.include("open new");
  });

  it("lasts as long as the largest maxTtlMs on any node's record", () => {
    const bench = new DeploymentBench(3);
    bench.handshake(0, "open");
    bench.handshake(1, "open", { maxTtlMs: 60_000 });
    bench.handshake(2, "open");
    bench.deployment.quarantine.onForgot(0);
    expect(bench.deployment.quarantine.leftMs(0)).to.equal(60_602);
  });

  it("asks the others again when a node forgot: they have the longest ttl on record", () => {
    const bench = new DeploymentBench(3);
    bench.handshakeAll("open");
    bench.take();
    bench.handshake(0, "forgot", { id: "new" });
    expect(bench.take()).to.deep.equal([["admit"], ["handshake"], ["handshake"]]);
    bench.handshake(1, "open", { maxTtlMs: 60_000 });
    expect(bench.deployment.quarantine.leftMs(0)).to.equal(60_602);
  });

  it("writes a lost record with the longest ttl that enough others show, and asks them first", () => {
    const bench = new DeploymentBench(5);
    bench.handshakeAll("open");
    bench.take();
    const question = (): unknown[] => {
      const { ifAbsent, firstTtlMs } = bench.deployment.question(0, false, 0, undefined);
      return [ifAbsent, firstTtlMs];
    };
    bench.clock.advance(10);
    bench.lost(0);
    expect(bench.left()[0], "it counts from here").to.equal(QUARANTINE_MS);
    expect(bench.take()).to.deep.equal([[], ...bench.asked.slice(1).map(() => ["handshake"])]);
    bench.clock.advance(1);
    bench.handshake(1, "open");
    bench.handshake(2, "open", { maxTtlMs: 60_000 });
    // A lock on a quorum with node 0 is on two others: they may be the two that have not answered.
    expect([bench.take()[0], ...question()]).to.deep.equal([[], undefined, 60_000]);
    bench.handshake(3, "open");
    expect([bench.take()[0], ...question()]).to.deep.equal([["handshake"], "forgot", 60_000]);
    bench.handshake(0, "forgot", { id: "new", maxTtlMs: 60_000 });
    bench.clock.advance(600);
    expect(bench.take()[0]?.filter((what) => what !== "handshake")).to.deep.equal(["admit"]);
  });

  it("is void where it is off", () => {
    const bench = new DeploymentBench(1, { isQuarantineOn: false });
    bench.handshake(0, "forgot");
    bench.deployment.quarantine.onForgot(0);
    expect(bench.deployment.quarantine.leftMs(0)).to.equal(0);
  });

  it("never holds a node that keeps no record", () => {
    const bench = new DeploymentBench(1);
    bench.handshake(0, "unkept");
    expect(bench.take()).to.deep.equal([["admit"]]);
    expect(bench.deployment.quarantine.leftMs(0)).to.equal(0);
  });
});

describe("Deployment: who is who", () => {
  const seenAs = (runId: string, id = "any"): Handshake => handshakeReply({ id }, { runId });

  it("asks the others again when one of them has another record: it may be theirs by now", () => {
    const bench = new DeploymentBench(2);
    bench.deployment.onHandshake(0, seenAs("", "a"), undefined);
    bench.deployment.onHandshake(1, seenAs("", "b"), undefined);
    const asked = (): unknown => bench.take().map((list) => list.includes("handshake"));
    asked();
    bench.deployment.onHandshake(0, seenAs("", "a"), undefined);
    bench.deployment.onHandshake(1, seenAs("", "b"), undefined);
    expect(asked(), "nothing new").to.deep.equal([false, false]);
    bench.deployment.onHandshake(1, seenAs("", "a2"), undefined);
    expect(asked()).to.deep.equal([true, false]);
  });

  describe("lists of nodes that differ", () => {
    const theirs = nodeListText(listOf(5));
    const seen = (index: number, nodeList = nodeListText(listOf(3))): Handshake =>
      handshakeReply(
        { id: `r${index}`, nodeId: `node${index}`, nodeCount: 0 },
        { runId: `run${index}`, nodeList },
      );

    it("are a warning with both, once for each node", () => {
      const bench = new DeploymentBench(3);
      bench.deployment.onHandshake(1, seen(1, theirs), undefined);
      bench.deployment.onHandshake(1, seen(1, theirs), undefined);
      bench.deployment.onHandshake(2, seen(2), undefined);
      expect(bench.warnings).to.have.length(1);
      expect(bench.warnings[0]).to.include({ kind: "nodeList", index: 1 });
      expect(bench.warnings[0]?.message).to.match(
        /use n0:6379, .*n4:6379 \(on record\), n0:6379, n1:6379, n2:6379 here; .*same nodes/,
      );
      expect(bench.deployment.listDifference).to.be.a("string");
      bench.deployment.onHandshake(1, seen(1), undefined);
      expect(bench.deployment.listDifference).to.equal(undefined);
      bench.deployment.onHandshake(1, seen(1, theirs), undefined);
      expect(bench.warnings, "again, when it is so again").to.have.length(2);
    });

    it("are a warning also when it is another node that shows it", () => {
      const bench = new DeploymentBench(3);
      bench.deployment.onHandshake(0, seen(0), undefined);
      expect(bench.warnings).to.have.length(0);
      const other = handshakeReply({ nodeId: "elsewhere", nodeCount: 0 }, { nodeList: "" });
      bench.deployment.onHandshake(2, other, undefined);
      expect(bench.warnings.map(({ index }) => index)).to.deep.equal([0]);
    });
  });

  it("warns of a record of before there were lists, with another node count, naming both", () => {
    const bench = new DeploymentBench(3);
    const old = handshakeReply({ nodeCount: 5, nodeId: "" }, { nodeList: "" });
    bench.deployment.onHandshake(1, old, undefined);
    expect(bench.warnings).to.have.length(1);
    expect(bench.warnings[0]).to.include({ kind: "nodeList", index: 1 });
    expect(bench.warnings[0]?.message).to.include("5 nodes").and.include("with 3");
    bench.handshake(2, "open");
    expect(bench.warnings).to.have.length(1);
  });

  it("has a record written that is missing, but for one that may be new", () => {
    const bench = new DeploymentBench(2);
    const ifAbsent = (): unknown[] => [0, 1].map((index) => bench.deployment.stateIfAbsent(index));
    bench.absent(1);
    expect(ifAbsent()).to.deep.equal([undefined, undefined]);
    bench.handshake(1, "fresh");
    expect([0, 1].map((index) => bench.deployment.isLost(index))).to.deep.equal([false, true]);
    bench.clock.advance(WINDOW_MS);
    expect([0, 1].map((index) => bench.deployment.isLost(index))).to.deep.equal([true, true]);
    expect(ifAbsent(), "the others are asked").to.deep.equal([undefined, undefined]);
    bench.lost(0);
    bench.lost(1);
    expect(ifAbsent()).to.deep.equal(["fresh", "forgot"]);
  });
});
