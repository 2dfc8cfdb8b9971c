import { expect } from "chai";
import type { Vote } from "../../src/protocol/operation.js";
import { closedSign, MAX_SIGNS, RENEWED_BY_MS } from "../../src/protocol/overdue.js";
import type { Name, OperationSpec, Owner } from "../support/conformance/node-under-test.js";
import {
  expectSame,
  lastOf,
  run,
  wait,
  type Seen,
  type Step,
} from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

type More = Partial<OperationSpec>;

/** How somebody holds the name, and how another asks for it who is refused. */
interface Kind {
  readonly title: string;
  readonly held: Name;
  readonly asked: Name;
}

const KINDS: readonly Kind[] = [
  { title: "a plain mutex", held: "a", asked: "a" },
  { title: "a plain mutex, to a reader", held: "a", asked: "aShared" },
  { title: "a reader, to a writer", held: "aShared", asked: "a" },
  { title: "a permit, to one who wants that one", held: "a0", asked: "a0" },
  { title: "a permit, to a plain mutex", held: "a0", asked: "a" },
  { title: "several permits, to one who wants one of them", held: "a01of4", asked: "a1of4" },
  { title: "a hold of an owner, to another owner", held: "aJob", asked: "aTask" },
  { title: "a hold of an owner, to a plain mutex", held: "aJob", asked: "a" },
  { title: "a set, to a plain mutex", held: "ab", asked: "b" },
  { title: "a plain mutex, to a set", held: "b", asked: "ab" },
  { title: "a set, to its like", held: "ab", asked: "ab" },
];

/** Layouts that are read by others, and owners who do not say for how long their names are kept. */
const UNSIGNED: readonly { readonly held: Name; readonly owner: Owner }[] = [
  { held: "a", owner: "x" },
  { held: "aShared", owner: "x" },
  { held: "a0", owner: "x" },
  { held: "aJob", owner: "x" },
  { held: "aHash", owner: "kx" },
  { held: "aStamp", owner: "kx" },
];

conformance("what is overdue, on a real server and in memory", (redis) => {
  const take = (name: Name, owner: Owner, more: More = {}): OperationSpec => {
    return { kind: "acquire", fromNowUs: 0, name, owner, ...more };
  };
  const extend = (name: Name, owner: Owner, ttlMs: number): OperationSpec => {
    return { kind: "extend", name, owner, ttlMs };
  };
  /** Ends of keys are not told exactly before Redis 7; those of members are. */
  const markOf = (name: Name): "~" | "" => {
    const isOfKey = name === "a" || name === "b" || name === "ab";
    return isOfKey && (redis().version[0] ?? 0) < 7 ? "~" : "";
  };
  const expire = (name: Name, held: Name, of: Owner, inMs: number): OperationSpec => {
    const mark = markOf(held);
    return { kind: "expire", name, signs: [{ of, inMs, ...(mark === "~" && { mark }) }] };
  };
  const told = (seen: Seen): string => {
    const { votes } = seen.answer as { readonly votes: readonly Vote[] };
    const vote = votes.at(-1);
    return vote?.kind === "refused" ? (vote.signs ?? "none") : `${vote?.kind}`;
  };
  /** What the last of them tells. The clock stands still but for these steps. */
  const after = async (...steps: Step[]): Promise<string> => {
    return told(lastOf(await expectSame(redis(), steps)));
  };
  const nowMs = (): number => Math.floor(redis().nowUs / 1_000);

  for (const { title, held, asked } of KINDS) {
    describe(title, () => {
      const holds = run(take(held, "kx"));
      const ask = run(take(asked, "y"));
      const signOf = (endMs: number): string => `900~x_____@${markOf(held)}${endMs}`;

      it("is told of with its end, and so again while it is not renewed", async () => {
        const endMs = nowMs() + 1_000;
        expect(await after(holds, ask)).to.equal(signOf(endMs));
        expect(await after(wait(-300), holds, wait(300), ask)).to.equal(signOf(endMs - 300));
      });

      it("is told of by a refresh as by a refusal", async () => {
        // No refresh concerns a set.
        if (asked === "ab") return;
        const endMs = nowMs() + 1_000;
        const refresh: OperationSpec = { kind: "refresh", places: [{ name: asked }] };
        const seen = lastOf(await expectSame(redis(), [holds, wait(100), run(refresh)]));
        const [vote] = (seen.answer as { readonly votes: readonly Vote[] }).votes;
        expect(vote?.kind).to.equal("granted");
        const looks = vote?.kind === "granted" ? vote.looks : undefined;
        const sign = closedSign(
          looks?.signs ?? "",
          (looks?.nowMs ?? 0) + (looks?.blockedMs[0] ?? 0),
        );
        expect(sign).to.equal(signOf(endMs));
      });

      for (const ttlMs of [1_000, 999, 500, 1]) {
        it(`is told of otherwise behind a renewal by ${ttlMs} ms at once`, async () => {
          const endMs = nowMs() + 1_000;
          const renewed = run(extend(held, "kx", ttlMs));
          const movedMs = markOf(held) === "~" || /^(a|b|ab)$/.test(held) ? RENEWED_BY_MS : 1;
          const sign = await after(holds, renewed, ask);
          expect(Number(sign.slice(-13)) - endMs).to.equal(movedMs);
        });
      }

      it("is ended by its sign, for whoever asks behind that", async () => {
        expect(
          await after(holds, run(expire(asked, held, "kx", 1_000), take(asked, "y"))),
        ).to.equal("granted");
      });

      it("stays where it was renewed since", async () => {
        const late = run(expire(asked, held, "kx", 1_000), take(asked, "y"));
        const early = run(expire(asked, held, "kx", 960), take(asked, "y"));
        const sign = await after(holds, run(extend(held, "kx", 1_020)), late);
        expect(sign).to.match(/^900~x_____@/);
        expect(await after(holds, wait(40), run(extend(held, "kx", 1_000)), early)).to.equal(
          signOf(nowMs() + 1_000),
        );
      });

      it("is told of with a longer time, behind an extension for that long or a heal, and then as ever", async () => {
        const longer = { ttlMs: 3_000, keptMs: 2_500 };
        for (const kind of ["extend", "heal"] as const) {
          const first = kind === "extend" ? [holds] : [];
          const told = [run({ kind, name: held, owner: "kx", ...longer }), ask];
          const sign = await after(...first, ...told);
          expect(sign, kind).to.match(/^2500~x_____@/);
          expect(Number(sign.slice(-13)) - nowMs(), kind).to.equal(3_000);
          const renewals = [
            run(extend(held, "kx", 1_000)),
            wait(2_990),
            run(extend(held, "kx", 1_000)),
          ];
          expect(await after(...first, ...told, ...renewals, ask), kind).to.match(/^2500~/);
          expect(await after(...first, ...told, ...renewals, wait(20), ask), kind).to.match(
            /^900~/,
          );
          const released = run({ kind: "release", name: held, owner: "kx", ...longer });
          expect(await after(...first, ...told, released, run(take(asked, "y")))).to.equal(
            "granted",
          );
        }
      });

      it("stays where the sign is another's", async () => {
        const others = run(expire(asked, held, "kz", 1_000), take(asked, "y"));
        expect(await after(holds, others)).to.equal(signOf(nowMs() + 1_000));
      });
    });
  }

  for (const { held, owner } of UNSIGNED) {
    it(`an owner ${owner} of ${held} has no sign, and is not ended`, async () => {
      const asks = run(expire("a", held, "kx", 1_000), take("a", "y"));
      const sign = await after(run(take(held, owner)), asks);
      expect(sign).to.be.oneOf(["", "none"]);
    });
  }

  it("of many readers those are told of that end first, and each is ended alone", async () => {
    const readers = (["kx", "ky", "kz"] as const).map((owner, index) =>
      take("aShared", owner, { ttlMs: 1_000 + index }),
    );
    const endMs = nowMs() + 1_000;
    expect(await after(run(...readers), run(take("a", "x")))).to.equal(
      `900~x_____@${endMs};40~y_____@${endMs + 1};900~z_____@${endMs + 2}`,
    );
    const one = run(expire("a", "aShared", "ky", 1_001), take("a", "x"));
    expect(await after(run(...readers), one)).to.equal(
      `900~x_____@${endMs};900~z_____@${endMs + 2}`,
    );
    expect(MAX_SIGNS).to.be.above(readers.length);
  });

  it("of who has many permits each is told of once, and the others behind them", async () => {
    const endMs = nowMs() + 1_000;
    const holders = run(
      take("aMostOf20", "kx"),
      take("a19of20", "ky", { ttlMs: 1_001 }),
      take("a18of20", "x", { ttlMs: 2_000 }),
    );
    const ask = run(take("a19of20", "z"));
    expect(await after(holders, ask)).to.equal(`900~x_____@${endMs};40~y_____@${endMs + 1}`);
    const one = run(expire("a", "aMostOf20", "kx", 1_000), take("a19of20", "z"));
    expect(await after(holders, one)).to.equal(`40~y_____@${endMs + 1}`);
  });

  it("whoever has several permits is told once that they are ended", async () => {
    const ended = run(expire("a", "a01of4", "kxp", 1_000));
    const seen = await expectSame(redis(), [run(take("a01of4", "kxp")), ended]);
    expect(lastOf(seen).told).to.deep.equal(["p lost x_____"]);
  });
});
