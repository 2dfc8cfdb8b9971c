import { getEventListeners } from "node:events";
import { expect } from "chai";
import type { CampaignOutcome, Electorate } from "../../../src/manager/election/candidacy.js";
import { LockElection } from "../../../src/manager/election/election.js";
import { LeasedTerm } from "../../../src/manager/election/term.js";
import { LeasedLock } from "../../../src/manager/lock.js";
import { CoordinatorBench, nodesOfLock } from "../../support/coordinator-bench.js";
import { settle } from "../../support/manual-clock.js";
import { rejectionOf } from "../../support/settle.js";

const DONE = { done: true, value: undefined };

/** Campaigns that end as the test says. */
class Campaigns implements Electorate<LeasedTerm> {
  readonly bench = new CoordinatorBench();
  abortedCount = 0;
  settle: (outcome: CampaignOutcome<LeasedTerm>) => void = () => {};

  campaign(_: number, onEnd: (outcome: CampaignOutcome<LeasedTerm>) => void) {
    this.settle = onEnd;
    return { abort: () => void this.abortedCount++ };
  }

  unit(): number {
    return 0.5;
  }

  win(): LeasedTerm {
    const lease = this.bench.lease({ renew: false });
    const term = new LeasedTerm(new LeasedLock(lease, nodesOfLock(this.bench)));
    this.settle({ kind: "elected", term });
    return term;
  }
}

describe("LockElection", () => {
  function opened() {
    const campaigns = new Campaigns();
    const controller = new AbortController();
    const { signal } = controller;
    const pauses = { minDelayMs: 10, maxDelayMs: 250 };
    const election = new LockElection("name", campaigns, pauses, signal, () => {
      throw new Error("nobody observes");
    });
    const listenerCount = (): number => getEventListeners(signal, "abort").length;
    return { campaigns, controller, election, listenerCount };
  }

  it("yields a term, and leads while that lasts", async () => {
    const { campaigns, election } = opened();
    expect(election[Symbol.asyncIterator]()).to.equal(election);
    const next = election.next();
    expect(election).to.include({ isLeader: false, term: undefined });
    const term = campaigns.win();
    expect(await next).to.deep.equal({ done: false, value: term });
    expect(election).to.include({ isLeader: true, term });
    campaigns.bench.clock.advance(1_000);
    expect(election).to.include({ isLeader: false, term: undefined });
    await election.return();
  });

  it("ends with the error that a generator which delegates to it is given", async () => {
    const { campaigns, election } = opened();
    const terms = (async function* () {
      yield* election;
    })();
    const next = terms.next();
    const term = campaigns.win();
    expect((await next).value).to.equal(term);
    const error = new Error("of the caller");
    const ending = rejectionOf(terms.throw(error));
    await settle();
    expect(term.isHeld, "resigned").to.equal(false);
    // No node answers its release.
    campaigns.bench.clock.advance(1_000);
    expect(await ending).to.equal(error);
    expect(await election.next()).to.deep.equal(DONE);
  });

  it("listens to its signal once it campaigns, once, and no longer than that", async () => {
    const { campaigns, election, listenerCount } = opened();
    expect(listenerCount()).to.equal(0);
    const next = election.next();
    expect(listenerCount()).to.equal(1);
    const term = campaigns.win();
    await next;
    void election.next();
    expect(listenerCount()).to.equal(1);
    expect(term.isHeld).to.equal(false);
    const ended = election.return();
    expect(listenerCount()).to.equal(0);
    // The nodes do not answer its release.
    await campaigns.bench.clock.run(1_000, 100);
    expect(await ended).to.deep.equal(DONE);
  });

  it("does not listen where it was over before it began", async () => {
    const { election, listenerCount } = opened();
    await election.return();
    expect(await election.next()).to.deep.equal(DONE);
    expect(listenerCount()).to.equal(0);
  });

  it("does not listen any more after a campaign that has failed", async () => {
    const { campaigns, election, listenerCount } = opened();
    const next = rejectionOf(election.next());
    campaigns.settle({ kind: "failed", error: "no" });
    expect(await next).to.equal("no");
    expect(listenerCount()).to.equal(0);
    expect(await election.next()).to.deep.equal(DONE);
  });

  it("is over when its signal is aborted: the campaign, or the term", async () => {
    const waiting = opened();
    const next = waiting.election.next();
    waiting.controller.abort();
    expect(await next).to.deep.equal(DONE);
    expect(waiting.campaigns.abortedCount).to.equal(1);
    const leading = opened();
    const elected = leading.election.next();
    const term = leading.campaigns.win();
    await elected;
    leading.controller.abort();
    await settle();
    expect(term.isHeld).to.equal(false);
    expect(await leading.election.next()).to.deep.equal(DONE);
  });

  it("does not begin if its signal was aborted before", async () => {
    const { controller, election, listenerCount, campaigns } = opened();
    controller.abort();
    expect(await election.next()).to.deep.equal(DONE);
    expect(listenerCount()).to.equal(0);
    expect(campaigns.abortedCount).to.equal(0);
  });
});
