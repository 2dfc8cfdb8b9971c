import { expect } from "chai";
import { findingsOf } from "../../../src/cli/doctor/findings.js";
import { doctorReport } from "../../../src/cli/doctor/report.js";
import type { NodeSeen } from "../../../src/cli/doctor/seen.js";
import { fleet, last, server, SETTINGS, sighting, unrecorded } from "../../support/doctor-seen.js";

const codesOf = (changed: Partial<NodeSeen>): readonly string[] =>
  findingsOf(fleet(last(changed)), SETTINGS).map(({ severity, code, node }) => {
    expect(node, code).to.equal("n2:6379");
    return `${severity} ${code}`;
  });

describe("A server that is listed three times", () => {
  it("votes once", () => {
    const seen = fleet((index) => ({
      server: server(0),
      sighting: sighting(0),
      address: `10.0.0.${index}`,
    }));
    const { quorum, nodes } = doctorReport(seen, SETTINGS, []);
    expect(quorum).to.deep.equal({ nodeCount: 3, size: 2, votes: 1 });
    expect(nodes.map(({ state }) => state)).to.deep.equal(["votes", "no", "no"]);
  });
});

describe("A node whose fence is far ahead of all clocks", () => {
  const far = { topFence: Number.MAX_SAFE_INTEGER };
  it("votes unless every fence that it issues is", () => {
    const votesOf = (changed: Partial<NodeSeen>): number =>
      doctorReport(fleet(last(changed)), SETTINGS, []).quorum.votes;
    expect(votesOf(far)).to.equal(3);
    expect(votesOf({ ...far, floorFence: far.topFence })).to.equal(2);
  });
});

/** By whether it is durable, has an append-only file, and how it syncs that; no two of them are silent alike. */
const DURABLE: Readonly<Record<string, readonly string[]>> = {
  "durable yes always": [],
  "durable yes everysec": ["error not-durable"],
  "durable yes no": ["error not-durable"],
  "durable yes unknown": ["note durable-unknown"],
  "durable no always": ["error not-durable"],
  "durable no everysec": ["error not-durable"],
  "durable no no": ["error not-durable"],
  "durable no unknown": ["error not-durable"],
  "plain yes always": ["note could-be-durable"],
  "plain yes everysec": [],
  "plain yes no": [],
  "plain yes unknown": [],
  "plain no always": [],
  "plain no everysec": [],
  "plain no no": [],
  "plain no unknown": [],
};

/** What could not be reached, by how it was tried, what the port speaks, and whether the error lasts. */
const UNREACHED: Readonly<Record<string, string>> = {
  "tls plain lasting": "error plain-port",
  "tls plain passing": "error plain-port",
  "tls tls lasting": "error misconfigured",
  "tls tls passing": "error unreachable",
  "tls nothing lasting": "error misconfigured",
  "tls nothing passing": "error unreachable",
  "plain plain lasting": "error misconfigured",
  "plain plain passing": "error unreachable",
  "plain tls lasting": "error tls-port",
  "plain tls passing": "error tls-port",
  "plain nothing lasting": "error misconfigured",
  "plain nothing passing": "error unreachable",
};

const RATES: readonly (readonly [
  advancedMs: number,
  elapsedMs: number,
  errorMs: number,
  found: boolean,
])[] = [
  [100, 100, 2, false],
  [48, 100, 2, false],
  [47, 100, 2, true],
  [152, 100, 2, false],
  [153, 100, 2, true],
  [0, 100, 2, true],
  [0, 100, 50, false],
  [-3_600_000, 100, 2, true],
  [3_600_000, 100, 2, true],
];

/** What the three nodes have shown: `n` no record, `r` a record, `x` could not be examined, `c` a Cluster. */
type Shown = "n" | "r" | "x" | "c";
const SHOWN: readonly Shown[] = ["n", "r", "x", "c"];

function shownBy(shown: Shown, index: number): Partial<NodeSeen> {
  switch (shown) {
    case "n":
      return { sighting: unrecorded() };
    case "r":
      return { sighting: sighting(index) };
    case "x":
      return {
        ...{ failure: { message: "down", isMisconfigured: false }, server: undefined },
        ...{ clock: undefined, sighting: undefined, roundTripsMs: [] },
      };
    case "c":
      return { kind: "cluster", server: undefined, sighting: undefined };
  }
}

describe("What the doctor finds by all combinations", () => {
  for (const isDurable of [true, false]) {
    for (const hasAof of [true, false]) {
      for (const appendFsync of ["always", "everysec", "no", undefined]) {
        const title = `${isDurable ? "durable" : "plain"} ${hasAof ? "yes" : "no"} ${appendFsync ?? "unknown"}`;
        it(`of durability: ${title}`, () => {
          const found = codesOf({ isDurable, server: server(2, { hasAof, appendFsync }) });
          expect(found).to.deep.equal(DURABLE[title]);
        });
      }
    }
    it(`of durability where nothing of the server is known: ${isDurable}`, () => {
      const found = codesOf({ isDurable, kind: "cluster", server: undefined, sighting: undefined });
      const unknown = isDurable ? ["note durable-unknown"] : [];
      expect(found.toSorted()).to.deep.equal(["note cluster", ...unknown]);
    });
  }

  for (const isTls of [true, false]) {
    for (const spoken of ["plain", "tls", undefined] as const) {
      for (const isMisconfigured of [true, false]) {
        const title = `${isTls ? "tls" : "plain"} ${spoken ?? "nothing"} ${isMisconfigured ? "lasting" : "passing"}`;
        it(`of a connection that failed: ${title}`, () => {
          const failure = { message: "the reason", isMisconfigured };
          const seen = fleet(last({ ...shownBy("x", 2), failure, isTls, spoken }));
          const [first, ...others] = findingsOf(seen, SETTINGS);
          expect(others).to.deep.equal([]);
          expect(`${first?.severity} ${first?.code}`).to.equal(UNREACHED[title]);
          expect(first?.saw).to.include("the reason");
        });
      }
    }
  }

  for (const [advancedMs, elapsedMs, errorMs, isFound] of RATES) {
    it(`of a clock's rate: ${advancedMs} in ${elapsedMs}, give or take ${errorMs}`, () => {
      const found = codesOf({ rate: { advancedMs, elapsedMs, errorMs } });
      expect(found).to.deep.equal(isFound ? ["error clock-rate"] : []);
    });
  }

  for (const all of SHOWN.flatMap((a) =>
    SHOWN.flatMap((b) => SHOWN.map((c) => [a, b, c] as const)),
  )) {
    it(`of nodes with a record or without: ${all.join("")}`, () => {
      const seen = fleet((index) => shownBy(all[index] ?? "x", index));
      const findings = findingsOf(seen, SETTINGS);
      const { nodes } = doctorReport(seen, SETTINGS, findings);
      const [hasPast, hasGap] = [all.includes("r"), all.includes("x")];
      const ofNew = hasPast ? "quarantined" : hasGap ? "waits" : "new";
      const states = { n: ofNew, r: "votes", x: "no", c: "unkept" } as const;
      expect(nodes.map(({ state }) => state)).to.deep.equal(all.map((each) => states[each]));
      const codes = findings.map(({ code }) => code);
      const expected = all.flatMap((each) => {
        if (each === "x") return ["unreachable"];
        if (each === "c") return ["cluster"];
        return each === "n" && hasPast ? ["quarantined"] : [];
      });
      const isFirst = ofNew === "waits" && all.includes("n");
      const voting = all.filter(
        (each) => each === "r" || each === "c" || (each === "n" && ofNew === "new"),
      );
      const quarantined = expected.filter((code) => code === "quarantined");
      const isByQuarantine =
        quarantined.length > 0 && voting.length < 2 && voting.length + quarantined.length >= 2;
      const ofFleet = [
        ...(isFirst ? ["first-start"] : []),
        ...(isByQuarantine ? ["no-quorum"] : []),
      ];
      expect(codes.toSorted()).to.deep.equal([...expected, ...ofFleet].toSorted());
      // No story of restarts where nothing has ever run.
      if (!hasPast)
        for (const { saw, change } of findings)
          expect(saw + change).to.not.match(/restart|others have/);
      const missing = findings.find(({ code }) => code === "first-start");
      const names = all.flatMap((each, index) => (each === "x" ? [`n${index}:6379`] : []));
      if (isFirst) expect(missing?.saw).to.include(names.join(", ")).and.include("after 61 s");
    });
  }
});
