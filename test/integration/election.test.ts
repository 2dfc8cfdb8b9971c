import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { QuorumUnreachableError } from "../../src/api/errors.js";
import {
  ClosedError,
  ForeignKeyError,
  LockLostError,
  LockManager,
  MisconfiguredError,
  type Election,
  type Term,
} from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { allNodes, at, holdByHand, noLockKeys, valueOf } from "../support/nodes.js";
import { PLACES } from "../support/quorums.js";
import { aborted, eventually, rejectionWith, renewed } from "../support/settle.js";

const CANDIDATE = fileURLToPath(new URL("../support/candidate.js", import.meta.url));
/** Of a process, for all that it does. */
const LIMIT_MS = 120_000;
const OPTIONS = { ttlMs: 6_000, nodeTimeoutMs: 2_500 };

async function termOf(election: Election): Promise<Term> {
  const { value } = await election.next();
  if (value === undefined) throw new Error("no term");
  return value;
}

describe("An election", function () {
  this.timeout(60_000);
  let fleet: RedisFleet;
  let locks: LockManager;
  let others: LockManager;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
  });
  beforeEach(async () => {
    [locks, others] = [new LockManager(fleet.urls, OPTIONS), new LockManager(fleet.urls, OPTIONS)];
    await Promise.all([allNodes(locks), allNodes(others)]);
  });
  afterEach(async () => {
    await Promise.all(fleet.nodes.map((node) => node.resume()));
    await Promise.all([locks.close(), others.close()]);
    await noLockKeys(fleet.nodes);
  });
  after(() => fleet.stop());

  it("gives terms with growing tokens, each resigned when its pass of the loop ends", async () => {
    const terms: Term[] = [];
    const election = locks.elect("loop");
    for await (const term of election) {
      term.assertHeld();
      expect(election.isLeader).to.equal(true);
      expect(election.term).to.equal(term);
      for (const former of terms) {
        expect(former.isHeld).to.equal(false);
        expect(former.signal.reason).to.have.property("reason", "released");
        expect(former.fencingToken).to.be.below(term.fencingToken);
      }
      terms.push(term);
      if (terms.length === 3) break;
    }
    expect(terms).to.have.length(3);
    expect(election.isLeader).to.equal(false);
    expect(() => at(terms, 2).assertHeld()).to.throw(LockLostError);
    expect(await others.tryAcquire("loop")).to.not.equal(null);
  });

  it("resigns when the loop is left by a throw", async () => {
    const own = new Error("own");
    const loop = (async () => {
      for await (const term of locks.elect("throw")) {
        term.assertHeld();
        throw own;
      }
    })();
    expect(await rejectionWith(Error, loop)).to.equal(own);
    expect(await others.tryAcquire("throw")).to.not.equal(null);
  });

  it("elects who waits when the leader resigns, though its lease would last for long", async () => {
    const first = locks.elect("handover", { ttlMs: 30_000 });
    const second = others.elect("handover", { ttlMs: 30_000 });
    const leading = await termOf(first);
    const waiting = termOf(second);
    await sleep(100);
    expect(second.isLeader).to.equal(false);
    await leading.resign();
    const followed = await waiting;
    expect(followed.fencingToken).to.be.above(leading.fencingToken);
    // The former leader stands again, behind it.
    const again = termOf(first);
    await sleep(50);
    expect(first.isLeader).to.equal(false);
    await second.return();
    expect((await again).isHeld).to.equal(true);
  });

  it("shares the next term among calls that wait, and ends while one waits", async () => {
    const holder = await others.acquire("shared");
    const election = locks.elect("shared");
    const both = Promise.all([election.next(), election.next()]);
    await holder.release();
    const [one, two] = await both;
    expect(one.value).to.equal(two.value);
    expect(one.value?.isHeld).to.equal(true);
    const [next, ended] = await Promise.all([election.next(), election.return()]);
    expect([next.done, ended.done]).to.deep.equal([true, true]);
    expect(await election.next()).to.deep.equal({ done: true, value: undefined });
    expect(election.isLeader).to.equal(false);
  });

  it("ends by its signal: without a leader's term, a candidate's wait, or a beginning", async () => {
    const [leading, waiting] = [new AbortController(), new AbortController()];
    const first = locks.elect("signal", { signal: leading.signal });
    const term = await termOf(first);
    const second = others.elect("signal", { signal: waiting.signal });
    const pending = second.next();
    waiting.abort();
    expect((await pending).done).to.equal(true);
    leading.abort();
    expect(term.isHeld).to.equal(false);
    expect(term.signal.aborted).to.equal(true);
    expect((await first.next()).done).to.equal(true);
    const late = locks.elect("signal", { signal: leading.signal });
    expect((await late.next()).done).to.equal(true);
    expect(late.isLeader).to.equal(false);
  });

  it("tells a loss within the validity, waits out the outage, tells of it, and is elected again", async () => {
    const errors: unknown[] = [];
    const onError = (error: unknown): unknown => errors.push(error);
    await using hasty = new LockManager(fleet.urls, { ttlMs: 4_000, nodeTimeoutMs: 1_000 });
    await allNodes(hasty);
    const election = hasty.elect("outage", { onError });
    const term = await termOf(election);
    await Promise.all(fleet.nodes.slice(1).map((node) => node.pause()));
    // An answer to a renewal may have been on its way.
    await sleep(20);
    const isPastDue = new Promise<string>((resolve) => {
      setTimeout(() => resolve("plain timer"), term.remainingMs + 30);
    });
    const isTold = aborted(term.signal).then(() => "signal");
    expect(await Promise.race([isTold, isPastDue])).to.equal("signal");
    expect(term.signal.reason).to.have.property("reason", "expired");
    expect(term.isLost).to.equal(true);
    expect(election.isLeader).to.equal(false);
    const again = termOf(election);
    await eventually("the outage is told", () => errors.length > 0);
    await sleep(500);
    await Promise.all(fleet.nodes.map((node) => node.resume()));
    const next = await again;
    expect(next.fencingToken).to.be.above(term.fencingToken);
    expect(next.isHeld).to.equal(true);
    expect(errors).to.have.length(1);
    expect(at(errors, 0)).to.be.instanceOf(QuorumUnreachableError);
    await election.return();
  });

  it("rejects with ClosedError when its manager is closed, whatever it was at", async () => {
    const leading = locks.elect("closing");
    const term = await termOf(leading);
    const waiting = rejectionWith(ClosedError, locks.elect("closing").next());
    await locks.close();
    await waiting;
    expect(term.signal.reason).to.have.property("reason", "closed");
    await rejectionWith(ClosedError, leading.next());
    expect((await leading.next()).done).to.equal(true);
    await rejectionWith(ClosedError, locks.elect("late").next());
  });

  it("closes in the middle of a pause between two terms", async () => {
    const retry = { minDelayMs: 60_000, maxDelayMs: 60_000 };
    await using patient = new LockManager(fleet.urls, { ...OPTIONS, retry });
    const election = patient.elect("pause");
    await termOf(election);
    const next = rejectionWith(ClosedError, election.next());
    await sleep(50);
    await patient.close();
    await next;
  });

  it("rejects what waiting cannot cure", async () => {
    await Promise.all(fleet.nodes.map((node) => node.command("RPUSH", "lock:foreign", "x")));
    const foreign = locks.elect("foreign");
    await rejectionWith(ForeignKeyError, foreign.next());
    expect((await foreign.next()).done).to.equal(true);
    await Promise.all(fleet.nodes.map((node) => node.command("DEL", "lock:foreign")));
    await using twice = new LockManager([at(fleet.urls, 0), at(fleet.urls, 0)]);
    twice.on("warning", () => {});
    await rejectionWith(MisconfiguredError, twice.elect("a").next());
  });

  it("takes none but good arguments", () => {
    const bad: readonly (readonly [unknown, unknown, RegExp])[] = [
      [7, {}, /`name`/],
      ["a", { waitMs: 5 }, /`waitMs`/],
      ["a", { signal: 1 }, /`signal`/],
      ["a", { onError: 1 }, /`onError`/],
      ["a", { ttlMs: 1 }, /`ttlMs`/],
      ["a", null, /options/],
    ];
    for (const [name, options, message] of bad) {
      expect(() => locks.elect(name as string, options as object)).to.throw(message);
    }
  });

  it("follows a leader that dies, when its keys have expired", async () => {
    await holdByHand(fleet.nodes, "death", 700);
    const election = locks.elect("death");
    const term = await termOf(election);
    // A quorum is enough for the term: the keys of the others may expire a moment later.
    await eventually("it is on the first node as well", async () => {
      return ![null, "somebody-else"].includes(await valueOf(at(fleet.nodes, 0), "lock:death"));
    });
    expect(term.isHeld).to.equal(true);
    await election.return();
  });
});

for (const { title, nodeCount, deadCount } of PLACES) {
  describe(`An election ${title}`, function () {
    this.timeout(60_000);
    it("has one leader after the other, and ends with its manager", async () => {
      await using fleet = await RedisFleet.start({ nodes: nodeCount });
      await using first = new LockManager(fleet.urls, OPTIONS);
      await using second = new LockManager(fleet.urls, OPTIONS);
      await Promise.all([allNodes(first), allNodes(second)]);
      await Promise.all(fleet.nodes.slice(0, deadCount).map((node) => node.kill()));
      const [election, rival] = [first.elect("office"), second.elect("office")];
      const term = await termOf(election);
      const next = termOf(rival);
      await renewed(term);
      expect([term.isHeld, rival.isLeader], "renewed").to.deep.equal([true, false]);
      await term.resign();
      const followed = await next;
      expect(term.isHeld).to.equal(false);
      expect(followed.isHeld).to.equal(true);
      expect(followed.fencingToken).to.be.above(term.fencingToken);
      await second.close();
      expect(followed.isHeld).to.equal(false);
      expect((await termOf(election)).isHeld).to.equal(true);
      await election.return();
      await noLockKeys(fleet.nodes.slice(deadCount));
    });
  });
}

interface Tenure {
  readonly who: number;
  readonly from: bigint;
  readonly until: bigint;
  readonly token: number;
}

type Line = Readonly<Record<string, unknown>>;

/** A process that stands for election. */
interface Candidate {
  /** What it has said so far. */
  readonly lines: readonly Line[];
  readonly tell: (message: "begin" | "stay" | "go on" | "end") => void;
  /** When it has ended by itself. */
  readonly ended: Promise<void>;
}

const children: ChildProcess[] = [];

function startCandidate(who: number, urls: readonly string[]): Candidate {
  const child = spawn(process.execPath, [...process.execArgv, CANDIDATE], {
    env: { ...process.env, URLS: JSON.stringify(urls), SEED: String(who) },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  children.push(child);
  const lines: Line[] = [];
  const reader = createInterface({ input: child.stdout as Readable });
  reader.on("line", (line) => lines.push(JSON.parse(line) as Line));
  const hasRead = once(reader, "close");
  const ended = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`candidate ${who} did not end by itself`));
    }, LIMIT_MS);
    child.once("close", (code) => {
      clearTimeout(timer);
      if (code === 0) void hasRead.then(() => resolve());
      else reject(new Error(`candidate ${who} ended with ${code}`));
    });
  });
  // Awaited at the end of the test.
  ended.catch(() => {});
  return { lines, ended, tell: (message) => child.send(message) };
}

const linesWith = (key: string, { lines }: Candidate): readonly Line[] =>
  lines.filter((line) => line[key] !== undefined && line[key] !== false);

function tenuresOf(who: number, lines: readonly Line[]): Tenure[] {
  return lines
    .filter(({ fromNs }) => fromNs !== undefined)
    .map(({ fromNs, untilNs, token }) => {
      const [from, until] = [BigInt(String(fromNs)), BigInt(String(untilNs))];
      return { who, from, until, token: Number(token) };
    });
}

/** One leader at a time, and tokens in the order of the terms. */
function expectOneLeader(tenures: readonly Tenure[]): void {
  const inOrder = tenures.toSorted((a, b) => (a.from < b.from ? -1 : 1));
  inOrder.slice(1).forEach((next, index) => {
    const previous = at(inOrder, index);
    const about = `${previous.who} until ${previous.until}, ${next.who} from ${next.from}`;
    expect(next.from >= previous.until, `two leaders: ${about}`).to.equal(true);
    expect(next.token, `token order: ${about}`).to.be.above(previous.token);
  });
}

describe("Two processes that stand for the same office", () => {
  afterEach(() => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
  });

  it("lead one at a time, with growing tokens, through a node that dies and a frozen majority", async () => {
    await using fleet = await RedisFleet.start({ nodes: 5 });
    const candidates = [1, 2].map((who) => startCandidate(who, fleet.urls));
    const all = (what: string, isSo: (candidate: Candidate) => boolean): Promise<void> =>
      eventually(`${what}, of both`, () => candidates.every(isSo), 30_000);
    const some = (what: string, key: string): Promise<void> =>
      eventually(what, () => candidates.some((each) => linesWith(key, each).length > 0), 30_000);
    const tellAll = (message: Parameters<Candidate["tell"]>[0]): void => {
      for (const { tell } of candidates) tell(message);
    };
    await all("ready", (each) => linesWith("isReady", each).length > 0);
    tellAll("begin");
    await all("two terms", (each) => linesWith("fromNs", each).length > 1);
    tellAll("stay");
    await some("a term that goes on", "stays");
    const majority = fleet.nodes.slice(0, 3);
    await Promise.all([at(fleet.nodes, 4).kill(), ...majority.map((node) => node.pause())]);
    await some("a lost term", "isLost");
    await all("the outage told", (each) => linesWith("told", each).length > 0);
    tellAll("go on");
    const before = candidates.map((each) => linesWith("fromNs", each).length);
    await Promise.all(majority.map((node) => node.resume()));
    await all("a term after that", (each) => {
      return linesWith("fromNs", each).length > at(before, candidates.indexOf(each));
    });
    tellAll("end");
    await Promise.all(candidates.map(({ ended }) => ended));

    for (const each of candidates) expect(linesWith("code", each)).to.deep.equal([]);
    expectOneLeader(candidates.flatMap(({ lines }, index) => tenuresOf(index, lines)));
    await noLockKeys(fleet.nodes.slice(0, 4), 30_000);
  }).timeout(LIMIT_MS + 30_000);

  it("would be found out by this check, if they did not", () => {
    const alone = { who: 1, from: 0n, until: 10n, token: 1 };
    const next = { who: 2, from: 10n, until: 12n, token: 2 };
    expect(() => expectOneLeader([alone, { ...next, from: 9n }])).to.throw(/two leaders/);
    expect(() => expectOneLeader([alone, { ...next, token: 1 }])).to.throw(/token order/);
    expectOneLeader([alone, next]);
  });
});
