import { expect } from "chai";
import { coverageOf } from "../../sim/oracles/coverage.js";
import type { OracleId } from "../../sim/oracles/history.js";
import { ORACLE_IDS } from "../../sim/oracles/history.js";
import { isPermit } from "../../sim/oracles/names.js";
import type { Fault, Scenario, Session } from "../../sim/scenario.js";
import { MAX_PASS_ONS } from "../../src/protocol/pass-on-run.js";
import { simulate } from "../../sim/simulate.js";
import { plainScenario, session } from "../support/sim/plain-scenario.js";

async function violated(scenario: Scenario): Promise<OracleId[]> {
  const { violations } = await simulate(scenario, { oracles: ORACLE_IDS });
  return [...new Set(violations.map(({ id }) => id))].toSorted();
}

/** The first holds the lock from 1000 ms on, for as long as it can; the second comes 200 ms later. */
const HOLDER = session({ atMs: 1_000, client: 0, holdMs: 450, release: "atEnd" });
const SECOND = session({ atMs: 1_200, client: 1, waitMs: 200 });
const crashes = (mode: "amnesia" | "persisted" | "snapshot") =>
  [0, 1].map((node) => {
    return { kind: "crash" as const, atMs: 1_100, node, mode, lostMs: 150, forMs: 10 };
  });

describe("locks of other kinds, whose name is stolen", () => {
  const kinds: readonly (readonly [string, Partial<Session>])[] = [
    ["of an owner", { owner: "job" }],
    ["readers", { mode: "shared" }],
    ["permits", { permits: 2 }],
  ];
  for (const [title, kind] of kinds) {
    it(`${title}: what is left of them on the nodes is nobody's when others like them come`, async () => {
      const workload = [
        session({ ...kind, atMs: 100, client: 0, holdMs: 400 }),
        session({ atMs: 200, client: 1, holdMs: 20, steal: true }),
        session({ ...kind, atMs: 300, client: 2, waitMs: 50 }),
      ];
      const scenario = plainScenario({ clients: 3, workload });
      const { history } = await simulate(scenario);
      const grants = history.events.filter((event) => event.kind === "grant");
      expect(grants.map(({ process }) => process)).to.deep.equal(["c0", "c1", "c2"]);
      // Whoever is robbed writes on beside the others.
      expect(await violated(scenario)).to.satisfy((ids: OracleId[]) =>
        ids.every((id) => id === "F3"),
      );
    });
  }
});

describe("how a lease is broken, outside of the model", () => {
  const base = { clients: 2, workload: [HOLDER, SECOND], chaosMs: 1_600 };

  it("nothing breaks it as it is", async () => {
    expect(await violated(plainScenario(base))).to.deep.equal([]);
  });

  it("the clocks of a quorum of nodes jump: two hold", async () => {
    const faults = [0, 1].map((node) => {
      return { kind: "nodeJump" as const, atMs: 1_100, node, byMs: 600 };
    });
    const found = await violated(plainScenario({ ...base, faults }));
    expect(found).to.include.members(["S1", "S2"]);
    expect(found).to.not.include.members(["F1"]);
    expect(found).to.not.include.members(["F2"]);
  });

  it("a quorum forgets and votes at once: two hold", async () => {
    const options = { quarantine: false };
    const found = await violated(plainScenario({ ...base, options, faults: crashes("amnesia") }));
    expect(found).to.include.members(["S1", "S2", "Q1"]);
  });

  it("a quorum forgets and is kept from voting: nobody else holds", async () => {
    expect(await violated(plainScenario({ ...base, faults: crashes("amnesia") }))).to.deep.equal(
      [],
    );
  });

  it("a quorum restarts with what it had saved before: nobody else holds", async () => {
    expect(await violated(plainScenario({ ...base, faults: crashes("snapshot") }))).to.deep.equal(
      [],
    );
  });

  it("a quorum loses its last writes, and was said to lose none: two hold", async () => {
    const scenario = plainScenario({ ...base, faults: crashes("snapshot") });
    const nodes = scenario.nodes.map((node) => ({ ...node, isDurable: true }));
    expect(await violated({ ...scenario, nodes })).to.include.members(["S1", "S2", "Q1"]);
  });

  it("a quorum restarts with its keys: nobody else holds", async () => {
    const faults = crashes("persisted");
    expect(await violated(plainScenario({ ...base, faults }))).to.deep.equal([]);
  });

  it("the holder is stopped between its check and its write: only the fenced store is whole", async () => {
    const scenario = plainScenario({
      clients: 2,
      options: { checkToWriteMs: 900 },
      workload: [
        session({ atMs: 1_000, client: 0, holdMs: 100 }),
        session({ atMs: 1_600, client: 1, holdMs: 100 }),
      ],
      chaosMs: 3_500,
    });
    expect(await violated(scenario)).to.deep.equal(["F3"]);
  });
});

describe("clients that do not agree on the longest lease", () => {
  // The holder may use 3000 ms and reaches the first node and the third; the other may use 500, and
  // reaches the first, which forgets, and the second.
  const cut = (client: number, node: number, forMs: number): Fault => {
    return { kind: "partition", atMs: 250, client, node, way: "both", forMs };
  };
  const scenario = (othersCutMs: number): Scenario => {
    const plain = plainScenario({
      clients: 2,
      workload: [
        session({ atMs: 3_000, client: 1, holdMs: 2_800, writeCount: 0 }),
        session({ atMs: 3_300, client: 0, waitMs: 2_000, holdMs: 50 }),
      ],
      faults: [
        ...[cut(1, 1, 7_000), cut(0, 2, othersCutMs)],
        { kind: "forget", atMs: 3_100, node: 0 },
      ],
      chaosMs: 7_500,
    });
    const clients = plain.clients.map((client, index) =>
      index === 0
        ? client
        : { ...client, startMs: 2_600, options: { ttlMs: 3_000, maxTtlMs: 3_000 } },
    );
    return { ...plain, clients };
  };

  it("two hold, where no node that the second can reach has heard of the longer one", async () => {
    expect(await violated(scenario(7_000))).to.include.members(["S1", "S2", "Q1"]);
  });

  it("nobody else holds, where a node remembers the longer one", async () => {
    // Nor would a client be let in that starts now, whichever nodes it reaches.
    expect(await violated(scenario(2_500))).to.deep.equal([]);
  });
});

describe("a suspended machine", () => {
  it("keeps its deadlines as soon as it is awake", async () => {
    // A lock that is held keeps the one timer armed far ahead; the suspend makes that too far.
    for (let fromMs = 1_100; fromMs < 2_100; fromMs += 100) {
      const wakeMs = fromMs + 400;
      const scenario = plainScenario({
        clients: 1,
        options: { ttlMs: 8_000, maxTtlMs: 8_000 },
        workload: [
          session({ atMs: 1_000, client: 0, name: "b", writeCount: 0, holdMs: 3_500 }),
          session({ atMs: wakeMs + 10, client: 0, writeCount: 0 }),
        ],
        faults: [
          { kind: "suspend", atMs: fromMs, client: 0, forMs: 400 },
          ...[0, 1, 2].map((node) => {
            return { kind: "freeze" as const, atMs: fromMs, node, forMs: 2_000 };
          }),
        ],
        chaosMs: 5_500,
      });
      expect(await violated(scenario), `suspended at ${fromMs} ms`).to.deep.equal([]);
    }
  });
});

describe("a release whose first answer was lost", () => {
  it("is not called an expiry by the answer to its repetition", async () => {
    // The connection to two nodes breaks while the answers are on their way.
    for (let atMs = 1_030; atMs < 1_050; atMs++) {
      const scenario = plainScenario({
        clients: 1,
        options: { nodeTimeoutMs: 200, ttlMs: 2_000, maxTtlMs: 2_000 },
        workload: [session({ atMs: 1_000, client: 0, writeCount: 0, holdMs: 20 })],
        faults: [0, 1].map((node) => {
          return { kind: "reset" as const, atMs, client: 0, node };
        }),
      });
      expect(await violated(scenario), `reset at ${atMs} ms`).to.deep.equal([]);
    }
  });
});

describe("a lock that is passed on", () => {
  const options = { nodeTimeoutMs: 200, ttlMs: 4_000, maxTtlMs: 4_000, maxDelayMs: 1_000 };
  const waiting = { client: 0, waitMs: 2_000, holdMs: 10 };
  const workload = [
    session({ atMs: 1_000, client: 1, writeCount: 0, holdMs: 85 }),
    ...[1_010, 1_020, 1_030].map((atMs) => session({ atMs, ...waiting })),
  ];
  const passedOn = plainScenario({ clients: 2, options, workload });

  it("happens in what follows", async () => {
    const { history, violations } = await simulate(passedOn, { oracles: ORACLE_IDS });
    expect(violations).to.deep.equal([]);
    expect(coverageOf(history).passedOn).to.equal(2);
  });

  for (const fault of ["reset", "forget", "freeze"] as const) {
    it(`keeps every promise where two nodes meet with a ${fault} at any moment of it`, async () => {
      for (let atMs = 1_085; atMs < 1_130; atMs++) {
        const faults = [0, 1].map((node): Fault => {
          if (fault === "reset") return { kind: fault, atMs, client: 0, node };
          return fault === "freeze"
            ? { kind: fault, atMs, node, forMs: 300 }
            : { kind: fault, atMs, node };
        });
        expect(await violated({ ...passedOn, faults }), `at ${atMs} ms`).to.deep.equal([]);
      }
    });
  }

  it("is followed by another process within the bound, though the wait queue never ends", async () => {
    const crowd = Array.from({ length: 300 }, (_, n) =>
      session({ atMs: 1_000 + 2 * n, client: 0, waitMs: 10_000, holdMs: 3, writeCount: 0 }),
    );
    const other = session({ atMs: 1_200, client: 1, waitMs: 10_000, writeCount: 0 });
    const scenario = plainScenario({
      clients: 2,
      workload: [...crowd, other].toSorted((a, b) => a.atMs - b.atMs),
      chaosMs: 8_000,
    });
    const { history, violations } = await simulate({
      ...scenario,
      network: { ...scenario.network, meanDelayUs: 500 },
    });
    expect(violations).to.deep.equal([]);
    const { events } = history;
    const had = events.findIndex((event) => event.kind === "grant" && event.process === "c1");
    const refusals = events.filter(
      (event) => event.kind === "vote" && event.process === "c1" && event.vote === "refused",
    );
    // It stands in the queue of a quorum when a quorum has refused its second attempt.
    const attempts = refusals.filter((event) => event.kind === "vote" && event.op === "acquire");
    const queuedUs = attempts[4]?.atUs ?? Number.POSITIVE_INFINITY;
    const later = new Set<number>();
    let overtakenCount = 0;
    for (const event of events.slice(0, had)) {
      if (event.kind === "call" && event.what === "acquire" && event.atUs > queuedUs) {
        later.add(event.call);
      } else if (event.kind === "settle" && later.has(event.call)) overtakenCount++;
    }
    expect(later.size, "those who came later").to.be.above(20);
    expect(overtakenCount).to.be.at.most(MAX_PASS_ONS);
  });
});

describe("one process that waits for a permit of a name, and for the name itself", () => {
  for (const [title, more, kind] of [
    ["as a reader", { mode: "shared" }, "reader"],
    ["alone", {}, "lock"],
  ] as const) {
    for (const isPermitFirst of [true, false]) {
      it(`gets first what it asked for first: ${title}, ${isPermitFirst ? "behind" : "in front of"} the permit`, async () => {
        const own = { client: 1, waitMs: 3_000, holdMs: 50 };
        const [permitAtMs, nameAtMs] = isPermitFirst ? [1_100, 1_200] : [1_200, 1_100];
        const scenario = plainScenario({
          clients: 2,
          workload: [
            session({ atMs: 1_000, client: 0, holdMs: 400 }),
            session({ ...own, atMs: permitAtMs, permits: 2 }),
            session({ ...own, ...more, atMs: nameAtMs }),
          ].toSorted((a, b) => a.atMs - b.atMs),
          chaosMs: 4_000,
        });
        const { history, violations } = await simulate(scenario);
        expect(violations).to.deep.equal([]);
        const got = history.events.flatMap((event) => {
          if (event.kind !== "grant" || event.process !== "c1") return [];
          return [isPermit(event.name) ? "permit" : kind];
        });
        expect(got).to.deep.equal(isPermitFirst ? ["permit", kind] : [kind, "permit"]);
      });
    }
  }
});
