import { expect } from "chai";
import type { OracleId } from "../../sim/oracles/history.js";
import type { NodePort, VoteReceiver } from "../../src/coordinator/ports.js";
import type { AnyOperation, Operation, Vote } from "../../src/protocol/operation.js";
import type { Tamper } from "../../sim/fleet.js";
import type { Profile } from "../../sim/profiles.js";
import { runSeeds } from "../support/sim/run-seeds.js";
import { planted, TAKING } from "../support/sim/planted.js";

const GRANTED: Vote = { kind: "granted", fence: 0 };

interface PlantedBug {
  readonly title: string;
  readonly profile: Profile;
  /** The oracle that must find it; the only one that is asked. */
  readonly killer: OracleId;
  readonly tamper: Tamper;
  /** Of a rare bug: the first that shows it, if no time of a message changes. Others are tried after it. */
  readonly firstSeed?: number;
}

/** A node's channel whose operations or votes are changed on the way. */
function between(
  change: (inner: NodePort, operation: Operation, receiver: VoteReceiver, mayHold: boolean) => void,
): Tamper {
  return {
    wrapNode: (inner) => ({
      name: inner.name,
      submit: (operation, receiver, mayHold) => change(inner, operation, receiver, mayHold),
      voteOf: (grant, ownerId) => inner.voteOf(grant, ownerId),
    }),
  };
}

const BUGS: readonly PlantedBug[] = [
  {
    title: "no allowance for drift",
    profile: "skew",
    killer: "S2",
    firstSeed: 172,
    tamper: { options: () => ({ driftFactor: 0 }) },
  },
  {
    title: "validity that forgets the drift",
    profile: "calm",
    killer: "S3",
    tamper: { options: () => ({ driftFactor: 0 }) },
  },
  {
    title: "keys that live half as long as was asked",
    profile: "calm",
    killer: "S2",
    tamper: between((inner, operation, receiver, mayHold) => {
      const { kind, ttlMs = 0 }: AnyOperation = operation;
      const halved = { ...operation, ttlMs: Math.ceil(ttlMs / 2) } as Operation;
      inner.submit(kind === "release" ? operation : halved, receiver, mayHold);
    }),
  },
  {
    title: "a release that does not ask whose key it is",
    profile: "network",
    killer: "S4",
    tamper: {
      script: planted([
        "if is_ours then is_free = kind.drop(lock) elseif kind.drop_rest then kind.drop_rest(lock) end",
        "kind.drop(lock)",
      ]),
    },
  },
  {
    title: "an acquire that takes whatever stands there",
    profile: "calm",
    killer: "S1",
    tamper: { script: planted(TAKING) },
  },
  {
    title: "the same, as the protected store sees it",
    profile: "calm",
    killer: "F3",
    tamper: { script: planted(TAKING) },
  },
  {
    title: "an extend that leaves the key as it is",
    profile: "pause",
    killer: "S2",
    tamper: {
      script: planted([
        "local moved = try('PEXPIRE', KEYS[k + m - 1], ttl, 'GT')",
        "local moved = 1",
      ]),
    },
  },
  {
    title: "a fence that is not compared with the last",
    profile: "calm",
    killer: "F1",
    firstSeed: 11,
    tamper: {
      script: planted([
        "if last and floor and math.max(last, floor) < tonumber(proposal) then",
        "if last and floor then",
      ]),
    },
  },
  {
    title: "a vote that comes twice",
    profile: "calm",
    killer: "S5",
    tamper: between((inner, operation, receiver, mayHold) => {
      const onVote = (index: number, vote: Vote): void => {
        receiver.onVote(index, vote);
        receiver.onVote(index, vote);
      };
      inner.submit(operation, { onVote }, mayHold);
    }),
  },
  {
    title: "a rollback that spares the nodes which have not answered",
    profile: "network",
    killer: "L3",
    get tamper() {
      const granted = new Set<string>();
      return between((inner, operation, receiver, mayHold) => {
        const key = `${operation.ownerId} ${inner.name}`;
        if (operation.kind === "release" && !granted.has(key)) return;
        const onVote = (index: number, vote: Vote): void => {
          if (vote.kind === "granted") granted.add(key);
          receiver.onVote(index, vote);
        };
        inner.submit(operation, { onVote }, mayHold);
      });
    },
  },
  {
    title: "no quarantine",
    profile: "crash",
    killer: "Q1",
    tamper: { options: () => ({ quarantine: false }) },
  },
  {
    title: "patience for longer than is promised",
    profile: "network",
    killer: "L1",
    // As long as an option may have it.
    tamper: { options: ({ ttlMs }) => ({ nodeTimeoutMs: Math.min(2_000, ttlMs - 1) }) },
  },
  {
    title: "a quarantine for longer than the longest lease",
    profile: "crash",
    killer: "L2",
    tamper: { options: () => ({ maxTtlMs: 600_000 }) },
  },
  {
    title: "timers that come late",
    profile: "calm",
    killer: "S6",
    tamper: {
      wrapClock: (clock) => ({
        ...clock,
        setTimer: (delayMs, callback) => clock.setTimer(delayMs + 300, callback),
      }),
    },
  },
  {
    title: "timers that cannot be called off",
    profile: "calm",
    killer: "L4",
    tamper: {
      wrapClock: (clock) => ({
        ...clock,
        setTimer(delayMs, callback) {
          clock.setTimer(delayMs, callback);
          return { cancel: () => {} };
        },
      }),
    },
  },
  {
    title: "tokens that are all the same, where two hold at once",
    profile: "calm",
    killer: "F2",
    tamper: {
      script: planted(TAKING, [
        "replies[n + m] = 0\nfields[#fields + 1]",
        "replies[n + m] = '1'\nfields[#fields + 1]",
      ]),
    },
  },
  {
    title: "an extend that sets the key where there is none",
    profile: "crash",
    killer: "S4",
    tamper: {
      script: planted([
        "if not kind.is_ours(lock) then return require('lib.lock_key').blocker(lock, kind) end",
        "redis.call('SET', lock.key, lock.owner, 'NX', 'PX', lock.ttl)",
      ]),
    },
  },
  {
    title: "all votes booked on one node",
    profile: "calm",
    killer: "E1",
    tamper: between((inner, operation, receiver, mayHold) => {
      const onVote = (_index: number, vote: Vote): void => receiver.onVote(0, vote);
      inner.submit(operation, { onVote }, mayHold);
    }),
  },
  {
    title: "silence that is taken for an error of the node",
    profile: "network",
    killer: "E2",
    tamper: between((inner, operation, receiver, mayHold) => {
      const onVote = (index: number, vote: Vote): void =>
        receiver.onVote(index, vote.kind === "fault" ? { ...vote, fault: "server" } : vote);
      inner.submit(operation, { onVote }, mayHold);
    }),
  },
  {
    title: "a release that says it is done",
    profile: "network",
    killer: "R1",
    tamper: between((inner, operation, receiver, mayHold) => {
      if (operation.kind !== "release") {
        inner.submit(operation, receiver, mayHold);
        return;
      }
      const onVote = (index: number): void => receiver.onVote(index, GRANTED);
      inner.submit(operation, { onVote }, mayHold);
    }),
  },
  {
    title: "a process that gives up and stays in the queues",
    profile: "shared",
    killer: "W4",
    tamper: between((inner, operation, receiver, mayHold) => {
      if (operation.kind === "leave") receiver.onVote(0, GRANTED);
      else inner.submit(operation, receiver, mayHold);
    }),
  },
  {
    title: "a node that leaves those in its queue who leave it",
    profile: "shared",
    killer: "W4",
    tamper: {
      script: planted([
        "require('queue.leave')(lock.queue, lock.place, 'r' .. lock.place)",
        "false",
      ]),
    },
  },
  {
    title: "a node that leaves those in its queue who get the name",
    profile: "waiting",
    killer: "W4",
    tamper: {
      script: planted(["pcall(require('queue.leave'), queue, place)", ""]),
    },
  },
  {
    title: "a lock whose place in the queue of a node that refused it outlives it",
    profile: "shared",
    killer: "W4",
    // It leaves without waiting: nobody is in its process's wait queue then.
    get tamper() {
      const refused = new Set<string>();
      return between((inner, operation, receiver, mayHold) => {
        const { kind, keys, waiter }: AnyOperation = operation;
        const where = `${inner.name} ${keys.name} ${waiter?.inbox}`;
        if (kind === "leave" && refused.has(where)) receiver.onVote(0, GRANTED);
        else inner.submit(operation, receiver, mayHold);
        if (kind === "acquire") refused.add(where);
      });
    },
  },
  {
    title: "a release that tells nobody",
    profile: "calm",
    killer: "W5",
    tamper: {
      script: planted([
        "if may_tell and (is_free or call('EXISTS', lock.key) == 0) then",
        "if false then",
      ]),
    },
  },
  {
    title: "a first permit that tells nobody",
    profile: "semaphore",
    killer: "W5",
    tamper: {
      script: planted(["if lock.is_first or lock.is_waited_for then offer(lock) end", ""]),
    },
  },
  {
    title: "a permit whose release tells nobody",
    profile: "semaphore",
    killer: "W5",
    tamper: {
      script: planted(["if is_ours and kind.pass_on then pcall(kind.pass_on, lock) end", ""]),
    },
  },
  {
    title: "a first reader that lets nobody in",
    profile: "shared",
    killer: "W5",
    tamper: {
      script: planted([
        "if lock.is_first or lock.has_opened then require('queue.notify_readers')(lock.key, lock.queue) end",
        "",
      ]),
    },
  },
  {
    title: "a reader that is restored, and lets nobody in",
    profile: "shared",
    killer: "W5",
    firstSeed: 53,
    tamper: {
      script: planted([
        "if kind.lifted then kind.lifted(lock, lock.token) end\nif kind.taken then pcall(kind.taken, lock) end",
        "if kind.lifted then kind.lifted(lock, lock.token) end",
      ]),
    },
  },
  {
    title: "a writer that leaves, and tells no reader behind it",
    profile: "waiting",
    killer: "W5",
    firstSeed: 74,
    tamper: {
      script: planted(["require('queue.notify_readers')(key, queue)", "do end"]),
    },
  },
  {
    title: "a plain waiter that leaves, and tells no waiter for a permit behind it",
    profile: "semaphore",
    killer: "W5",
    firstSeed: 212,
    tamper: {
      script: planted([
        "if not is_passed_on and not has_left then return end",
        "if not is_passed_on then return end",
      ]),
    },
  },
  {
    title: "a release that tells nobody, and whoever polls gets the name",
    profile: "healthy",
    killer: "W7",
    tamper: {
      script: planted([
        "if may_tell and (is_free or call('EXISTS', lock.key) == 0) then",
        "if false then",
      ]),
    },
  },
  {
    title: "a permit whose release tells nobody, and whoever polls gets it",
    profile: "healthy",
    killer: "W7",
    firstSeed: 146,
    tamper: {
      script: planted(["if is_ours and kind.pass_on then pcall(kind.pass_on, lock) end", ""]),
    },
  },
  {
    title: "a first reader that lets nobody in, and whoever polls reads",
    profile: "healthy",
    killer: "W7",
    tamper: {
      script: planted([
        "if lock.is_first or lock.has_opened then require('queue.notify_readers')(lock.key, lock.queue) end",
        "",
      ]),
    },
  },
  {
    title: "messages that no process understands",
    profile: "calm",
    killer: "W6",
    tamper: {
      script: planted(["(inbox, wants .. ms .. ':' .. key)", "(inbox, '0:' .. key)"]),
    },
  },
];

describe("a planted bug is found by its oracle", () => {
  for (const { title, profile, killer, tamper, firstSeed = 1 } of BUGS) {
    it(`${killer}: ${title}`, async () => {
      const found = await runSeeds(profile, firstSeed, 300, {
        oracles: [killer],
        tamper,
        until: killer,
      });
      expect([...found.ids]).to.deep.equal([killer]);
    });
  }
});
