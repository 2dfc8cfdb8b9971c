import { expect } from "chai";
import * as fc from "fast-check";
import type { OperationSpec } from "../support/conformance/node-under-test.js";
import {
  expectSame,
  lastOf,
  put,
  putHash,
  run,
  wait,
  type Step,
} from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

type More = Partial<OperationSpec>;
const acquire = (more: More = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, name: "aStamp", ...more };
};
const extend = (more: More = {}): OperationSpec => ({ kind: "extend", name: "aStamp", ...more });
const end = (more: More = {}): OperationSpec => ({ kind: "release", name: "aStamp", ...more });
const heal = (more: More = {}): OperationSpec => {
  return { kind: "heal", name: "aStamp", fence: 5, ...more };
};
const plain = (more: More = {}): OperationSpec => ({ kind: "acquire", fromNowUs: 0, ...more });
const y = { owner: "y" } as const;
const zByQ = { owner: "z", inbox: "q", ticket: 1 } as const;
const inSeconds = { name: "aSeconds" } as const;

interface Row {
  readonly title: string;
  /** What another has put there: so long from now its lock ends, ms, in its unit. */
  readonly theirs?: { readonly endsInMs: number; readonly unit?: "s"; readonly ttlMs?: number };
  readonly given?: readonly Step[];
  readonly when: readonly OperationSpec[];
  /** The votes: `+`, why it was refused, or what was found. */
  readonly gives: string;
  /** What the lock key says in the end, ms from now (of seconds: rounded up); or that it is gone. */
  readonly saysMs?: number | "-";
}

const ROWS: readonly Row[] = [
  { title: "says when it ends, and somewhat more", when: [acquire()], gives: "+", saysMs: 2_000 },
  { title: "its own, a second time", when: [acquire(), acquire()], gives: "+ +", saysMs: 2_000 },
  { title: "excludes another of us", when: [acquire(), acquire(y)], gives: "+ held" },
  { title: "in seconds", when: [acquire(inSeconds)], gives: "+" },
  { title: "is released", when: [acquire(), end(), acquire(y)], gives: "+ + +" },
  { title: "is not another's to release", when: [acquire(), end(y)], gives: "+ held" },
  {
    title: "extends, never shortens, and ends by itself",
    given: [
      run(acquire({ ttlMs: 50 })),
      run(extend({ ttlMs: 90 }), extend({ ttlMs: 1 })),
      wait(80),
    ],
    when: [extend({ ttlMs: 5 })],
    gives: "+",
  },
  {
    title: "stands through the whole of its last millisecond",
    given: [run(acquire({ ttlMs: 5 })), wait(5)],
    when: [acquire(y), extend()],
    gives: "held +",
  },
  {
    title: "is over",
    given: [run(acquire({ ttlMs: 5 })), wait(6)],
    when: [extend()],
    gives: "free",
  },
  {
    title: "waits for one that others hold",
    theirs: { endsInMs: 500 },
    when: [acquire(), end(), extend(), heal()],
    gives: "held held held held",
    saysMs: 500,
  },
  {
    title: "waits somewhat longer than others say",
    theirs: { endsInMs: -999 },
    when: [acquire()],
    gives: "held",
    saysMs: -999,
  },
  {
    title: "takes over what ran out",
    theirs: { endsInMs: -1_000 },
    when: [acquire()],
    gives: "+",
    saysMs: 2_000,
  },
  {
    title: "is put back over what ran out",
    theirs: { endsInMs: -5_000 },
    when: [heal(), extend()],
    gives: "+ +",
    saysMs: 2_000,
  },
  {
    title: "leaves alone, when it ends, what ran out",
    theirs: { endsInMs: -5_000 },
    when: [end()],
    gives: "free",
    saysMs: -5_000,
  },
  {
    title: "an expiry of others counts, too",
    theirs: { endsInMs: 5_000, ttlMs: 20 },
    given: [wait(21)],
    when: [acquire()],
    gives: "+",
  },
  {
    title: "waits for one that others hold, in seconds",
    theirs: { endsInMs: 0, unit: "s" },
    when: [acquire(inSeconds)],
    gives: "held",
  },
  {
    title: "takes over what ran out, in seconds",
    theirs: { endsInMs: -3_000, unit: "s" },
    when: [acquire(inSeconds)],
    gives: "+",
  },
  {
    title: "seconds are no milliseconds",
    theirs: { endsInMs: -3_000, unit: "s" },
    when: [acquire(), acquire(inSeconds), acquire(y)],
    gives: "timestamp-seconds + timestamp-seconds",
  },
  {
    title: "milliseconds are no seconds",
    theirs: { endsInMs: -3_000 },
    when: [acquire(inSeconds), acquire(), acquire({ ...inSeconds, ...y })],
    gives: "timestamp + timestamp",
  },
  {
    title: "a plain mutex finds a lock of ours",
    when: [acquire(), plain(y), { kind: "release", ...y }, end()],
    gives: "+ timestamp timestamp +",
    saysMs: "-",
  },
  {
    title: "a plain mutex finds a lock of ours in seconds",
    when: [acquire(inSeconds), plain(y), { kind: "extend", ...y }],
    gives: "+ timestamp-seconds timestamp-seconds",
  },
  {
    title: "a plain mutex finds one of others",
    theirs: { endsInMs: 500 },
    when: [plain(), { kind: "release" }],
    gives: "timestamp timestamp",
    saysMs: 500,
  },
  {
    title: "finds a plain mutex, and readers",
    when: [
      plain(y),
      acquire(),
      { kind: "release", ...y },
      plain({ ...y, name: "aShared" }),
      acquire(),
    ],
    gives: "+ redlock + + redlock",
  },
  {
    title: "finds a lock of Redisson",
    given: [putHash("a", { "0f8fad5b-d9cb-469f-a165-70867728950e:7": "1" }, 500)],
    when: [acquire(), plain(), plain({ name: "ab" })],
    gives: "redisson redisson redisson",
  },
  {
    title: "finds data",
    given: [putHash("a", { field: "data" }, 500)],
    when: [acquire(), plain(), end(), extend()],
    gives: "hash hash hash hash",
  },
  {
    title: "finds a number",
    given: [put("a", "7")],
    when: [acquire()],
    gives: "string without expiry",
  },
  {
    title: "who waits is told, and the name is not kept for it",
    given: [run(acquire(), acquire(zByQ)), run(end())],
    when: [acquire(y), acquire(zByQ)],
    gives: "+ held",
  },
];

conformance("a timestamp in the lock key, on a real server and in memory", (redis) => {
  for (const { title, theirs, given = [], when, gives, saysMs } of ROWS) {
    it(title, async () => {
      const nowMs = Math.floor(redis().nowUs / 1_000);
      const before = theirs === undefined ? [] : [put("a", textOf(nowMs, theirs), theirs.ttlMs)];
      const last = lastOf(await expectSame(redis(), [...before, ...given, run(...when)]));
      const { votes } = last.answer as { votes: Vote[] };
      expect(votes.map(wordOf).join(" ")).to.equal(gives);
      if (saysMs === undefined) return;
      const state = last.state as Readonly<Record<string, { text: string }>>;
      const text = state["lock:a"]?.text;
      expect(text === undefined ? "-" : Number(text) - nowMs).to.equal(saysMs);
    });
  }

  it("sees what another put in its place, also with the same timestamp", async () => {
    for (const more of [0, 1]) {
      const nowMs = Math.floor(redis().nowUs / 1_000);
      const steps = [run(acquire()), put("a", String(nowMs + 2_000 + more)), run(extend(), end())];
      const last = lastOf(await expectSame(redis(), steps));
      const { votes } = last.answer as { votes: Vote[] };
      expect(votes.map(wordOf).join(" ")).to.equal("held held");
      expect(Object.keys(last.state as object)).to.include("lock:a");
      expect(Object.keys(last.state as object)).not.to.include("quorate:stamp:{lock:a}");
    }
  });

  it("L5: a release that released nothing notifies no waiter", async () => {
    const waiting = [run(acquire({ ttlMs: 5 })), run(acquire(zByQ)), wait(6)];
    const { state } = lastOf(await expectSame(redis(), [...waiting, run(end(y))]));
    expect(state).to.have.property("quorate:queue:{lock:a}");
  });

  it("the same answers and keys whatever is asked", async () => {
    const operation = fc.record({
      kind: fc.constantFrom("acquire" as const, "release" as const, "extend" as const),
      name: fc.constantFrom(
        "aStamp" as const,
        "aStamp" as const,
        "aSeconds" as const,
        "a" as const,
      ),
      owner: fc.constantFrom("x" as const, "y" as const, "z" as const),
      inbox: fc.constantFrom(undefined, "p" as const, "q" as const),
      ttlMs: fc.constantFrom(5, 40, 1_000),
      fromNowUs: fc.constantFrom(undefined, 0),
    });
    const spec = operation.map((each) => {
      return { ...each, inbox: each.kind === "extend" ? undefined : each.inbox };
    });
    const step = fc.oneof(
      { weight: 5, arbitrary: spec.map((each) => run(each)) },
      { weight: 1, arbitrary: fc.constantFrom(1, 6, 50, 1_500).map(wait) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await expectSame(redis(), steps);
      }),
      { numRuns: 60 },
    );
  });
});

interface Vote {
  readonly kind: string;
  readonly reason?: string;
  readonly label?: string;
}

function wordOf({ kind, reason, label }: Vote): string {
  if (kind === "granted") return "+";
  return (reason === "foreign" ? label : reason) ?? kind;
}

function textOf(nowMs: number, { endsInMs, unit }: NonNullable<Row["theirs"]>): string {
  const endsAtMs = nowMs + endsInMs;
  return String(unit === "s" ? Math.floor(endsAtMs / 1_000) : endsAtMs);
}
