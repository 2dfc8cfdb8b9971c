import { expect } from "chai";
import type { Cluster } from "ioredis";
import { ClusterMember, SILENT } from "../../src/redis/cluster-member.js";
import { ManualClock } from "../support/manual-clock.js";

const TIMEOUT_MS = 100;
const SUSPECT_MS = 90;
const GIVE_UP_MS = 2_000;

/** A member, and what becomes of it and of what is asked. */
function bench() {
  const clock = new ManualClock();
  const told: string[] = [];
  const open: ((error: Error | undefined) => void)[] = [];
  const answered = (): Promise<unknown> =>
    new Promise<void>((resolve, reject) =>
      open.push((error) => (error === undefined ? resolve() : reject(error))),
    );
  const client = {
    options: { host: "a", port: 1 },
    status: "ready",
    ping: () => (told.push("ping"), answered()),
    disconnect: () => told.push("disconnect"),
  };
  const other = { ...client, options: { host: "b", port: 1 } };
  const cluster = {
    nodes: () => [other, client],
    refreshSlotsCache: () => told.push("slots"),
  } as unknown as Cluster;
  const member = new ClusterMember(cluster, "a:1", clock, TIMEOUT_MS);
  const ask = (): void => {
    member.ask(answered).then(
      () => told.push("answer"),
      (error: unknown) => told.push(error === SILENT ? "silent" : "error"),
    );
  };
  /** What was told since it was read. */
  const read = async (): Promise<readonly string[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return told.splice(0);
  };
  const fail = (error?: Error): void => {
    for (const each of open.splice(0)) each(error);
  };
  return { clock, member, ask, read, fail, answer: () => fail() };
}

describe("ClusterMember", () => {
  it("is not silent as long as it answers in time", async () => {
    const { clock, member, ask, read, answer } = bench();
    for (let round = 0; round < 10; round++) {
      ask();
      clock.advance(SUSPECT_MS - 1);
      answer();
      expect(await read()).to.deep.equal(["answer"]);
      expect(member.isSilent).to.equal(false);
    }
  });

  it("gives up all that waits for one that is silent, and asks it nothing until it answers", async () => {
    const { clock, member, ask, read, answer } = bench();
    ask();
    clock.advance(SUSPECT_MS - 1);
    ask();
    expect(await read()).to.deep.equal([]);
    clock.advance(1);
    expect(await read()).to.deep.equal(["silent", "silent"]);
    expect(member.isSilent).to.equal(true);
    member.tryAgain();
    expect(await read(), "who has its slots now").to.deep.equal(["slots"]);
    answer();
    expect(await read()).to.deep.equal([]);
    expect(member.isSilent).to.equal(false);
  });

  it("closes the connection of one that is silent for long, and tries whether a new one answers", async () => {
    const { clock, member, ask, read, answer } = bench();
    ask();
    clock.advance(GIVE_UP_MS - 1);
    expect(await read()).to.deep.equal(["silent"]);
    clock.advance(1);
    expect(await read()).to.deep.equal(["disconnect"]);
    // It is of the connection that was closed.
    answer();
    expect(await read()).to.deep.equal([]);
    for (const expected of [["ping", "slots"], ["slots"]]) {
      expect(member.isSilent).to.equal(true);
      member.tryAgain();
      expect(await read()).to.deep.equal(expected);
    }
    answer();
    expect(await read()).to.deep.equal([]);
    expect(member.isSilent).to.equal(false);
  });

  it("is silent until it answers, and not because a connection to it has failed", async () => {
    const { clock, member, ask, read, fail } = bench();
    ask();
    clock.advance(SUSPECT_MS);
    fail(new Error("Connection is closed."));
    expect(await read()).to.deep.equal(["silent"]);
    member.tryAgain();
    expect(await read()).to.deep.equal(["ping", "slots"]);
    fail(new Error("Connection is closed."));
    expect(await read()).to.deep.equal([]);
    expect(member.isSilent).to.equal(true);
    member.tryAgain();
    fail(new Error("NOPERM this user has no permissions to run the 'ping' command"));
    expect(await read()).to.deep.equal(["ping", "slots"]);
    expect(member.isSilent).to.equal(false);
  });
});
