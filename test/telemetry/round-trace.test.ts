import { expect } from "chai";
import { CHANNELS } from "../../src/telemetry/channels.js";
import type { RoundMessage } from "../../src/telemetry/messages.js";
import { RoundTrace } from "../../src/telemetry/round-trace.js";
import { CoordinatorBench } from "../support/coordinator-bench.js";
import { settle } from "../support/manual-clock.js";
import { fault, granted, held } from "../support/votes.js";

const NAMES = ["one:1", "two:2", "three:3"];

const votesOf = ({ votes }: RoundMessage): string[] =>
  votes.map(({ node, vote, fault, ms }) => [node, vote, fault, ms].filter(Boolean).join(" "));

describe("What is published of a round", () => {
  let bench: CoordinatorBench;
  const messages: RoundMessage[] = [];
  const listener = (message: unknown): void => void messages.push(message as RoundMessage);

  beforeEach(() => {
    bench = new CoordinatorBench();
    bench.context.observer.onRound = (operation) =>
      operation.kind === "acquire" ? new RoundTrace(operation, bench.clock, NAMES) : undefined;
    CHANNELS.round.subscribe(listener);
  });
  afterEach(() => {
    CHANNELS.round.unsubscribe(listener);
    messages.splice(0);
  });

  it("is what each node took, and when it was decided", async () => {
    bench.attempt();
    bench.clock.advance(3);
    bench.answer("acquire", [granted(7), undefined, undefined]);
    bench.clock.advance(4);
    bench.answer("acquire", [undefined, granted(7), undefined]);
    bench.clock.advance(20);
    bench.answer("acquire", [undefined, undefined, held(100)]);
    await settle();
    expect(messages).to.have.length(1);
    expect(messages[0]).to.include({ kind: "acquire", verdict: "won", durationMs: 7 });
    expect(messages.map(votesOf)).to.deep.equal([
      ["one:1 granted 3", "two:2 granted 7", "three:3 refused 27"],
    ]);
  });

  it("is that a node was silent to its deadline", async () => {
    bench.attempt();
    bench.clock.advance(1);
    bench.answer("acquire", [granted(7), granted(7), undefined]);
    bench.clock.advance(49);
    await settle();
    expect(messages.map(votesOf)).to.deep.equal([
      ["one:1 granted 1", "two:2 granted 1", "three:3 fault timeout 50"],
    ]);
  });

  it("is why a vote is a fault, and that nobody waited for it any more", async () => {
    const { attempt } = bench.attempt();
    bench.clock.advance(2);
    bench.answer("acquire", [fault("disconnected"), undefined, undefined]);
    attempt.abort();
    bench.clock.advance(60);
    await settle();
    expect(messages).to.have.length(1);
    expect(messages[0]).to.include({ verdict: "abandoned", durationMs: 50 });
    expect(messages.map(votesOf)).to.deep.equal([
      ["one:1 fault disconnected 2", "two:2 fault timeout 50", "three:3 fault timeout 50"],
    ]);
  });
});
