import { expect } from "chai";
import { LossNews, type Verifiable } from "../../src/coordinator/loss-news.js";
import { ManualClock } from "../support/manual-clock.js";

const INBOX = { id: "an-inbox", isHeard: true, listen: () => {} };

function lease(ownerId: string): Verifiable & { asked: number } {
  const of = { ownerId, asked: 0, verify: () => void of.asked++ };
  return of;
}

describe("LossNews", () => {
  it("asks the lease whose owner begins like that, with or without a time in front", () => {
    const news = new LossNews(new ManualClock(), INBOX);
    const [one, other] = [lease("900~aaaaaa-and-more"), lease("bbbbbb-and-more")];
    news.add(one);
    news.add(other);
    for (const beginning of ["aaaaaa", "bbbbbb", "bbbbbb", "900~aa", "aaaaa", ""])
      news.onLoss(beginning);
    expect([one.asked, other.asked]).to.deep.equal([1, 2]);
  });

  it("knows the later of two that begin alike, and forgets only that one", () => {
    const news = new LossNews(new ManualClock(), INBOX);
    const [earlier, later] = [lease("aaaaaa-1"), lease("aaaaaa-2")];
    news.add(earlier);
    news.add(later);
    news.delete(earlier);
    news.onLoss("aaaaaa");
    expect([earlier.asked, later.asked]).to.deep.equal([0, 1]);
    news.delete(later);
    news.onLoss("aaaaaa");
    expect(later.asked).to.equal(1);
  });

  it("knows nobody where there are no messages", () => {
    const news = new LossNews(new ManualClock(), undefined);
    const one = lease("aaaaaa-and-more");
    news.add(one);
    news.onLoss("aaaaaa");
    expect(one.asked).to.equal(0);
  });
});
