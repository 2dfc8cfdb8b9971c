import { expect } from "chai";
import { RedisFleet } from "../../../src/testing/index.js";
import { KillRounds, overlaps, VICTIMS } from "../../support/kill-rounds.js";
import { eventually } from "../../support/settle.js";
import { seededEntropy } from "../../support/seeded-entropy.js";
import { StampFolder } from "../../support/watched-command.js";

const ROUNDS = Number(process.env["QUORATE_KILL_ROUNDS"] ?? 4);
const SEED = Number(process.env["QUORATE_KILL_SEED"] ?? 1);

describe("Commands of quorate exec under random kills", () => {
  before(function () {
    // Processes are known by /proc.
    if (process.platform !== "linux") this.skip();
  });

  it(`never run at the same time, in ${ROUNDS} rounds of seed ${SEED}`, async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    using stamps = new StampFolder();
    const entropy = seededEntropy(SEED);
    const random = (): number => entropy.unit();
    const rounds = new KillRounds(fleet, stamps, random);
    const struck: string[] = [];
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? "quorate";
        struck.push(victim);
        await rounds.round(victim);
      }
      await rounds.begun(2);
    } finally {
      await rounds.end();
    }
    const spans = rounds.spans();
    if (ROUNDS > 10) console.log(`${spans.length} commands; struck: ${struck.join(" ")}`);
    expect(overlaps(spans)).to.deep.equal([]);
  }).timeout(60_000 + ROUNDS * 30_000);

  it("would, without a guard", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    using stamps = new StampFolder();
    const rounds = new KillRounds(fleet, stamps, () => 0, ["--no-guard"]);
    try {
      await rounds.round("quorate");
      await rounds.begun(2);
      // The first one has to put its stamp once more, before both are ended.
      const overlap = (): boolean => overlaps(rounds.spans()).length > 0;
      await eventually("both commands run", overlap);
    } finally {
      await rounds.end();
    }
  }).timeout(120_000);

  it("would be found out by this check, if they did", () => {
    const one = { token: 1, fromMs: 0, untilMs: 10 };
    expect(overlaps([one, { token: 2, fromMs: 9, untilMs: 20 }])).to.have.length(1);
    expect(overlaps([one, { token: 1, fromMs: 10, untilMs: 20 }])).to.have.length(1);
    expect(overlaps([{ token: 2, fromMs: 10, untilMs: 20 }, one])).to.deep.equal([]);
  });
});
