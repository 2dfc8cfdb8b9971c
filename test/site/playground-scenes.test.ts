import { expect } from "chai";
import type { HistoryEvent } from "../../sim/oracles/history.js";
import { oraclesOf } from "../../sim/profiles.js";
import { traceHash } from "../../sim/trace.js";
import {
  play,
  SIDES,
  type Match,
  type Played,
  type Side,
} from "../../site/playground/world/play.js";
import { SCENES, type Scene } from "../../site/playground/world/scenes.js";

const grants = ({ history }: Played): HistoryEvent[] =>
  history.events.filter(({ kind }) => kind === "grant");
const idsOf = ({ violations }: Played): string[] => [...new Set(violations.map(({ id }) => id))];

describe("the scenes of the playground", function () {
  // Six scenes on two sides, on a busy machine.
  this.timeout(120_000);

  const matches = new Map<string, Match>();
  before(async () => {
    for (const { id, scenario } of SCENES) matches.set(id, await play(scenario));
  });
  const matchOf = ({ id }: Pick<Scene, "id">): Match => matches.get(id) as Match;

  for (const scene of SCENES) {
    it(`${scene.title}: the oracles find what is said of each side`, () => {
      const match = matchOf(scene);
      expect(idsOf(match.naive)).to.have.members(scene.broken.naive);
      expect(idsOf(match.quorate)).to.have.members(scene.broken.quorate);
    });

    it(`${scene.title}: nothing that Quorate promises is broken`, () => {
      const promised = new Set<string>(oraclesOf(scene.scenario.profile));
      const broken = idsOf(matchOf(scene).quorate).filter((id) => promised.has(id));
      expect(broken).to.deep.equal([]);
    });

    it(`${scene.title}: everything happens before its end`, () => {
      const lengthUs = scene.scenario.chaosMs * 1_000;
      for (const side of SIDES) {
        for (const { atUs } of matchOf(scene)[side].violations) expect(atUs).to.be.below(lengthUs);
        for (const { atUs } of grants(matchOf(scene)[side])) expect(atUs).to.be.below(lengthUs);
      }
      for (const { atMs } of scene.steps) expect(atMs * 1_000).to.be.below(lengthUs);
    });
  }

  /** Who has been granted the lock when a caption is shown. */
  const told: readonly (readonly [id: string, side: Side, atMs: number, granted: string[]])[] = [
    ["pause-before-write", "naive", 9_700, ["c0", "c1"]],
    ["pause-before-write", "quorate", 9_700, ["c0", "c1"]],
    ["pause-before-return", "naive", 8_400, ["c1"]],
    ["pause-before-return", "quorate", 8_400, ["c1"]],
    ["clock-jump", "naive", 3_910, ["c0", "c1"]],
    ["clock-jump", "quorate", 3_910, ["c0"]],
    ["clock-jump", "quorate", 5_700, ["c0", "c1"]],
    ["restart-without-data", "naive", 4_210, ["c0", "c1"]],
    ["restart-without-data", "quorate", 4_900, ["c0"]],
    ["restart-without-data", "quorate", 8_700, ["c0", "c1"]],
    ["split", "quorate", 3_500, ["c2"]],
    ["split", "quorate", 4_600, ["c2", "c1", "c0"]],
    ["split", "naive", 4_600, []],
    ["split", "naive", 7_100, ["c1"]],
    ["nothing-helps", "quorate", 9_700, ["c0", "c1"]],
  ];
  for (const [id, side, atMs, granted] of told) {
    it(`${id}, ${side}: granted at ${atMs} ms, as its caption says: ${granted.join(", ") || "none"}`, () => {
      const scene = SCENES.find((each) => each.id === id);
      expect(scene?.steps.map((step) => step.atMs)).to.include(atMs);
      const before = grants(matchOf({ id })[side]).filter(({ atUs }) => atUs <= atMs * 1_000);
      expect(before.map((event) => "process" in event && event.process)).to.deep.equal(granted);
    });
  }

  it("the late write is refused by the store that checks tokens, and taken by the other", () => {
    const { quorate, naive } = matchOf({ id: "pause-before-write" });
    const late = (played: Played): string[] =>
      played.history.events.flatMap((event) =>
        event.kind === "store" && event.atUs >= 11_900_000 ? `${event.what} ${event.store}` : [],
      );
    expect(late(quorate)).to.deep.equal(["write unfenced", "reject fenced"]);
    expect(late(naive)).to.deep.equal(["write unfenced"]);
  });

  it("a paused acquire gives its client nothing", () => {
    const match = matchOf({ id: "pause-before-return" });
    for (const side of SIDES) {
      const who = grants(match[side]).map((event) => "process" in event && event.process);
      expect(who).to.deep.equal(["c1"]);
    }
  });

  it("all three of a split get the lock in the end", () => {
    const match = matchOf({ id: "split" });
    for (const side of SIDES) expect(grants(match[side])).to.have.lengthOf(3);
  });

  it("plays the same a second time", async () => {
    for (const { id, scenario } of SCENES.slice(2, 4)) {
      const again = await play(scenario);
      for (const side of SIDES) {
        expect(again[side].traceHash).to.equal(matchOf({ id })[side].traceHash);
        expect(traceHash(again[side].history.events)).to.equal(again[side].traceHash);
      }
    }
  });
});
