import { expect } from "chai";
import { fenceAfter } from "../../src/protocol/fencing.js";
import type { HandshakeRequest } from "../../src/channel/transport.js";
import type { ListOffer } from "../../src/protocol/node-list.js";
import { NO_LIST } from "../support/no-list.js";
import { RECORD_KEY } from "../../src/protocol/keys.js";
import {
  expectSame,
  lastOf,
  run,
  wait,
  type Seen,
  type Step,
} from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

const handshake = (request: Partial<HandshakeRequest> = {}): Step => ({ do: "handshake", request });
const list = (nodeId: string, text: string): ListOffer => ({ ...NO_LIST, nodeId, list: text });
const forget: Step = { do: "forget" };
const age: Step = { do: "age" };

interface Row {
  readonly title: string;
  readonly steps: readonly Step[];
  /** Fields of the record that it must end with. */
  readonly gives: Readonly<Record<string, string>>;
}

const known = { ifAbsent: "forgot" } as const;
const opening = (id: string, fellows = "id-1 id-7"): Step =>
  handshake({ order: { becomes: "opening", id, fellows } });
const open = (id: string): Step => handshake({ order: { becomes: "open", id } });
const attest = (id: string, topFence = 0): Step =>
  handshake({ order: { becomes: "attested", id, topFence } });

const ROWS: readonly Row[] = [
  { title: "no record, none known", steps: [handshake()], gives: { id: "id-1", state: "fresh" } },
  {
    title: "no record, but one was known",
    steps: [handshake(known)],
    gives: { id: "id-1", state: "forgot" },
  },
  {
    title: "a record says when it was written, by the node's clock and the writer's",
    steps: [handshake({ wallMs: 1_700_000_000_123.5 }), handshake({ wallMs: 5 })],
    gives: { writerMs: "1700000000123" },
  },
  {
    title: "a record of this run is kept",
    steps: [handshake(), wait(50), handshake({ newId: "id-2", ...known })],
    gives: { id: "id-1", state: "fresh" },
  },
  {
    title: "a record of another run is written anew",
    steps: [handshake(), wait(50), age, handshake({ newId: "id-2", wallMs: 7 })],
    gives: { id: "id-2", state: "forgot", runId: "this run", writerMs: "7" },
  },
  {
    title: "a record of another run on a durable node is kept",
    steps: [handshake(), wait(50), age, handshake({ newId: "id-2", isDurable: true })],
    gives: { id: "id-1", state: "fresh", runId: "this run" },
  },
  {
    title: "a record that is gone is written anew, by one who knew it",
    steps: [handshake(), forget, handshake({ newId: "id-2", ...known })],
    gives: { id: "id-2", state: "forgot" },
  },
  {
    title: "a fresh record is marked by its id",
    steps: [handshake(), opening("id-1")],
    gives: { id: "id-1", state: "opening", fellows: "id-1 id-7" },
  },
  {
    title: "a record is marked once",
    steps: [handshake(), opening("id-1"), opening("id-1", "id-1 id-8")],
    gives: { state: "opening", fellows: "id-1 id-7" },
  },
  {
    title: "a record that is marked is opened by its id",
    steps: [handshake(), opening("id-1"), open("id-1")],
    gives: { id: "id-1", state: "open", fellows: "id-1 id-7" },
  },
  {
    title: "a record that is not marked is not opened",
    steps: [handshake(), open("id-1")],
    gives: { state: "fresh" },
  },
  {
    title: "another id marks nothing",
    steps: [handshake(), opening("id-9")],
    gives: { id: "id-1", state: "fresh", fellows: "" },
  },
  {
    title: "another id opens nothing",
    steps: [handshake(), opening("id-1"), open("id-9")],
    gives: { id: "id-1", state: "opening" },
  },
  {
    title: "another id attests nothing",
    steps: [handshake(), attest("id-9")],
    gives: { id: "id-1", state: "fresh" },
  },
  {
    title: "a record is not marked by the handshake that writes it under another id",
    steps: [handshake({ newId: "id-2", order: { becomes: "opening", id: "id-1", fellows: "" } })],
    gives: { id: "id-2", state: "fresh" },
  },
  {
    title: "what was forgotten is neither marked nor opened",
    steps: [handshake(known), opening("id-1"), open("id-1")],
    gives: { id: "id-1", state: "forgot", fellows: "" },
  },
  {
    title: "what was forgotten is attested",
    steps: [handshake(known), attest("id-1")],
    gives: { id: "id-1", state: "attested" },
  },
  {
    title: "what is attested loses its mark",
    steps: [handshake(), opening("id-1"), attest("id-1"), open("id-1")],
    gives: { state: "attested", fellows: "" },
  },
  {
    title: "what is open stays open over a durable restart",
    steps: [
      handshake(),
      opening("id-1"),
      open("id-1"),
      age,
      handshake({ newId: "id-2", isDurable: true }),
    ],
    gives: { id: "id-1", state: "open" },
  },
  {
    title: "what was open and restarts has lost its mark",
    steps: [handshake(), opening("id-1"), open("id-1"), age, handshake({ newId: "id-2" })],
    gives: { id: "id-2", state: "forgot", fellows: "" },
  },
  {
    title: "what was attested and restarts is not any more",
    steps: [handshake(), attest("id-1"), age, handshake({ newId: "id-2" }), attest("id-1")],
    gives: { id: "id-2", state: "forgot" },
  },
  {
    title: "the longest ttl is raised",
    steps: [handshake(), handshake({ maxTtlMs: 90_000 })],
    gives: { maxTtlMs: "90000" },
  },
  {
    title: "the longest ttl is never lowered, also not as text",
    steps: [handshake({ maxTtlMs: 100_000 }), handshake({ maxTtlMs: 99_999 })],
    gives: { maxTtlMs: "100000" },
  },
  {
    title: "the longest ttl survives a record of another run",
    steps: [handshake({ maxTtlMs: 90_000 }), age, handshake({ newId: "id-2", maxTtlMs: 10 })],
    gives: { id: "id-2", maxTtlMs: "90000" },
  },
  {
    title: "the largest gain of a clock is raised, and never lowered",
    steps: [
      handshake({ clockStepMs: 900 }),
      handshake({ clockStepMs: 5_000 }),
      handshake({ clockStepMs: 900 }),
    ],
    gives: { clockStepMs: "5000" },
  },
  {
    title: "the node's id and the list of a prefix are the first writer's",
    steps: [
      handshake({ nodeList: list("n1", "n1=a") }),
      handshake({ nodeList: list("n2", "n2=b") }),
    ],
    gives: { nodeId: "n1", "nodes:lock:": "n1=a", nodeCount: "" },
  },
  {
    title: "with a list come the fences of all its nodes, once",
    steps: [
      handshake({ nodeList: { ...list("n1", "n1=a"), topFence: 700 } }),
      handshake({ nodeList: { ...list("n1", "n1=a"), topFence: 900 } }),
    ],
    gives: { "nodes:lock:": "n1=a", floor: "700", top: "700" },
  },
  {
    title: "a list lowers no fence",
    steps: [
      handshake({ nodeList: { ...list("n1", "n1=a"), topFence: 700 } }),
      handshake({ nodeList: { ...list("n1", "n1=a"), keyPrefix: "other:", topFence: 600 } }),
    ],
    gives: { floor: "700", top: "700" },
  },
  {
    title: "each prefix has a list of its own",
    steps: [
      handshake({ nodeList: list("n1", "n1=a") }),
      handshake({ nodeList: { ...list("n2", "n2=b"), keyPrefix: "other:" } }),
    ],
    gives: { "nodes:lock:": "n1=a", "nodes:other:": "n2=b" },
  },
  {
    title: "the node's id and the lists survive a record of another run",
    steps: [handshake({ nodeList: list("n1", "n1=a") }), age, handshake({ newId: "id-2" })],
    gives: { id: "id-2", state: "forgot", nodeId: "n1", "nodes:lock:": "n1=a" },
  },
  {
    title: "a new id is the one that is offered for the record",
    steps: [handshake({ nodeList: { ...NO_LIST, isToGetId: true } })],
    gives: { nodeId: "id-1" },
  },
  {
    title: "who only looks writes nothing",
    steps: [
      handshake(),
      handshake({ isLooking: true, maxTtlMs: 90_000, nodeList: list("n1", "n1=a") }),
      age,
      handshake({ newId: "id-2", isLooking: true }),
      handshake({ isLooking: true, order: { becomes: "attested", id: "id-1", topFence: 9 } }),
    ],
    gives: { id: "id-1", state: "fresh", runId: "another run", maxTtlMs: "60000" },
  },
  {
    title: "the node count is the first writer's",
    steps: [handshake(), handshake({ nodeCount: 5 })],
    gives: { nodeCount: "3" },
  },
];

const acquire = (recordId: string): Step => {
  return { do: "batch", recordId, of: [{ kind: "acquire", fromNowUs: 0 }] };
};

conformance("the handshake on a real server and in memory", (redis) => {
  for (const { title, steps, gives } of ROWS) {
    it(title, async () => {
      const seen = await expectSame(redis(), steps);
      const state = lastOf(seen).state as Record<string, unknown>;
      expect(state[RECORD_KEY]).to.include(gives);
    });
  }

  for (const [title, above, gives] of [
    ["far below its clock", 5, "proposal"],
    ["below its clock, though not as text", 90_000_000_000_000, "proposal"],
    ["above its clock", 9_000_000_000_000_000, "above"],
  ] as const) {
    it(`a node gives out no fence that is not above what it was attested with: ${title}`, async () => {
      const seen = await expectSame(redis(), [
        handshake(known),
        attest("id-1", above),
        run({ kind: "acquire", name: "b", fromNowUs: 0 }, { kind: "acquire", fromNowUs: 0 }),
      ]);
      const { votes } = lastOf(seen).answer as { votes: { fence: number }[] };
      for (const { fence } of votes) {
        if (gives === "above") expect(fence).to.equal(fenceAfter(above));
        else expect(fence).to.be.above(1_000_000_000_000_000);
      }
    });
  }

  it("writes nothing for one that only looks", async () => {
    const seen = await expectSame(redis(), [handshake({ isLooking: true })]);
    expect(lastOf(seen).state).not.to.have.property(RECORD_KEY);
  });

  it("writes nothing where it is not asked to, and finds nothing then", async () => {
    const seen = await expectSame(redis(), [handshake({ ifAbsent: undefined })]);
    expect(lastOf(seen).state).not.to.have.property(RECORD_KEY);
    expect(lastOf(seen).answer).to.include({ id: undefined });
  });

  it("a real server says that it is a master", async () => {
    const seen = await expectSame(redis(), [handshake()]);
    expect(lastOf(seen).answer).to.deep.include({ problems: [] });
  });
});

conformance("the incarnation on a real server and in memory", (redis) => {
  const rows: readonly [title: string, steps: readonly Step[], answer: object][] = [
    ["the known one", [handshake(), acquire("id-1")], { isSameIncarnation: true }],
    ["another one", [handshake(), acquire("id-2")], { isSameIncarnation: false }],
    ["none compared", [handshake(), acquire("")], { isSameIncarnation: true }],
    ["no record", [acquire("id-1")], { isSameIncarnation: false }],
    ["a node that forgot", [handshake(), forget, acquire("id-1")], { isSameIncarnation: false }],
    ["another run of the server", [handshake(), age, acquire("id-1")], { isSameIncarnation: true }],
  ];
  for (const [title, steps, answer] of rows) {
    it(title, async () => {
      const seen = await expectSame(redis(), steps);
      expect(lastOf(seen).answer).to.deep.include(answer);
    });
  }

  it("only acquires are refused under another one", async () => {
    const seen: Seen[] = await expectSame(redis(), [
      handshake(),
      run({ kind: "acquire", name: "b" }),
      {
        do: "batch",
        recordId: "id-2",
        of: [
          { kind: "extend", name: "b" },
          { kind: "acquire" },
          { kind: "heal", fence: 3 },
          { kind: "acquire" },
          { kind: "seal", fence: 4 },
          { kind: "release", name: "b" },
        ],
      },
    ]);
    const { votes, isSameIncarnation } = lastOf(seen).answer as {
      votes: { kind: string; fault?: string }[];
      isSameIncarnation: boolean;
    };
    expect(isSameIncarnation).to.equal(false);
    expect(votes.map(({ kind, fault }) => fault ?? kind)).to.deep.equal([
      "granted",
      "quarantined",
      "granted",
      "quarantined",
      "granted",
      "granted",
    ]);
  });

  it("a batch without acquires does not look at it", async () => {
    const steps: Step[] = [
      run({ kind: "acquire" }),
      { do: "batch", recordId: "id-2", of: [{ kind: "extend" }, { kind: "release" }] },
    ];
    const seen = await expectSame(redis(), steps);
    expect(lastOf(seen).answer).to.deep.include({ isSameIncarnation: true });
  });
});
