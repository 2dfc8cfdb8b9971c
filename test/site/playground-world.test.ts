import { expect } from "chai";
import { createHash as ofNode } from "node:crypto";
import type { Scenario } from "../../sim/scenario.js";
import { jsonInLink, linkTo } from "../../sim/scenario-link.js";
import { createHash } from "../../site/playground/shims/crypto.js";
import {
  ACTIONS,
  describeFault,
  outsideOfModel,
  withChange,
  type Target,
} from "../../site/playground/world/changes.js";
import { checkShared } from "../../site/playground/world/check.js";
import { narration } from "../../site/playground/world/narrate.js";
import { offsetMs } from "../../site/playground/world/node-clocks.js";
import { pictureOf } from "../../site/playground/world/picture.js";
import { play } from "../../site/playground/world/play.js";
import { SCENES, type Scene } from "../../site/playground/world/scenes.js";

const sceneOf = (id: string): Scene => SCENES.find((scene) => scene.id === id) as Scene;
const jump = sceneOf("clock-jump").scenario;

const TARGETS: Readonly<Record<Target["kind"], Target>> = {
  node: { kind: "node", node: 2 },
  client: { kind: "client", client: 1 },
  link: { kind: "link", client: 0, node: 1 },
};

describe("a scenario of the playground in a link", () => {
  for (const { id, scenario } of SCENES) {
    it(`${id} comes out as it went in`, () => {
      const json = jsonInLink(linkTo("file:///x/playground.html#old", { scene: id, scenario }));
      expect(checkShared(json ?? "")).to.deep.equal({ scene: id, scenario });
    });
  }

  it("has every change that the page makes", () => {
    for (const { id, on } of ACTIONS) {
      const changed = withChange(jump, id, TARGETS[on], 1_234.4, 2);
      expect(changed, id).to.not.deep.equal(jump);
      const json = JSON.stringify({ scenario: changed });
      expect(checkShared(json).scenario, id).to.deep.equal(changed);
    }
  });

  it("is none where there is no mark", () => {
    expect(jsonInLink("file:///x/playground.html#split")).to.equal(undefined);
  });

  const changed = (change: Partial<Record<keyof Scenario, unknown>>): string =>
    JSON.stringify({ scenario: { ...jump, ...change } });
  const [first] = jump.faults;
  const refused: readonly (readonly [what: string, json: string, says: RegExp])[] = [
    ["no scenario", "{}", /scenario is no object/],
    ["a fault of no kind", changed({ faults: [{ kind: "toString", atMs: 1 }] }), /"toString"/],
    ["a node that is not there", changed({ faults: [{ ...first, node: 3 }] }), /node must be/],
    ["half a client", changed({ faults: [{ ...first, client: 0.5 }] }), /integer/],
    ["too long", changed({ chaosMs: 1e9 }), /chaosMs/],
    ["too many", changed({ workload: Array.from({ length: 99 }) }), /more than/],
    ["a text for a number", changed({ seed: "1" }), /seed/],
    ["two nodes", changed({ nodes: jump.nodes.slice(1) }), /3 are shown/],
  ];
  for (const [what, json, says] of refused) {
    it(`is refused with ${what}`, () => {
      expect(() => checkShared(json)).to.throw(TypeError, says);
    });
  }
});

describe("what the page makes of a run", () => {
  it("every change is told in words, and does something", () => {
    for (const { id, on } of ACTIONS) {
      if (id === "use") continue;
      const fault = withChange(jump, id, TARGETS[on], 500, 3).faults.at(-1);
      expect(fault && describeFault(fault), id).to.match(/^(node|client) \d/);
    }
  });

  it("a change at the end makes the scenario longer, so that its effect is seen", () => {
    const { chaosMs } = jump;
    expect(withChange(jump, "freeze", TARGETS.node, chaosMs / 2, 1).chaosMs).to.equal(chaosMs);
    expect(withChange(jump, "freeze", TARGETS.node, chaosMs, 1).chaosMs).to.equal(chaosMs + 5_000);
    expect(withChange(jump, "use", TARGETS.client, 59_000, 1).chaosMs).to.equal(60_000);
  });

  it("a clock that jumps moves the end of the key that stands there", async () => {
    const faults = jump.faults.map((fault) => {
      return fault.kind === "nodeJump" ? { ...fault, byMs: 2_000 } : fault;
    });
    const { naive } = await play({ ...jump, faults });
    const key = pictureOf(naive).nodes[1]?.keys[0];
    expect(key?.outlooks).to.have.lengthOf(2);
    const [before, after] = key?.outlooks ?? [];
    expect(after?.atUs).to.equal(3_000_000);
    expect((before?.untilUs ?? 0) - (after?.untilUs ?? 0)).to.equal(2_000_000);
    expect(key?.toUs).to.be.within(after?.untilUs ?? 0, (after?.untilUs ?? 0) + 1_000);
    expect(offsetMs(jump, 1, 2_999_999)).to.equal(0);
    expect(offsetMs(jump, 1, 3_000_000)).to.equal(4_500);
  });

  it("nothing that ends is drawn beyond the end", async () => {
    const { naive, quorate } = await play(jump);
    for (const played of [naive, quorate]) {
      const { lines, clients } = pictureOf(played);
      for (const { arrivedUs = 0 } of lines) expect(arrivedUs).to.be.at.most(9_000_000);
      for (const { beliefs } of clients) {
        for (const { fromUs, toUs } of beliefs) expect(fromUs).to.be.below(toUs);
      }
    }
  });

  it("the trace names clients and never owners", async () => {
    const { quorate } = await play(sceneOf("pause-before-write").scenario);
    const told = narration(quorate.history.events, false).map(({ text }) => text);
    expect(told).to.include("Client 0 is paused.");
    expect(told.some((text) => /refused by the store that checks tokens/.test(text))).to.equal(
      true,
    );
    expect(told.filter((text) => text.includes("somebody") || text.includes("__"))).to.deep.equal(
      [],
    );
  });

  it("says why something is not promised", () => {
    expect(outsideOfModel(jump)).to.deep.equal([]);
    const further = withChange(jump, "jump", TARGETS.node, 100, 6);
    expect(outsideOfModel(further).join()).to.match(
      /node 2 gains 6 s, more than clockStepMs \(5 s\)/,
    );
  });
});

describe("the hashes of the page", () => {
  for (const algorithm of ["sha1", "sha256"] as const) {
    it(`${algorithm} are those of Node.js`, () => {
      for (const length of [0, 1, 55, 56, 63, 64, 65, 1_000]) {
        const text = "aé\u{1F512}".repeat(length).slice(0, length);
        const hash = createHash(algorithm).update(text).digest("hex");
        expect(hash, `${length}`).to.equal(ofNode(algorithm).update(text).digest("hex"));
      }
    });
  }
});
