import { expect } from "chai";
import { exclusiveLock } from "../../src/kinds/exclusive.js";
import { ownedLock } from "../../src/kinds/owned.js";
import { permitLock } from "../../src/kinds/permit.js";
import { severalLock } from "../../src/kinds/several.js";
import { sharedLock } from "../../src/kinds/shared.js";
import { bytesOf } from "../../src/memory/bytes.js";
import { MemoryRedis } from "../../src/memory/memory-redis.js";
import { plainReply } from "../../src/memory/reply.js";
import { MAX_FENCE } from "../../src/protocol/fencing.js";
import { companionKey, inboxChannel, nameKeys, RECORD_KEY } from "../../src/protocol/keys.js";
import type { LockKind } from "../../src/protocol/lock-kind.js";
import type { NameSnapshot, Operation, OperationKind, Vote } from "../../src/protocol/operation.js";
import { decodeReply } from "../../src/script/batch-decoder.js";
import { encodeBatch } from "../../src/script/batch-encoder.js";
import { BATCH_SCRIPT } from "../../src/script/batch-script.js";
import { operation } from "../support/channel-bench.js";

const NAME = nameKeys("lock:", "a");
const PLAIN = exclusiveLock(NAME);
const TTL_MS = 10_000;
const START_US = 1_700_000_000_000_000;

/** A node whose clock goes on when it is told to. */
class Node {
  nowUs = START_US;
  readonly redis = new MemoryRedis({ nowUs: () => this.nowUs });

  run(...words: (string | number)[]): unknown {
    return plainReply(this.redis.execute(words.map((word) => bytesOf(String(word)))));
  }

  /** Somebody listens there. */
  listen(inbox: string): void {
    const connection = this.redis.connect();
    connection.execute(["SUBSCRIBE", inboxChannel(inbox)]);
  }

  votes(...operations: readonly Operation[]): readonly Vote[] {
    const words = encodeBatch(operations, "", 1, { fenceSlackUs: 15_000_000 });
    const reply = decodeReply(this.run("EVAL", BATCH_SCRIPT, ...words), operations);
    if (reply.kind !== "votes") throw new Error(`no votes: ${JSON.stringify(reply)}`);
    return reply.votes;
  }

  ask(
    kind: OperationKind,
    ownerId: string,
    keys: LockKind = PLAIN,
    over: Partial<Operation> = {},
  ): Vote {
    const fence = kind === "acquire" ? START_US : undefined;
    const all = { keys, ttlMs: TTL_MS, fence, ...over };
    return this.votes(operation(kind, ownerId, all))[0] as Vote;
  }

  /** How many commands that takes, each of a script's too. */
  countOf(act: () => void): number {
    let count = 0;
    const { denied } = this.redis;
    denied.add("of nobody");
    denied.has = () => {
      count++;
      return false;
    };
    act();
    return count;
  }

  inspect(): NameSnapshot {
    const vote = this.ask("inspect", "", PLAIN, { fence: 0 });
    if (vote.kind !== "granted" || vote.snapshot === undefined) throw new Error("no snapshot");
    return vote.snapshot;
  }
}

describe("A node on which somebody observes a name", () => {
  const ask = (node: Node, of: Operation): Vote => {
    const words = encodeBatch([of], "id-1", 1, { fenceSlackUs: 15_000_000 });
    const reply = decodeReply(node.run("EVAL", BATCH_SCRIPT, ...words), [of]);
    if (reply.kind !== "votes") throw new Error(`no votes: ${JSON.stringify(reply)}`);
    return reply.votes[0] as Vote;
  };
  const acquire = (keys: LockKind): Operation =>
    operation("acquire", "owner", { keys, ttlMs: TTL_MS, fence: START_US });
  let node: Node;
  beforeEach(() => {
    node = new Node();
    node.run("HSET", RECORD_KEY, "id", "id-1");
    expect(ask(node, operation("watch", "secret", { keys: PLAIN })).kind).to.equal("granted");
  });

  for (const [title, name] of [
    ["that name", NAME],
    ["another", nameKeys("lock:", "b")],
  ] as const) {
    it(`grants ${title} to who may not look for locks that were ended: there are none`, () => {
      node.redis.denied.add("ZSCORE");
      expect(ask(node, acquire(exclusiveLock(name))).kind).to.equal("granted");
      const set = severalLock([nameKeys("lock:", "c"), nameKeys("lock:", "d")]);
      expect(ask(node, acquire(set)).kind).to.equal("granted");
    });
  }

  it("still says who holds it where it may store nothing, and tells nobody", () => {
    const full = new Node();
    full.redis.denied.add("SET");
    const vote = full.ask("watch", "secret");
    const snapshot = vote.kind === "granted" ? vote.snapshot : undefined;
    expect(snapshot).to.include({ holder: undefined, secret: "" });
  });

  it("grants nothing to who may not, where there are such locks", () => {
    ask(node, operation("revoke", "another", { keys: PLAIN, ttlMs: TTL_MS }));
    node.redis.denied.add("ZSCORE");
    expect(ask(node, acquire(PLAIN)).kind).to.equal("fault");
  });
});

describe("Many permits", () => {
  const COUNT = 2_000;
  const every = (step: number, from: number): LockKind => {
    const numbers = Array.from({ length: COUNT / step }, (_, at) => step * at + from);
    return permitLock(NAME, COUNT, numbers.length, numbers);
  };

  it("are asked for with a few commands for each, though none are neighbours", () => {
    const node = new Node();
    expect(node.ask("acquire", "me", every(2, 0)).kind).to.equal("granted");
    const count = node.countOf(() => {
      expect(node.ask("acquire", "you", every(2, 1)).kind).to.equal("granted");
    });
    expect(count / (COUNT / 2)).to.be.below(6);
  });

  it("cost those nothing who ask behind one that waits for more than are free", () => {
    const node = new Node();
    node.listen("inbox");
    node.ask("acquire", "me", every(2, 0));
    const waiter = { inbox: "inbox", ticket: 1, turnMs: 90, placePrefix: "s2000," } as const;
    node.ask("acquire", "you", every(1, 0), { waiter });
    const count = node.countOf(() => {
      expect(node.ask("acquire", "he", permitLock(NAME, COUNT, 1, [1])).kind).to.equal("refused");
    });
    expect(count).to.be.below(100);
  });

  it("that are free are all counted with a few commands, though none are neighbours", () => {
    const node = new Node();
    node.ask("acquire", "me", every(2, 0));
    node.run("ZADD", "quorate:numbers:{lock:a}", 4, "4:strange", COUNT + 5, "2005:strange");
    let vote: Vote | undefined;
    const count = node.countOf(() => {
      vote = node.ask("size", "", permitLock(NAME, COUNT));
    });
    expect(count).to.be.below(20);
    expect(vote).to.deep.include({ freePermits: every(2, 1).permits?.numbers });
  });

  it("are ended together when their holder is overdue", () => {
    const node = new Node();
    const owner = `900~${"x".repeat(22)}`;
    node.ask("acquire", owner, every(1, 0));
    const sign = `900~xxxxxx@${START_US / 1_000 + TTL_MS}`;
    const count = node.countOf(() => {
      expect(node.ask("expire", sign).kind).to.equal("granted");
    });
    expect(count).to.be.below(20);
    expect(node.inspect().holder).to.equal(undefined);
  });
});

describe("A permit", () => {
  const COUNT = 5;
  const permit = (slot: number): LockKind => permitLock(NAME, COUNT, 1, [slot]);

  it("is told with how many are taken and which are free, whichever they are", () => {
    for (let taken = 1; taken < 2 ** COUNT; taken++) {
      const node = new Node();
      const slots = Array.from({ length: COUNT }, (_, slot) => slot);
      const held = slots.filter((slot) => (taken >> slot) % 2 === 1);
      for (const slot of held) {
        expect(node.ask("acquire", `owner ${slot}`, permit(slot)).kind).to.equal("granted");
      }
      const vote = node.ask("acquire", "another", permit(held[0] as number));
      const freePermits = slots.filter((slot) => !held.includes(slot));
      const told = { kind: "refused", takenPermits: held.length, freePermits };
      expect(vote, held.join()).to.deep.include(told);
    }
  });

  it("is looked for with an end, although others are there twice, which no node of ours has written", () => {
    const node = new Node();
    node.ask("acquire", "first", permit(0));
    node.ask("acquire", "second", permit(1));
    node.run("ZADD", "quorate:numbers:{lock:a}", 0, "0:strange", 0, "0:stranger", 1, "1:strange");
    const vote = node.ask("acquire", "third", permit(0));
    expect(vote).to.deep.include({ kind: "refused", freePermits: [2, 3, 4] });
  });

  it("is found at the cost of the logarithm of how many are taken", () => {
    const permits = 10_000;
    const node = new Node();
    const all = permitLock(NAME, permits, 5_000, [...Array(5_000).keys()]);
    expect(node.ask("acquire", "first", all).kind).to.equal("granted");
    const one = (number: number): LockKind => permitLock(NAME, permits, 1, [number]);
    const vote = node.ask("acquire", "second", one(0));
    expect(vote).to.deep.include({ takenPermits: 5_000 });
    expect(vote.kind === "refused" && vote.freePermits?.[0]).to.equal(5_000);
    let count = 0;
    node.redis.denied.add("NONE").has = () => {
      count++;
      return false;
    };
    node.ask("acquire", "second", one(0));
    expect(count).to.be.below(150);
  });

  it("that was kept for somebody is nobody's any more once it was taken and released", () => {
    const node = new Node();
    node.listen("p");
    node.ask("acquire", "first", permit(0));
    const waiter = { inbox: "p", ticket: 5, turnMs: 60_000, placePrefix: "s" } as const;
    expect(node.ask("acquire", "second", permit(0), { waiter }).kind).to.equal("refused");
    node.ask("release", "first", permit(0));
    expect(node.inspect().coHolders.length, "kept").to.equal(0);
    expect(node.ask("acquire", "third", permit(0)).kind, "kept for p").to.equal("refused");
    expect(node.ask("acquire", "second", permit(0), { waiter }).kind).to.equal("granted");
    for (const what of ["permits", "numbers"])
      expect(node.run("ZRANGE", `quorate:${what}:{lock:a}`, 0, -1)).to.deep.equal(["0:second"]);
    node.ask("release", "second", permit(0));
    expect(node.ask("acquire", "third", permit(0)).kind).to.equal("granted");
  });
});

describe("A set on a node that lets nobody read its keys any more", () => {
  const SET = severalLock([NAME, nameKeys("lock:", "b")]);

  for (const kind of ["acquire", "extend", "heal", "seal", "release"] as const) {
    it(`has no vote of it, and nothing is changed: ${kind}`, () => {
      for (const isHeld of [true, false]) {
        const node = new Node();
        if (isHeld) node.ask("acquire", "me", SET);
        node.redis.denied.add("GET");
        const vote = node.ask(kind, "me", SET);
        expect(vote.kind, `${isHeld ? "held" : "free"}: ${JSON.stringify(vote)}`).to.equal("fault");
        node.redis.denied.clear();
        const left = ["lock:a", "lock:b"].map((key) => node.run("GET", key));
        expect(left).to.deep.equal(isHeld ? ["me", "me"] : [null, null]);
      }
    });
  }
});

describe("A name that is kept closed after a release", () => {
  for (const [leftMs, keepMs, closedMs] of [
    [TTL_MS, 700, 700],
    [400, 700, 400],
    [700, 700, 700],
  ] as const) {
    it(`is closed for ${closedMs} ms: ${keepMs} from now, of ${leftMs} that were left`, () => {
      const node = new Node();
      node.ask("acquire", "me");
      node.nowUs += (TTL_MS - leftMs) * 1_000;
      expect(node.ask("release", "me", PLAIN, { keepMs }).kind).to.equal("granted");
      expect(node.inspect().remainingMs).to.equal(closedMs);
    });
  }

  it("is not closed by somebody who does not hold it", () => {
    const node = new Node();
    node.ask("acquire", "me");
    node.ask("release", "another", PLAIN, { keepMs: 700 });
    expect(node.inspect().remainingMs).to.equal(TTL_MS);
  });
});

describe("A lock whose fence cannot be stored", () => {
  const KINDS: Readonly<Record<string, LockKind>> = {
    exclusive: PLAIN,
    shared: sharedLock(NAME),
    permit: permitLock(NAME, 3, 1, [1]),
  };
  for (const [what, keys] of Object.entries(KINDS)) {
    it(`is not left behind: ${what}`, () => {
      const node = new Node();
      node.run("HSET", RECORD_KEY, "floor", MAX_FENCE, "top", MAX_FENCE);
      const vote = node.ask("acquire", "me", keys);
      expect(vote).to.include({ kind: "fault", fault: "implausible" });
      expect(node.inspect()).to.include({ holder: undefined, waitingCount: 0 });
    });
  }
});

describe("A lock whose first holder a node may not record in full", () => {
  for (const command of ["ZREMRANGEBYSCORE", "ZRANGE"])
    for (const keys of [sharedLock(NAME), permitLock(NAME, 3, 1, [1])]) {
      it(`leaves no key without an expiry, without ${command}: ${keys.words}`, () => {
        const node = new Node();
        node.redis.denied.add(command);
        node.ask("acquire", "me", keys);
        node.redis.denied.clear();
        const beside = ["readers", "permits", "numbers"].map((what) =>
          companionKey(what, keys.lockKey),
        );
        for (const key of [keys.lockKey, ...beside])
          expect(node.run("PTTL", key), key).to.not.equal(-1);
      });
    }
});

describe("A node without memory", () => {
  it("says who holds a name, but gives none", () => {
    const node = new Node();
    node.ask("acquire", "me");
    node.redis.isOutOfMemory = true;
    expect(node.ask("acquire", "another")).to.include({ kind: "refused", reason: "held" });
    node.ask("release", "me");
    expect(node.ask("acquire", "another")).to.include({ kind: "fault", fault: "server" });
    expect(node.inspect().holder).to.equal(undefined);
  });
});

describe("A node without memory, of a semaphore that was resized while it was away", () => {
  const SIZE = { current: { count: 4, version: 7 }, learn: () => {} };
  const known = (number: number): LockKind => permitLock(NAME, SIZE, 1, [number]);

  it("releases what holders know to be of another size", () => {
    const node = new Node();
    node.ask("acquire", "me", permitLock(NAME, 3, 1, [0]));
    node.ask("acquire", "you", permitLock(NAME, 3, 1, [1]));
    node.redis.isOutOfMemory = true;
    expect(node.ask("release", "me", known(0)).kind).to.equal("granted");
    expect(node.ask("size", "", permitLock(NAME, 3))).to.deep.include({ freePermits: [0, 2, 3] });
    expect(node.ask("release", "you", known(1)).kind).to.equal("granted");
    expect(node.inspect().holder).to.equal(undefined);
  });

  for (const isHeld of [true, false]) {
    it(`says that it has not stored the size ${isHeld ? "of one that is held" : "of a free one"}`, () => {
      const node = new Node();
      if (isHeld) node.ask("acquire", "me", permitLock(NAME, 3, 1, [0]));
      node.redis.isOutOfMemory = true;
      expect(node.ask("size", "", known(0))).to.include({ kind: "fault", fault: "server" });
      expect(node.ask("acquire", "he", known(3))).to.include({ kind: "fault", fault: "server" });
    });
  }
});

describe("A lock that is passed on", () => {
  const waiter = { inbox: "w", ticket: 5, turnMs: 50, placePrefix: "" } as const;

  function passedOn(node: Node): Vote {
    const own = { ...waiter, inbox: "own" };
    return node.ask("acquire", "next", PLAIN, {
      waiter: own,
      previousId: "me",
      fence: START_US + 1,
    });
  }

  it("is waited for by a process that has refreshed its place", () => {
    const node = new Node();
    node.ask("acquire", "me");
    node.ask("acquire", "another", PLAIN, { waiter });
    node.nowUs += 4_900_000;
    expect(passedOn(node)).to.include({ isHandedOver: true, isWaitedFor: true });
  });

  it("is not waited for where no place was refreshed lately", () => {
    const node = new Node();
    node.ask("acquire", "me");
    node.ask("acquire", "another", PLAIN, { waiter });
    // Where the clock of the node was set back, the queue outlives its places.
    node.run("PEXPIRE", "quorate:queue:{lock:a}", 60_000);
    node.nowUs += 5_100_000;
    expect(passedOn(node)).to.include({ isHandedOver: true, isWaitedFor: false });
  });
});

describe("The fence of a name, after a release", () => {
  const bucket = PLAIN.fenceBucket;

  for (const [before, token, after] of [
    [100, 107, 107],
    [107, 107, 107],
    [109, 107, 109],
    [undefined, 107, 107],
    [9, 10, 10],
  ] as const) {
    for (const isHeld of [true, false]) {
      it(`is ${after} for a token ${token} where it was ${before ?? "none"}${isHeld ? "" : ", and the name was free"}`, () => {
        const node = new Node();
        if (isHeld) node.ask("acquire", "me", PLAIN, { fence: undefined });
        if (before !== undefined) node.run("HSET", RECORD_KEY, bucket, before);
        const vote = node.ask("release", "me", PLAIN, { fence: token });
        expect(vote.kind).to.equal(isHeld ? "granted" : "refused");
        expect(node.inspect()).to.include({ holder: undefined, fence: after });
      });
    }
  }

  it("is lifted for each of several that are released in one call", () => {
    const node = new Node();
    const names = ["a", "b", "c"].map((name) => exclusiveLock(nameKeys("lock:", name)));
    for (const keys of names) node.ask("acquire", "me", keys, { fence: undefined });
    const releases = names.map((keys, at) => operation("release", "me", { keys, fence: 100 + at }));
    expect(node.votes(...releases).map(({ kind }) => kind)).to.deep.equal([
      ...["granted", "granted", "granted"],
    ]);
    for (const [at, keys] of names.entries()) {
      expect(node.run("HGET", RECORD_KEY, keys.fenceBucket)).to.equal(String(100 + at));
    }
  });
});

/** An ownerId that says that its name is kept for a second, and begins like that. */
const ownerOf = (beginning: string): string => `1000~${beginning.padEnd(21, "_")}A`;

describe("A lease that was extended beyond its ttl", () => {
  const OTHER = nameKeys("lock:", "b");
  const KINDS: Readonly<Record<string, LockKind>> = {
    exclusive: PLAIN,
    "of several names": severalLock([NAME, OTHER]),
    shared: sharedLock(NAME),
    permit: permitLock(NAME, 1, 1, [0]),
    "of an owner": ownedLock(NAME, "job"),
  };
  const [A, B] = [ownerOf("aaaaaa"), ownerOf("bbbbbb")];
  const MARGIN_MS = 3_000;
  const KEY = "quorate:kept-aaaaaa:{lock:a}";
  const BESIDE = [KEY, KEY.replace("lock:a", "lock:b")];
  const ordinary = { ttlMs: 1_000 + MARGIN_MS };
  const longer = { ttlMs: 5_000 + MARGIN_MS, keptMs: 5_000 };

  /** The signs with which the node refuses another client. */
  function signs(node: Node): string {
    const vote = node.ask("acquire", B, PLAIN, ordinary);
    return vote.kind === "refused" ? (vote.signs ?? "") : vote.kind;
  }

  /** For how long others are told that the name is kept, ms. */
  const toldMs = (node: Node): number => Number.parseInt(signs(node), 10);

  for (const [title, keys] of Object.entries(KINDS)) {
    describe(title, () => {
      let node: Node;
      beforeEach(() => {
        node = new Node();
        expect(node.ask("acquire", A, keys, ordinary).kind).to.equal("granted");
        expect(toldMs(node)).to.equal(1_000);
      });

      /** Lets others end it, as they do when they have seen the sign for as long as it says. */
      function expire(text: string): boolean {
        node.ask("expire", text, keys, { ttlMs: 0 });
        return node.ask("extend", A, keys, ordinary).kind !== "granted";
      }

      it("is said to be kept for longer, until that is over", () => {
        expect(node.ask("extend", A, keys, longer).kind).to.equal("granted");
        for (let passedMs = 0; passedMs < 5_000; passedMs += 500) {
          expect(toldMs(node), `after ${passedMs} ms`).to.equal(5_000);
          node.nowUs += 500_000;
          expect(node.ask("extend", A, keys, ordinary).kind).to.equal("granted");
        }
        node.nowUs += MARGIN_MS * 1_000 + 1_000;
        expect(toldMs(node), "after that").to.equal(1_000);
      });

      it("is not ended by a sign from before, nor by one that says less", () => {
        const before = signs(node);
        node.ask("extend", A, keys, longer);
        expect(expire(before)).to.equal(false);
        expect(expire(signs(node).replace("5000~", "1000~"))).to.equal(false);
        expect(expire(signs(node))).to.equal(true);
      });

      it("is kept for the longest of its extensions, in whatever order", () => {
        node.ask("extend", A, keys, longer);
        node.ask("extend", A, keys, { ttlMs: 2_000 + MARGIN_MS, keptMs: 2_000 });
        expect(toldMs(node)).to.equal(5_000);
        expect(node.run("PTTL", KEY)).to.equal(5_000 + MARGIN_MS);
        node.ask("extend", A, keys, { ttlMs: 9_000 + MARGIN_MS, keptMs: 9_000 });
        expect(toldMs(node)).to.equal(9_000);
      });

      it("is healed with it", () => {
        node = new Node();
        const left = { ttlMs: 4_000 + MARGIN_MS, keptMs: 4_000, fence: 7 };
        expect(node.ask("heal", A, keys, left).kind).to.equal("granted");
        expect(toldMs(node)).to.equal(4_000);
      });

      it("leaves nothing behind with its release", () => {
        node.ask("extend", A, keys, longer);
        expect(node.run("EXISTS", KEY)).to.equal(1);
        expect(node.ask("release", A, keys, longer).kind).to.equal("granted");
        expect(node.run("EXISTS", ...BESIDE)).to.equal(0);
      });

      it("says nothing about the next owner, whose key its late release leaves alone", () => {
        node.ask("extend", A, keys, longer);
        node.ask("release", A, keys, ordinary);
        expect(node.run("EXISTS", KEY), "a release by one that does not know").to.equal(1);
        const C = ownerOf("cccccc");
        node.ask("acquire", C, keys, ordinary);
        expect(toldMs(node)).to.equal(1_000);
        node.ask("extend", C, keys, longer);
        node.ask("release", A, keys, longer);
        expect(toldMs(node)).to.equal(5_000);
      });

      it("is not said to be extended where it is no longer stored", () => {
        node.ask("release", A, keys, ordinary);
        expect(node.ask("extend", A, keys, longer).kind).to.equal("refused");
        expect(node.run("EXISTS", ...BESIDE)).to.equal(0);
      });
    });
  }

  it("needs nothing beside its key where the ownerId says nothing of it", () => {
    const node = new Node();
    node.ask("acquire", "me", PLAIN, ordinary);
    node.ask("extend", "me", PLAIN, longer);
    expect(node.run("EXISTS", ...BESIDE, "quorate:kept-me:{lock:a}")).to.equal(0);
  });

  it("is not extended where the node cannot say so", () => {
    const node = new Node();
    node.ask("acquire", A, PLAIN, ordinary);
    node.run("HSET", KEY, "of", "somebody else");
    expect(node.ask("extend", A, PLAIN, longer).kind).to.equal("fault");
    expect(node.inspect().remainingMs).to.equal(ordinary.ttlMs);
  });
});
