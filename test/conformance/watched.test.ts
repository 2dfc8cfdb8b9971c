import { createHash } from "node:crypto";
import { expect } from "chai";
import type { Vote } from "../../src/protocol/operation.js";
import {
  NAMES,
  OWNERS,
  type OperationSpec,
  type Owner,
} from "../support/conformance/node-under-test.js";
import { expectSame, lastOf, wait, type Seen, type Step } from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import { OBSERVED_LENGTH, WATCH_MS } from "../../src/protocol/watching.js";

const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex");
const [X, Y] = [sha1(OWNERS.x), sha1(OWNERS.y)];

/** Under a record: only then acquires look. */
const HANDSHAKE: Step = { do: "handshake", request: { newId: "id-1", ifAbsent: "fresh" } };
const run = (...of: OperationSpec[]): Step => ({ do: "batch", recordId: "id-1", of });
const take = (owner: Owner, more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "acquire", fence: 7, owner, ttlMs: 60_000, ...more };
};
/** Its owner is the secret of the node's messages. */
const watch: OperationSpec = { kind: "watch", owner: "z" };
const release = (owner: Owner, more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "release", fence: 1, owner, ttlMs: 60_000, ...more };
};
const says = (number: number, value: string): Partial<OperationSpec> => ({
  proclaimed: { number, value },
});
const extend = (owner: Owner, more: Partial<OperationSpec>): OperationSpec => {
  return { kind: "extend", fence: 5, owner, ttlMs: 60_000, ...more };
};

interface Row {
  readonly title: string;
  readonly given: readonly Step[];
  readonly when: OperationSpec;
  /** Without their proofs; of a fence only whether there is one. */
  readonly tells: readonly string[];
}

const ROWS: readonly Row[] = [
  { title: "an acquire tells who has it", given: [], when: take("x"), tells: [`held F 0 ${X} 0 `] },
  {
    title: "with the label",
    given: [],
    when: take("y"),
    tells: [`held F 0 ${Y} 9 host 7:é`],
  },
  { title: "a refused one tells nothing", given: [run(take("x"))], when: take("y"), tells: [] },
  {
    title: "a release tells that nobody has it",
    given: [run(take("x"))],
    when: release("x"),
    tells: ["free F"],
  },
  { title: "one that finds nothing tells nothing", given: [], when: release("x"), tells: [] },
  {
    title: "one that passes the name on tells of the next",
    given: [run(take("x"))],
    when: take("y", { previous: "x" }),
    tells: [`held F 0 ${Y} 9 host 7:é`],
  },
  {
    title: "a steal tells who has it now",
    given: [run(take("x"))],
    when: take("y", { preempts: true }),
    tells: [`held F 0 ${Y} 9 host 7:é`],
  },
  {
    title: "a seal tells its token",
    given: [run(take("x"))],
    when: { kind: "seal", owner: "x", fence: 9_000_000_000_000_000, ttlMs: 60_000 },
    tells: [`held F 0 ${X} 0 `],
  },
  {
    title: "an extend tells what its holder proclaims",
    given: [run(take("x"))],
    when: extend("x", says(1, "10.0.0.1:80")),
    tells: [`held F 1 ${X} 0 10.0.0.1:80`],
  },
  {
    title: "the same again tells nothing",
    given: [run(take("x"), extend("x", says(1, "a")))],
    when: extend("x", says(1, "a")),
    tells: [],
  },
  {
    title: "nor does what came before it",
    given: [run(take("x"), extend("x", says(2, "b")))],
    when: extend("x", says(1, "a")),
    tells: [],
  },
  {
    title: "nor what another proclaims",
    given: [run(take("x"))],
    when: extend("y", says(1, "a")),
    tells: [],
  },
  {
    title: "a heal tells who has it again",
    given: [],
    when: { ...extend("x", says(3, "c")), kind: "heal" },
    tells: [`held F 3 ${X} 0 c`],
  },
];

conformance("what those who observe a name are told, on a real server and in memory", (redis) => {
  const toldBy = ({ told }: Seen): string[] =>
    told.flatMap((message) => {
      const [, proof = "", text = ""] = /^watch (\S+) (.*)$/su.exec(message) ?? [];
      if (proof === "") return [];
      expect(proof).to.equal(sha1(`${OWNERS.z} ${text}`));
      return [text.replace(/^(free|held) \d+/u, "$1 F")];
    });

  for (const { title, given, when, tells } of ROWS) {
    it(title, async () => {
      const steps = [HANDSHAKE, run(watch), ...given, run(when)];
      expect(toldBy(lastOf(await expectSame(redis(), steps)))).to.deep.equal(tells);
    });
  }

  it("nothing where nobody observes the name, or no more", async () => {
    const never = await expectSame(redis(), [HANDSHAKE, run(take("x"))]);
    const before = await expectSame(redis(), [
      ...[HANDSHAKE, run(watch), wait(WATCH_MS + 1), run(take("x"))],
    ]);
    for (const seen of [never, before]) expect(toldBy(lastOf(seen))).to.deep.equal([]);
  });

  it("each name that is asked for in time, whatever others are asked for in between", async () => {
    for (const atMs of [1, 2_499, WATCH_MS - 1]) {
      const meanwhile = [wait(atMs), run({ ...watch, name: "b" }), wait(WATCH_MS - 1 - atMs)];
      for (const times of [0, 1, 2, 3]) {
        const asks = Array.from({ length: times }, () => [...meanwhile, run(watch)]).flat();
        const steps = [HANDSHAKE, run(take("x"), watch), ...asks, ...meanwhile, run(release("x"))];
        expect(toldBy(lastOf(await expectSame(redis(), steps)))).to.have.length(1);
      }
    }
  });

  it("one that is asked for in the same batch, after an acquire of another", async () => {
    const steps = [HANDSHAKE, run(take("y", { name: "b" }), watch, take("x"))];
    expect(toldBy(lastOf(await expectSame(redis(), steps)))).to.have.length(1);
  });

  it("one that was asked for before the node's clock was set back", async () => {
    const other = run({ ...watch, name: "b" });
    const again = [wait(WATCH_MS - 1), run(watch), wait(1), other, wait(-6_000), other];
    const steps = [HANDSHAKE, run(take("x"), watch), ...again, run(release("x"))];
    expect(toldBy(lastOf(await expectSame(redis(), steps)))).to.have.length(1);
  });

  const listed = (observed: string): Step => {
    return { do: "putHash", key: RECORD_KEY, fields: { id: "id-1", observed } };
  };
  const listOf = ({ state }: Seen): string | undefined => {
    return (state as Readonly<Record<string, Readonly<Record<string, string>>>>)[RECORD_KEY]?.[
      "observed"
    ];
  };

  it("after the list of observed names is rubbish, too long or from a later clock", async () => {
    const many = Array.from({ length: 200 }, (_, at) => `${at}`).join(",");
    for (const list of ["", "rubbish", "99999999999999", "1,1,;", `9999999999999,${many},;`]) {
      const steps = [HANDSHAKE, listed(list), run(watch), run(take("x")), run(release("x"))];
      expect(toldBy(lastOf(await expectSame(redis(), steps)))).to.have.length(1);
    }
  });

  it("of each of many names, more than the list has room for", async () => {
    const begun = listOf(lastOf(await expectSame(redis(), [HANDSHAKE, run(watch)])));
    const untilText = String(begun).slice(0, 13);
    const partOf = (length: number): string => `,${"1".repeat(length - 2)},`;
    for (const length of [OBSERVED_LENGTH - 1, OBSERVED_LENGTH]) {
      const filled = `${untilText}${partOf(length)};`;
      const steps = [HANDSHAKE, run(watch), listed(filled), run(watch)];
      const list = listOf(lastOf(await expectSame(redis(), steps)));
      const { fenceBucket } = NAMES.a;
      const grown = `${untilText}${partOf(length)}${fenceBucket},;`;
      expect(list).to.equal(length < OBSERVED_LENGTH ? grown : filled);
    }
    // Where it is as long as that, wherever that comes from, it need not have the name.
    const half = partOf(OBSERVED_LENGTH / 2);
    for (const list of [
      `${partOf(OBSERVED_LENGTH)};`,
      `,;${partOf(OBSERVED_LENGTH)}`,
      `${half};${half}`,
    ]) {
      const about = [HANDSHAKE, run(watch), listed(untilText + list), run(take("x"))];
      for (const steps of [about, [...about, run(release("x"))]]) {
        expect(toldBy(lastOf(await expectSame(redis(), steps))), list.slice(0, 9)).to.have.length(
          1,
        );
      }
    }
  });

  it("and an acquire forgets a list that is over", async () => {
    const steps = [HANDSHAKE, run(watch), wait(2 * WATCH_MS - 1), run(take("x"))];
    expect(listOf(lastOf(await expectSame(redis(), steps)))).to.include(NAMES.a.fenceBucket);
    const over = [HANDSHAKE, run(watch), wait(2 * WATCH_MS), run(take("x"))];
    expect(listOf(lastOf(await expectSame(redis(), over)))).to.equal("");
  });

  const snapshotOf = ({ answer }: Seen) => {
    const vote = (answer as { readonly votes: readonly Vote[] }).votes.at(-1);
    return vote?.kind === "granted" ? vote.snapshot : undefined;
  };

  it("an answer has the secret of the first who asked, and what its holder proclaims", async () => {
    const steps = [
      ...[HANDSHAKE, run(watch, take("x"), extend("x", says(2, "b")))],
      run({ ...watch, owner: "y" }),
    ];
    const snapshot = snapshotOf(lastOf(await expectSame(redis(), steps)));
    expect(snapshot).to.deep.include({
      ...{ holder: OWNERS.x, who: X, secret: OWNERS.z },
      proclaimed: { token: 5, number: 2, value: "b" },
    });
  });

  it("what it proclaimed stays as long as its lock, which an extend does not shorten", async () => {
    const brief = { ttlMs: 1_000, ...says(1, "a") };
    for (const last of [extend("x", brief), extend("x", { ...brief, ...says(0, "") })]) {
      const steps = [HANDSHAKE, run(take("x"), extend("x", brief), last), wait(1_100)];
      const snapshot = snapshotOf(lastOf(await expectSame(redis(), [...steps, run(watch)])));
      expect(snapshot?.proclaimed).to.include({ number: 1, value: "a" });
    }
  });

  it("what it proclaimed ends with its lock, and counts for no other holder", async () => {
    const held = [HANDSHAKE, run(take("x"), extend("x", says(2, "b")))];
    const looks = run({ kind: "inspect" });
    const stolen = await expectSame(redis(), [...held, run(take("y", { preempts: true })), looks]);
    expect(snapshotOf(lastOf(stolen))).to.include({ holder: OWNERS.y, proclaimed: undefined });
    const released = await expectSame(redis(), [...held, run(release("x", says(2, ""))), looks]);
    const { state } = lastOf(released);
    expect(Object.keys(state as object).filter((key) => key.includes("value"))).to.deep.equal([]);
  });
});
