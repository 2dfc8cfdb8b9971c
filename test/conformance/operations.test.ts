import { expect } from "chai";
import { FENCE_STEP, MAX_FENCE } from "../../src/protocol/fencing.js";
import {
  NAMES,
  OWNERS,
  SLACK_US,
  type OperationSpec,
} from "../support/conformance/node-under-test.js";
import {
  expectSame,
  lastOf,
  put,
  putFence,
  run,
  wait,
  type Step,
} from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

interface Row {
  readonly title: string;
  readonly given?: readonly Step[];
  readonly when: readonly OperationSpec[];
  /** The votes, in few words: `+`, or what was refused or failed. */
  readonly gives: string;
}

/** The tokens that it stands for are safe integers as well. */
const LAST_FENCE = MAX_FENCE - (MAX_FENCE % FENCE_STEP) - FENCE_STEP;

const acquire = (more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, ...more };
};
const seal = (fence: number, more: Partial<OperationSpec> = {}): OperationSpec => {
  return { kind: "seal", fence, ...more };
};
const held = run(acquire());
const heldByY = run(acquire({ owner: "y" }));

const yByP = { owner: "y", inbox: "p", ticket: 2 } as const;
const zByQ = { owner: "z", inbox: "q", ticket: 1 } as const;
const yByDeaf = { owner: "y", inbox: "deaf", ticket: 0 } as const;
const release: OperationSpec = { kind: "release" };

const handOver = (more: Partial<OperationSpec> = {}): OperationSpec => {
  return acquire({ ...yByP, previous: "x", ...more });
};

const ROWS: readonly Row[] = [
  {
    title: "hand-over: the previous owner's key is the new one's",
    given: [held],
    when: [handOver(), { kind: "extend" }, { kind: "extend", owner: "y" }],
    gives: "+handed held +",
  },
  {
    title: "hand-over: for a ttl of its own, also a shorter one",
    given: [held, wait(100)],
    when: [handOver({ ttlMs: 10 })],
    gives: "+handed",
  },
  {
    title: "hand-over: a free key, and one that is its own already",
    when: [handOver(), handOver()],
    gives: "+ +",
  },
  {
    title: "hand-over: where it is its turn",
    given: [run(acquire({ owner: "z" })), run(acquire(yByP)), run({ kind: "release", owner: "z" })],
    when: [handOver()],
    gives: "+",
  },
  {
    title: "hand-over: another's key is left alone",
    given: [run(acquire({ owner: "z" }))],
    when: [handOver(), { kind: "release", owner: "z" }, acquire({ owner: "z" }), acquire(yByP)],
    gives: "held + held +",
  },
  {
    title: "hand-over: somebody's data is left alone",
    given: [put("a", "data")],
    when: [handOver()],
    gives: "foreign",
  },
  {
    title: "hand-over: says whether others wait, and leaves the queue itself",
    given: [held, run(acquire(yByP))],
    when: [handOver(), acquire(zByQ), handOver({ owner: "x", previous: "y" })],
    gives: "+handed held +handed,waited",
  },
  {
    title: "hand-over: from one without fencing",
    given: [run({ kind: "acquire" })],
    when: [handOver(), handOver({ owner: "z", fromNowUs: undefined })],
    gives: "+handed held",
  },
  {
    title: "hand-over: of neither touches no fence",
    given: [run({ kind: "acquire" })],
    when: [handOver({ fromNowUs: undefined })],
    gives: "+handed",
  },
  {
    title: "hand-over: where the fence is used up the previous owner's key is left to its release",
    given: [held, putFence(MAX_FENCE)],
    when: [handOver(), release],
    gives: "implausible +",
  },
  {
    title: "take-over: the key of the one that gave it is the new one's",
    given: [held],
    when: [acquire({ owner: "y", previous: "x" }), { kind: "extend" }],
    gives: "+handed held",
  },
  {
    title: "take-over: says whether others wait, and takes nobody out of the queue",
    given: [held, run(acquire(yByP))],
    when: [acquire({ owner: "z", previous: "x" }), { kind: "release", owner: "z" }, acquire(yByP)],
    gives: "+handed,waited + +",
  },
  {
    title: "take-over: a free key is taken as nobody's",
    when: [acquire({ owner: "y", previous: "x" }), { kind: "extend", owner: "y" }],
    gives: "+ +",
  },
  {
    title: "take-over: one that is refused enters no queue",
    given: [held],
    when: [acquire({ owner: "y", previous: "z" }), release, acquire(zByQ)],
    gives: "held + +",
  },
  {
    title: "take-over: what is reserved for a waiter is that waiter's",
    given: [held, run(acquire(yByP)), run(release)],
    when: [acquire({ owner: "z", previous: "x" }), acquire(yByP)],
    gives: "held +",
  },
  {
    title: "waiting: the lowest ticket gets the turn, and nobody else can take it",
    given: [held, run(acquire(yByP), acquire(zByQ))],
    when: [release, acquire({ owner: "y" }), acquire(yByP), acquire(zByQ)],
    gives: "+ held held +,waited",
  },
  {
    title: "waiting: who queues up again with another ticket stands there once, by the new one",
    given: [held, run(acquire(zByQ), acquire(yByP), acquire({ ...zByQ, ticket: 3 }))],
    when: [release, acquire({ ...zByQ, ticket: 3 }), acquire(yByP), { ...release, owner: "y" }],
    gives: "+ held +,waited +",
  },
  {
    title: "waiting: who is not heard is passed over",
    given: [held, run(acquire(yByDeaf), acquire(zByQ))],
    when: [release, acquire(yByDeaf), acquire(zByQ)],
    gives: "+ held +,waited",
  },
  {
    title: "waiting: nobody is heard, the name is free",
    given: [held, run(acquire(yByDeaf))],
    when: [release, acquire({ owner: "z" })],
    gives: "+ +",
  },
  {
    title: "waiting: a turn that is not taken runs out",
    given: [held, run(acquire(zByQ)), run(release), wait(21)],
    when: [acquire({ owner: "y" })],
    gives: "+",
  },
  {
    title: "waiting: who leaves passes the turn on",
    given: [held, run(acquire(yByP), acquire(zByQ)), run(release)],
    when: [{ kind: "leave", ...zByQ }, acquire(zByQ), acquire(yByP)],
    gives: "+ held +,waited",
  },
  {
    title: "waiting: who leaves the queue gets no turn",
    given: [held, run(acquire(zByQ), { kind: "leave", ...zByQ })],
    when: [release, acquire({ owner: "y" })],
    gives: "+ +",
  },
  {
    title: "waiting: a release puts its own next one behind lower tickets",
    given: [held, run(acquire(zByQ))],
    when: [{ kind: "release", ...yByP, owner: "x" }, acquire(yByP), acquire(zByQ)],
    gives: "+ held +,waited",
  },
  {
    title: "waiting: a release of what is another's gives no turn",
    given: [heldByY, run(acquire(zByQ))],
    when: [release, acquire(zByQ)],
    gives: "held held",
  },
  {
    title: "waiting: a lock that ran out is followed by the first of the queue",
    given: [run(acquire({ ttlMs: 5 })), run(acquire(zByQ)), wait(6)],
    when: [release, acquire({ owner: "y" }), acquire(zByQ)],
    gives: "free held +",
  },
  {
    title: "waiting: a holder heals where it is its own turn, and nowhere else",
    given: [held, run(acquire(zByQ)), run(release)],
    when: [
      { kind: "heal", owner: "z" },
      { kind: "heal", owner: "z", inbox: "p" },
      { kind: "heal", owner: "z", inbox: "q" },
    ],
    gives: "held held +",
  },
  { title: "acquire: free", when: [acquire()], gives: "+" },
  { title: "acquire: free, without fencing", when: [{ kind: "acquire" }], gives: "+" },
  { title: "acquire: its own, a second time", when: [acquire(), acquire()], gives: "+ +" },
  {
    title: "acquire: its own, for longer",
    given: [held, wait(600)],
    when: [acquire({ ttlMs: 2_000 })],
    gives: "+",
  },
  {
    title: "acquire: its own, for shorter",
    given: [held],
    when: [acquire({ ttlMs: 10 })],
    gives: "+",
  },
  { title: "acquire: another's", given: [heldByY], when: [acquire()], gives: "held" },
  {
    title: "acquire: another's without a label",
    given: [held],
    when: [acquire({ owner: "y" })],
    gives: "held",
  },
  {
    title: "acquire: another client's, short",
    given: [put("a", "s", 9)],
    when: [acquire()],
    gives: "held",
  },
  {
    title: "acquire: data without expiry",
    given: [put("a", "data")],
    when: [acquire()],
    gives: "foreign",
  },
  {
    title: "acquire: five with one proposal",
    when: [
      acquire(),
      { kind: "release" },
      acquire({ owner: "y" }),
      { kind: "release", owner: "y" },
      acquire({ owner: "z" }),
      acquire({ owner: "z" }),
      acquire({ owner: "z" }),
    ],
    gives: "+ + + + + + +",
  },
  ...[-1, 0, 1].flatMap((offUs): Row[] => [
    {
      title: `acquire: a proposal ${offUs} µs off the upper clamp`,
      when: [acquire({ fromNowUs: SLACK_US + offUs })],
      gives: "+",
    },
    {
      title: `acquire: a proposal ${offUs} µs off the lower clamp`,
      when: [acquire({ fromNowUs: -SLACK_US + offUs })],
      gives: "+",
    },
    {
      title: `acquire: a fence ${1 - offUs} before the last one`,
      given: [putFence(LAST_FENCE + (offUs - 1) * FENCE_STEP)],
      when: [acquire(), { kind: "release" }, acquire({ owner: "y" })],
      gives:
        offUs === -1 ? "+ + +" : offUs === 0 ? "+ + implausible" : "implausible free implausible",
    },
  ]),
  { title: "acquire: a proposal of 0", when: [acquire({ fence: 0 })], gives: "+" },
  { title: "acquire: a proposal of 2^53 - 1", when: [acquire({ fence: MAX_FENCE })], gives: "+" },
  {
    title: "acquire: its own where the fence is used up",
    given: [held, putFence(MAX_FENCE)],
    when: [acquire({ ttlMs: 5_000 })],
    gives: "implausible",
  },
  {
    title: "seal: below, equal, above the fence",
    given: [run({ kind: "acquire" }), putFence(100)],
    when: [seal(99), seal(100), seal(101), seal(101)],
    gives: "held held + held",
  },
  { title: "seal: no fence yet", given: [run({ kind: "acquire" })], when: [seal(7)], gives: "+" },
  { title: "seal: another's", given: [heldByY, putFence(1)], when: [seal(7)], gives: "held" },
  { title: "seal: free", given: [putFence(1)], when: [seal(7)], gives: "free" },
  {
    title: "seal: numbers of another length",
    given: [run({ kind: "acquire" }), putFence(99)],
    when: [seal(100), seal(99)],
    gives: "+ held",
  },
  {
    title: "extend: never shortens",
    given: [held, wait(500)],
    when: [
      { kind: "extend", ttlMs: 499 },
      { kind: "extend", ttlMs: 500 },
      { kind: "extend", ttlMs: 501 },
      { kind: "extend", ttlMs: 9_000 },
    ],
    gives: "+ + + +",
  },
  { title: "extend: another's", given: [heldByY], when: [{ kind: "extend" }], gives: "held" },
  {
    title: "extend: data without expiry",
    given: [put("a", "data")],
    when: [{ kind: "extend" }],
    gives: "foreign",
  },
  { title: "extend: free", when: [{ kind: "extend" }], gives: "free" },
  { title: "heal: free, with a token", when: [{ kind: "heal", fence: 5 }], gives: "+" },
  { title: "heal: free, without", when: [{ kind: "heal" }], gives: "+" },
  {
    title: "heal: its own keeps its ttl",
    given: [held],
    when: [{ kind: "heal", fence: 5, ttlMs: 9_000 }],
    gives: "+",
  },
  {
    title: "heal: another's, lifts the fence all the same",
    given: [heldByY, putFence(10)],
    when: [
      { kind: "heal", fence: 11 },
      { kind: "heal", fence: 11 },
      { kind: "heal", fence: 9 },
    ],
    gives: "held held held",
  },
  {
    title: "release: its own",
    given: [held],
    when: [{ kind: "release", fence: 5 }],
    gives: "+",
  },
  {
    title: "release: twice, lifting the fence",
    given: [held, putFence(4)],
    when: [
      { kind: "release", fence: 5 },
      { kind: "release", fence: 6 },
    ],
    gives: "+ free",
  },
  { title: "release: without a token", given: [held], when: [{ kind: "release" }], gives: "+" },
  {
    title: "release: another's, lifting the fence",
    given: [heldByY, putFence(4)],
    when: [{ kind: "release", fence: 5 }],
    gives: "held",
  },
  { title: "release: free, no fence", when: [{ kind: "release", fence: 5 }], gives: "free" },
  {
    title: "release: data without expiry",
    given: [put("a", "data")],
    when: [{ kind: "release", fence: 5 }],
    gives: "foreign",
  },
  {
    title: "keeping: the key is left for as long as the name stays closed, and no longer",
    given: [held, wait(100)],
    when: [{ ...release, keepMs: 300 }, acquire({ owner: "y" }), { ...release, keepMs: 200 }],
    gives: "+ held +",
  },
  {
    title: "keeping: never lets it live longer",
    given: [held, wait(900)],
    when: [{ ...release, keepMs: 300 }],
    gives: "+",
  },
  {
    title: "keeping: is over when its time is",
    given: [held, run({ ...release, keepMs: 300 }), wait(301)],
    when: [{ ...release, keepMs: 300 }, acquire({ owner: "y" })],
    gives: "free +",
  },
  {
    title: "keeping: another's key is left alone, and the fence is lifted as by a release",
    given: [heldByY, putFence(4)],
    when: [
      { ...release, keepMs: 300, fence: 5 },
      { kind: "seal", owner: "y", fence: 5 },
    ],
    gives: "held held",
  },
  {
    title: "keeping: gives nobody the turn, not where the key is gone either",
    given: [held, run(acquire(yByP), acquire(zByQ))],
    when: [{ ...release, keepMs: 300 }, acquire(yByP), { ...release, name: "b", keepMs: 300 }],
    gives: "+ held free",
  },
  {
    title: "keeping: a key of ours that somebody made stay goes, too",
    given: [put("a", OWNERS.x)],
    when: [{ ...release, keepMs: 300 }],
    gives: "+",
  },
  {
    title: "keeping: beside releases that do not, and for different times",
    given: [held, run(acquire({ name: "b" }), acquire({ name: "tagged" }))],
    when: [
      { ...release, keepMs: 300 },
      { ...release, name: "b" },
      { ...release, name: "tagged", keepMs: 200 },
    ],
    gives: "+ + +",
  },
  {
    title: "names do not meet",
    when: [acquire(), acquire({ name: "b", owner: "y" }), acquire({ name: "tagged", owner: "z" })],
    gives: "+ + +",
  },
];

conformance("one operation on a real server and in memory", (redis) => {
  for (const { title, given = [], when, gives } of ROWS) {
    it(title, async () => {
      const seen = await expectSame(redis(), [...given, run(...when)]);
      expect(inWords(lastOf(seen).answer)).to.equal(gives);
    });
  }

  it("five grants of one proposal have five fences", async () => {
    const owners = ["x", "y", "z", "x", "y"] as const;
    const steps = owners.flatMap((owner) => [
      run(acquire({ owner })),
      run({ kind: "release", owner }),
    ]);
    const fences = (await expectSame(redis(), steps)).flatMap(({ answer }) => fencesOf(answer));
    const first = redis().nowUs;
    expect(fences).to.deep.equal([0, 1, 2, 3, 4].map((count) => first + count * FENCE_STEP));
  });

  for (const more of [{}, { inbox: "q", ticket: 1 }] as const) {
    const who = "inbox" in more ? "a waiter" : "one that asks once";
    it(`keeps the canonical layout for ${who}: the ownerId with a PX ttl`, async () => {
      const seen = await expectSame(redis(), [run(acquire({ ...more, owner: "kx" }))]);
      const state = lastOf(seen).state as Record<string, unknown>;
      expect(state[NAMES.a.lockKey]).to.deep.equal({ text: OWNERS.kx, pttlMs: 1_000 });
    });
  }
});

interface Reply {
  readonly votes: readonly {
    kind: string;
    reason?: string;
    fault?: string;
    fence?: number;
    isHandedOver?: boolean;
    isWaitedFor?: boolean;
  }[];
}

function inWords(answer: unknown): string {
  const { votes } = answer as Reply;
  return votes
    .map(({ kind, reason, fault, isHandedOver, isWaitedFor }) => {
      if (kind !== "granted") return reason ?? fault;
      return `+${isHandedOver ? "handed" : ""}${isWaitedFor ? ",waited" : ""}`;
    })
    .join(" ");
}

function fencesOf(answer: unknown): number[] {
  return (answer as Reply).votes.flatMap(({ fence = 0 }) => (fence > 0 ? [fence] : []));
}
