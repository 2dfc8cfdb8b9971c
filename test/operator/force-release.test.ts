import { expect } from "chai";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import { ForeignKeyError } from "../../src/api/node-errors.js";
import { fingerprintOf } from "../../src/operator/fingerprint.js";
import { forceRelease } from "../../src/operator/force-release.js";
import { outwaitMs } from "../../src/protocol/lease-times.js";
import type { NameSnapshot, Vote } from "../../src/protocol/operation.js";
import { CoordinatorBench, KEYS } from "../support/coordinator-bench.js";
import { settle } from "../support/manual-clock.js";
import { rejectionWith } from "../support/settle.js";
import { fault, foreign, free, granted, held } from "../support/votes.js";

const SETTINGS = {
  nodeTimeoutMs: 50,
  maxTtlMs: 10_000,
  driftFactor: 0.01,
  clockStepMs: 1_000,
};
const NAMES = ["a:1", "b:1", "c:1"];
const OWNER = "o".padEnd(22, "_");

const seen = (holder?: string, fence = 7, longest?: NameSnapshot["longest"]): Vote => {
  const nothing = { remainingMs: 9, waitingCount: 0, coHolders: [] };
  const snapshot: NameSnapshot = { ...nothing, holder, fence, longest };
  return { kind: "granted", fence: 0, snapshot };
};

/** A force release of which the nodes have answered the look. */
async function looked(votes: readonly Vote[], fingerprint?: string) {
  const bench = new CoordinatorBench();
  const ending = forceRelease(
    ...[bench.context, KEYS, NAMES, SETTINGS],
    fingerprint === undefined ? {} : { fingerprint },
  );
  ending.catch(() => {});
  bench.answer("inspect", votes);
  await settle();
  return { bench, ending };
}

describe("a release by force", () => {
  for (const { title, releases, marks, removed, nodes, isQuorate } of [
    {
      title: "all let go",
      releases: [granted(), granted(), granted()],
      removed: 1,
      nodes: 3,
      isQuorate: true,
    },
    {
      title: "one has nothing",
      releases: [granted(), granted(), free()],
      removed: 1,
      nodes: 3,
      isQuorate: true,
    },
    {
      title: "another has it by now",
      releases: [held(), held(), held()],
      removed: 0,
      nodes: 3,
      isQuorate: true,
    },
    {
      title: "one is silent",
      releases: [granted(), granted(), undefined],
      removed: 1,
      nodes: 2,
      isQuorate: true,
    },
    {
      title: "most fail",
      releases: [granted(), fault(), fault()],
      removed: 1,
      nodes: 1,
      isQuorate: false,
    },
    {
      title: "most cannot remember it",
      releases: [granted(), granted(), granted()],
      marks: [granted(), fault(), fault()],
      removed: 1,
      nodes: 1,
      isQuorate: false,
    },
  ] as {
    title: string;
    releases: (Vote | undefined)[];
    marks?: Vote[];
    removed: number;
    nodes: number;
    isQuorate: boolean;
  }[]) {
    it(`tells what came of it where ${title}`, async () => {
      const { bench, ending } = await looked([seen(OWNER), seen(OWNER, 9), seen(OWNER)]);
      bench.answer("revoke", marks ?? [granted(), granted(), granted()]);
      bench.answer("release", releases);
      bench.clock.advance(50);
      const result = await ending;
      expect(result.removed).to.have.length(removed);
      expect(result.nodes).to.deep.equal(result.nodes.length === 3 ? NAMES : result.nodes);
      expect(result.nodes).to.have.length(nodes);
      expect(result.isQuorate).to.equal(isQuorate);
      expect(bench.nodes[0]?.last("release").operation).to.include({ ownerId: OWNER, fence: 20 });
    });
  }

  for (const { what, onRecord, lastsMs } of [
    {
      what: "another client, as one node has it on record by now",
      onRecord: [{}, { maxTtlMs: 100_000, clockStepMs: 3_000 }, { maxTtlMs: 60_000 }],
      lastsMs: outwaitMs(100_000, 0.01) + 3_000,
    },
    {
      what: "itself, where no record says more",
      onRecord: [{}, { maxTtlMs: 9_000, clockStepMs: 500 }, {}],
      lastsMs: outwaitMs(10_000, 0.01) + 1_000,
    },
  ]) {
    it(`is remembered for as long as a lock may last for ${what}`, async () => {
      const votes = onRecord.map((more) => {
        return seen(OWNER, 7, { maxTtlMs: 0, clockStepMs: 0, ...more });
      });
      const { bench, ending } = await looked(votes);
      for (const node of bench.nodes) {
        expect(node.last("revoke").operation.ttlMs).to.equal(lastsMs);
      }
      bench.clock.advance(50);
      await ending;
    });
  }

  it("touches nothing where nobody is, or not the one who is meant", async () => {
    for (const { votes, fingerprint } of [
      { votes: [seen(), seen(), seen("turn:inbox")] },
      { votes: [seen(OWNER), seen(OWNER), seen(OWNER)], fingerprint: fingerprintOf("another") },
    ]) {
      const { bench, ending } = await looked(votes, fingerprint);
      expect(await ending).to.deep.equal({
        name: "invoice",
        removed: [],
        nodes: NAMES,
        isQuorate: true,
      });
      expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
    }
  });

  it("touches nothing where too few nodes were seen, or one has somebody's data", async () => {
    const blind = await looked([seen(OWNER), fault(), fault()]);
    await rejectionWith(QuorumUnreachableError, blind.ending);
    const data = await looked([seen(OWNER), seen(OWNER), foreign("hash")]);
    const error = await rejectionWith(ForeignKeyError, data.ending);
    expect(error.message).to.include("(hash)");
    for (const { bench } of [blind, data]) {
      expect(bench.counts("release")).to.deep.equal([0, 0, 0]);
      expect(bench.counts("revoke")).to.deep.equal([0, 0, 0]);
    }
  });
});
