import type { OracleId } from "../../../sim/oracles/history.js";
import type { Fault, Scenario } from "../../../sim/scenario.js";
import type { Side } from "./play.js";
import { stage, use } from "./scenario.js";

export interface Scene {
  readonly id: string;
  readonly title: string;
  /** The claim, and who made it. */
  readonly claim: string;
  /** What happens when, in words; each is shown from its instant on. */
  readonly steps: readonly { readonly atMs: number; readonly text: string }[];
  readonly right: { readonly who: string; readonly why: string };
  readonly scenario: Scenario;
  /** The oracles that find a violation. */
  readonly broken: Readonly<Record<Side, readonly OracleId[]>>;
}

/** A client and a node cannot reach each other. */
function cut(client: number, node: number, atMs: number, forMs: number): Fault {
  return { kind: "partition", atMs, client, node, way: "both", forMs };
}

/** Client 0 is paused after its check and before its write, for longer than its lease. */
const pausedInWrite = {
  profile: "pause-after-check",
  lengthMs: 16_000,
  workload: [
    use({ atMs: 2_000, client: 0, holdMs: 2_000 }),
    use({ atMs: 4_500, client: 1, waitMs: 8_000, holdMs: 800 }),
  ],
  faults: [{ kind: "pause", atMs: 3_400, client: 0, forMs: 8_500 }] as const,
};

export const SCENES: readonly Scene[] = [
  {
    id: "pause-before-write",
    title: "A pause before the write",
    claim:
      "Kleppmann: a client that is paused after its check writes after its lease has expired, beside the next holder. antirez: that concerns every lock that expires.",
    steps: [
      {
        atMs: 0,
        text: "Three nodes, two clients, perfect clocks. The network is slow so that messages can be seen.",
      },
      { atMs: 2_000, text: "Client 0 acquires the lock and reads the counter in the store." },
      {
        atMs: 3_100,
        text: "Client 0 has just checked that it holds the lock, and is about to write.",
      },
      {
        atMs: 3_400,
        text: "Client 0 is paused (a garbage collection, say) between its check and its write.",
      },
      {
        atMs: 4_500,
        text: "Client 1 wants the lock. Client 0 is paused and renews nothing.",
      },
      { atMs: 5_960, text: "The lease of client 0 is over. A paused process cannot be told." },
      { atMs: 9_700, text: "By now client 1 has held the lock on both sides, and has written." },
      {
        atMs: 11_900,
        text: "Client 0 wakes up and writes at once. Naive: it overwrites the update of client 1. Quorate: a store that checks tokens refuses the smaller token.",
      },
    ],
    right: {
      who: "Both.",
      why: "No lock can prevent the late write: antirez is right that it concerns all of them. Kleppmann is right that a fencing token settles it, and that Redlock as described has none. Quorate gives one with every grant; a store that ignores it loses the update with Quorate as well (F3).",
    },
    scenario: stage({ ...pausedInWrite, options: { checkToWriteMs: 400 } }),
    broken: { naive: ["F3"], quorate: ["F3"] },
  },
  {
    id: "pause-before-return",
    title: "A pause before the acquire returns",
    claim:
      "Kleppmann: the replies may reach the client so late that the lock has already expired. antirez: the client measures how long the acquire took, and subtracts it.",
    steps: [
      {
        atMs: 0,
        text: "The same world. This time the pause comes while client 0 waits for replies.",
      },
      { atMs: 2_000, text: "Client 0 asks the three nodes, which all grant." },
      { atMs: 2_050, text: "Client 0 is paused before the replies arrive." },
      { atMs: 4_000, text: "Client 1 wants the lock, and waits for the keys of client 0 to end." },
      { atMs: 8_400, text: "By now client 1 has been granted the lock on both sides." },
      {
        atMs: 9_050,
        text: "Client 0 wakes up, reads three grants, looks at its clock, and does not take the lock: nothing is left of its validity.",
      },
    ],
    right: {
      who: "antirez.",
      why: "A delay during the acquire only costs validity, if the client checks the clock after the replies, as the description says. The naive client does so by its wall clock: set that back during the pause, and the check fails. Quorate measures on a monotonic clock.",
    },
    scenario: stage({
      profile: "pause",
      lengthMs: 11_000,
      workload: [
        use({ atMs: 2_000, client: 0, holdMs: 2_000 }),
        use({ atMs: 4_000, client: 1, waitMs: 9_000, holdMs: 800 }),
      ],
      faults: [{ kind: "pause", atMs: 2_050, client: 0, forMs: 7_000 }],
    }),
    broken: { naive: [], quorate: [] },
  },
  {
    id: "clock-jump",
    title: "The clock of a node jumps",
    claim:
      "Kleppmann: if the clock of one node jumps forward, its key expires early and a second client gets a quorum. antirez: clocks should not jump; operators can prevent it.",
    steps: [
      {
        atMs: 0,
        text: "Client 0 will reach nodes 0 and 1 only, client 1 nodes 1 and 2 only: any two quorums meet at node 1.",
      },
      { atMs: 2_000, text: "Client 0 acquires the lock on nodes 0 and 1." },
      {
        atMs: 3_000,
        text: "The clock of node 1 jumps 4.5 s forward. Its key is older than its ttl of 4 s now.",
      },
      { atMs: 3_300, text: "Client 1 asks nodes 1 and 2." },
      {
        atMs: 3_910,
        text: "Naive: node 1 has expired the key, and both clients hold the lock. Quorate: keys outlive the lease by clockStepMs (5 s), so node 1 still refuses.",
      },
      { atMs: 4_600, text: "Naive: client 1 overwrites what client 0 wrote." },
      { atMs: 5_700, text: "Quorate: client 1 gets the lock after client 0 has released it." },
    ],
    right: {
      who: "Kleppmann.",
      why: "The algorithm as described gives the lock to two. Advice against clock jumps does not help when a clock jumps. With the margin, steps of up to clockStepMs between two renewals let no second client in. Steps beyond it do, with Quorate as well: drag the clock further and see.",
    },
    scenario: stage({
      profile: "steps",
      lengthMs: 9_000,
      workload: [
        use({ atMs: 2_000, client: 0, holdMs: 3_000 }),
        use({ atMs: 3_300, client: 1, waitMs: 5_000, holdMs: 1_200 }),
      ],
      faults: [
        ...[cut(0, 2, 1_500, 60_000), cut(1, 0, 1_500, 60_000)],
        { kind: "nodeJump", atMs: 3_000, node: 1, byMs: 4_500 },
      ],
    }),
    broken: { naive: ["S1", "F3"], quorate: [] },
  },
  {
    id: "restart-without-data",
    title: "A node restarts without its data",
    claim:
      "The description of Redlock says it itself: a node that restarts empty has forgotten a grant. It advises to keep the node down for a ttl, or to fsync every write.",
    steps: [
      { atMs: 0, text: "As before, two quorums meet at node 1 alone." },
      { atMs: 2_000, text: "Client 0 acquires the lock on nodes 0 and 1." },
      { atMs: 2_800, text: "Node 1 crashes, and restarts 0.3 s later with nothing." },
      { atMs: 3_600, text: "Client 1 asks nodes 1 and 2." },
      {
        atMs: 4_210,
        text: "Naive: node 1 grants, and both hold the lock. Quorate: node 1 has lost its record and is in quarantine, so its vote does not count.",
      },
      {
        atMs: 4_900,
        text: "Naive: client 1 overwrites what client 0 wrote. Quorate: client 1 is still waiting.",
      },
      {
        atMs: 8_000,
        text: "Client 1 reaches node 0 again. Nodes 0 and 2 are a quorum that has forgotten nothing.",
      },
      { atMs: 8_700, text: "Quorate: client 1 has the lock." },
    ],
    right: {
      who: "The description, if its advice is followed.",
      why: "Following its advice is safe, but nothing in the algorithm enforces it. Quorate does: clients notice a node that has lost its data, and its votes do not count until every lease that it may have granted is over.",
    },
    scenario: stage({
      profile: "crash",
      lengthMs: 13_000,
      workload: [
        use({ atMs: 2_000, client: 0, holdMs: 3_600 }),
        use({ atMs: 3_600, client: 1, waitMs: 9_000, holdMs: 1_200 }),
      ],
      faults: [
        ...[cut(0, 2, 1_500, 60_000), cut(1, 0, 1_500, 6_500)],
        { kind: "crash", mode: "amnesia", atMs: 2_800, node: 1, forMs: 300 },
      ],
    }),
    broken: { naive: ["S1", "F3"], quorate: [] },
  },
  {
    id: "split",
    title: "A split: one node each",
    claim:
      "The description: if several clients split the votes, nobody gets the lock, and each tries again after a random delay.",
    steps: [
      {
        atMs: 0,
        text: "Three clients, each beside a node of its own: 5 ms to that one, 200 ms to the others.",
      },
      { atMs: 2_000, text: "All three ask at once. Each gets the node beside it: 1-1-1." },
      {
        atMs: 2_600,
        text: "All release what they have, and try again. A random delay of up to 200 ms is short compared to round trips of 400 ms.",
      },
      {
        atMs: 3_500,
        text: "Quorate: one of them has the lock. The others queue at the nodes, and take turns.",
      },
      { atMs: 4_600, text: "Quorate: all three have held the lock." },
      { atMs: 7_100, text: "Naive: the first client has acquired the lock." },
    ],
    right: {
      who: "Both.",
      why: "Both sides stay safe. Random delays do end a split, but that may take many rounds where the network is slower than the delay. The number of attempts is shown below each side. Try other seeds.",
    },
    scenario: stage({
      seed: 2,
      profile: "network",
      clientCount: 3,
      lengthMs: 10_500,
      distancesMs: [
        [5, 200, 200],
        [200, 5, 200],
        [200, 200, 5],
      ],
      options: { nodeTimeoutMs: 1_000 },
      workload: [0, 1, 2].map((client) => use({ atMs: 2_000, client, waitMs: 8_000, holdMs: 300 })),
      faults: [],
    }),
    broken: { naive: [], quorate: [] },
  },
  {
    id: "nothing-helps",
    title: "Where nothing helps",
    claim:
      "Kleppmann and antirez agree on this one: a lock that expires, a client that may be paused, and a store that accepts every write.",
    steps: [
      {
        atMs: 0,
        text: "The first scene again. Now only the plain store counts: it has no column for tokens, so it has nothing to check.",
      },
      { atMs: 3_400, text: "Client 0 is paused between its check and its write." },
      { atMs: 9_700, text: "By now client 1 has held the lock on both sides, and has written." },
      {
        atMs: 11_900,
        text: "Client 0 wakes up and writes. In the plain store, the update of client 1 is lost on both sides.",
      },
    ],
    right: {
      who: "Nothing helps here.",
      why: "Any time may pass between the last check and the arrival of the write, and neither the client nor the lock can observe it. The same holds for ZooKeeper and etcd. Let the store check the token, or make the write idempotent; lockDelayMs only makes the loss less likely.",
    },
    scenario: stage({ ...pausedInWrite, options: { checkToWriteMs: 400 } }),
    broken: { naive: ["F3"], quorate: ["F3"] },
  },
];
