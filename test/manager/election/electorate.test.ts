import { expect } from "chai";
import type { AcquireMessage } from "../../../src/index.js";
import { Acquirer } from "../../../src/manager/acquirer.js";
import { electorateOf } from "../../../src/manager/election/electorate.js";
import { Reentry } from "../../../src/manager/reentry/reentry.js";
import type { OpenNodes } from "../../../src/nodes/open-nodes.js";
import type { ManagerSettings } from "../../../src/options/resolve.js";
import {
  CoordinatorBench,
  heardInbox,
  KEYS,
  leaseSettings,
} from "../../support/coordinator-bench.js";
import { settle } from "../../support/manual-clock.js";
import { RecordedMessages } from "../../support/recorded-messages.js";
import { fault, granted, held } from "../../support/votes.js";

const WAIT = { waitMs: Number.POSITIVE_INFINITY, minDelayMs: 10, maxDelayMs: 20, fair: false };

function electorate(bench = new CoordinatorBench()) {
  const told: string[] = [];
  const elected: { readonly isHeld: boolean; resign(): Promise<unknown> }[] = [];
  const nodes = {
    ...{ context: bench.context, names: ["a", "b", "c"] },
    ...{ marginMs: () => 0, recordedTtlMs: () => undefined },
  };
  const acquirer = new Acquirer(
    ...([nodes as unknown as OpenNodes, {} as ManagerSettings, new Reentry()] as const),
    () => {},
  );
  const { pending } = acquirer;
  const onError = ({ code }: { code: string }): number => told.push(code);
  const of = electorateOf(acquirer, { keys: KEYS, lease: leaseSettings(), wait: WAIT, onError });
  const campaign = (delayMs = 0) =>
    of.campaign(delayMs, (outcome) => {
      if (outcome.kind === "elected") elected.push(outcome.term);
    });
  /** Waits for the next attempt and answers it. */
  const next = async (...votes: Parameters<typeof bench.answer>[1]): Promise<void> => {
    const before = bench.counts("acquire")[0] ?? 0;
    bench.answer("acquire", votes);
    await settle();
    for (let ms = 0; ms < 2_000 && elected.length === 0; ms++) {
      if ((bench.counts("acquire")[0] ?? 0) > before) return;
      bench.clock.advance(1);
      await settle();
    }
  };
  return { bench, pending, told, elected, campaign, next };
}

describe("an electorate", () => {
  it("tells of an outage once, and of the next one again", async () => {
    const { told, campaign, next } = electorate();
    campaign();
    await next(fault(), fault(), fault());
    await next(fault(), fault(), fault());
    expect(told).to.deep.equal(["QUORATE_UNREACHABLE"]);
    await next(held(), held(), held());
    await next(fault(), fault(), fault());
    expect(told).to.deep.equal(["QUORATE_UNREACHABLE", "QUORATE_UNREACHABLE"]);
  });

  it("tells of no outage where the nodes that answer are split, and one is down", async () => {
    // Where nodes notify it, a waiter does not contend.
    const { told, campaign, next } = electorate(new CoordinatorBench(3, undefined, heardInbox()));
    campaign();
    await next(held(), held(), held());
    await next(granted(7), held(), fault());
    await next(granted(7), held(), fault());
    expect(told).to.deep.equal([]);
    await next(fault(), held(), fault());
    expect(told).to.deep.equal(["QUORATE_UNREACHABLE"]);
  });

  it("tells of no outage where only its token came too late", async () => {
    const { bench, told, campaign, next } = electorate();
    campaign();
    bench.answer("acquire", [granted(7), granted(9)]);
    bench.answer("seal", [held(0)]);
    bench.nodes[2]?.last("acquire").reply(granted(12));
    await next(fault(), fault(), fault());
    expect(told).to.deep.equal([]);
    await next(fault(), fault(), fault());
    expect(told).to.deep.equal(["QUORATE_UNREACHABLE"]);
  });

  it("tells of an outage again that begins after a term", async () => {
    const { bench, told, elected, campaign, next } = electorate();
    campaign();
    await next(fault(), fault(), fault());
    await next(granted(7), granted(7), granted(7));
    expect(elected).to.have.length(1);
    const [term] = elected.splice(0);
    void term?.resign();
    bench.answer("release", [granted(), granted(), granted()]);
    campaign();
    await next(fault(), fault(), fault());
    expect(told).to.deep.equal(["QUORATE_UNREACHABLE", "QUORATE_UNREACHABLE"]);
  });

  it("tells of nodes that are too slow to be of use", async () => {
    const { bench, told, campaign, next } = electorate();
    campaign();
    bench.clock.stall(990);
    await next(granted(7), granted(7), granted(7));
    expect(told).to.deep.equal(["QUORATE_VALIDITY_EXHAUSTED"]);
  });

  it("forgets a campaign that has ended", async () => {
    const { pending, elected, campaign, next } = electorate();
    campaign();
    expect(pending.size).to.equal(1);
    await next(granted(7), granted(7), granted(7));
    expect([elected.length, pending.size]).to.deep.equal([1, 0]);
  });

  for (const { title, delayMs, failures, attemptCount } of [
    { title: "before its first attempt", delayMs: 50, failures: 0, attemptCount: 0 },
    { title: "in its first attempt", delayMs: 0, failures: 0, attemptCount: 1 },
    { title: "in its third attempt", delayMs: 0, failures: 2, attemptCount: 3 },
  ]) {
    it(`publishes how many attempts have begun of a campaign that is called off ${title}`, async () => {
      using heard = new RecordedMessages();
      const { campaign, next } = electorate();
      const started = campaign(delayMs);
      for (let count = 0; count < failures; count++) await next(held(), held(), held());
      started.abort();
      await settle();
      const [message] = heard.of<AcquireMessage>("acquire asyncEnd");
      expect(message).to.include({ outcome: "aborted", attemptCount });
      expect(message?.attempts).to.have.length(failures);
    });
  }

  it("publishes no attempt for a campaign that is called off in a pause", async () => {
    using heard = new RecordedMessages();
    const { bench, campaign } = electorate();
    const started = campaign();
    bench.answer("acquire", [held(), held(), held()]);
    started.abort();
    await settle();
    expect(heard.of<AcquireMessage>("acquire asyncEnd")[0]?.attemptCount).to.equal(1);
  });
});
