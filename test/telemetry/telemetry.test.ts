import { expect } from "chai";
import type { NodeChannel } from "../../src/channel/node-channel.js";
import type { LeaseSettings } from "../../src/coordinator/lease-settings.js";
import type { GrantedLease } from "../../src/coordinator/observer.js";
import type { ReleaseResult } from "../../src/coordinator/release-result.js";
import { keysOf } from "../../src/kinds/exclusive.js";
import { faultVote } from "../../src/protocol/operation.js";
import { CHANNELS } from "../../src/telemetry/channels.js";
import type {
  ExtendMessage,
  LostMessage,
  NodeMessage,
  ReleaseMessage,
  RoundMessage,
} from "../../src/telemetry/messages.js";
import { Telemetry } from "../../src/telemetry/telemetry.js";
import { operation } from "../support/channel-bench.js";
import { ManualClock, settle } from "../support/manual-clock.js";
import { granted, held } from "../support/votes.js";

/** When the lock was granted, lease clock, ms, and until when it is valid at first. */
const GRANTED_MS = 1_000;
const VALID_MS = 9_898;
const NOTICE_MS = 3_000;

const LOCK = { name: "a", names: ["a"], mode: "exclusive", fencingToken: 7 } as const;

describe("What the channels tell of a lock", () => {
  const names = ["one:1", "two:2", "three:3"];
  let clock: ManualClock;
  let telemetry: Telemetry;
  let lease: GrantedLease & { validUntilMs: number; lossCause?: GrantedLease["lossCause"] };
  const ends: (() => void)[] = [];

  beforeEach(() => {
    clock = new ManualClock(GRANTED_MS);
    telemetry = new Telemetry(() => ({ clock, names }));
    lease = {
      ...{ keys: keysOf("lock:", "a"), ownerId: "secret", fencingToken: 7 },
      settings: { lossNoticeMs: NOTICE_MS } as LeaseSettings,
      ...{ grantedAtMs: GRANTED_MS, validUntilMs: GRANTED_MS + VALID_MS },
    };
  });
  afterEach(() => ends.splice(0).forEach((end) => end()));

  /** Messages of a channel, as they are then. */
  function hear<Message>(channel: {
    subscribe(listener: (message: unknown) => void): void;
    unsubscribe(listener: (message: unknown) => void): unknown;
  }): Message[] {
    const heard: Message[] = [];
    const listener = (message: unknown): void => void heard.push({ ...(message as Message) });
    channel.subscribe(listener);
    ends.push(() => channel.unsubscribe(listener));
    return heard;
  }

  /** An extend round that takes so long, and adds so much to the validity. */
  async function extend(
    outcome: NonNullable<ExtendMessage["outcome"]>,
    { dueMs, tookMs, addedMs }: { dueMs?: number; tookMs: number; addedMs: number },
  ): Promise<void> {
    const told = telemetry.onExtending(lease, dueMs);
    await settle();
    clock.advance(tookMs);
    lease.validUntilMs += addedMs;
    told?.(outcome);
  }

  it("is how late a renewal was, and what validity it found and left", async () => {
    const begun = hear<ExtendMessage>(CHANNELS.extend.start);
    const ended = hear<ExtendMessage>(CHANNELS.extend.asyncEnd);
    clock.advance(3_350);
    await extend("extended", { dueMs: GRANTED_MS + 3_333, tookMs: 40, addedMs: 3_350 });
    await settle();
    const renewal = { ...LOCK, isRenewal: true, lateMs: 17 };
    expect(begun[0]).to.deep.include({ ...renewal, outcome: undefined, validBeforeMs: 6_548 });
    expect(ended[0]).to.deep.include({ ...renewal, outcome: "extended", durationMs: 40 });
    expect(ended[0]).to.include({ validBeforeMs: 6_508, validAfterMs: 9_858, isLate: false });
  });

  it("is no lateness of an extend that was asked for, nor of one that is early", async () => {
    const ended = hear<ExtendMessage>(CHANNELS.extend.asyncEnd);
    await extend("extended", { tookMs: 5, addedMs: 0 });
    await extend("extended", { dueMs: clock.now() + 100, tookMs: 5, addedMs: 0 });
    await settle();
    expect(ended.map(({ isRenewal, lateMs }) => [isRenewal, lateMs])).to.deep.equal([
      [false, 0],
      [true, 0],
    ]);
  });

  for (const [leftMs, isLate] of [
    [NOTICE_MS, false],
    [NOTICE_MS - 1, true],
  ] as const) {
    it(`is ${isLate ? "" : "not "}that it was late with ${leftMs} ms left`, async () => {
      const ended = hear<ExtendMessage>(CHANNELS.extend.asyncEnd);
      clock.advance(VALID_MS - leftMs - 10);
      await extend("failed", { dueMs: clock.now(), tookMs: 10, addedMs: 0 });
      await settle();
      expect(ended[0]).to.include({ isLate, validBeforeMs: leftMs, validAfterMs: leftMs });
    });
  }

  it("is no validity of one that was lost", async () => {
    const ended = hear<ExtendMessage>(CHANNELS.extend.asyncEnd);
    await extend("lost", { tookMs: 10, addedMs: 0 });
    await settle();
    expect(ended[0]).to.include({ outcome: "lost", validBeforeMs: 9_888, validAfterMs: 0 });
  });

  it("is what a lost lock had left when it was last extended, and for how long it was held", async () => {
    const lost = hear<LostMessage>(CHANNELS.lost);
    telemetry.onLost(lease, "stolen");
    clock.advance(3_000);
    await extend("extended", { tookMs: 20, addedMs: 3_000 });
    clock.advance(3_000);
    await extend("failed", { tookMs: 20, addedMs: 0 });
    clock.advance(6_858);
    lease.lossCause = { kind: "queued", lateMs: 6_600 };
    telemetry.onLost(lease, "expired");
    await settle();
    const first = { reason: "stolen", cause: undefined, lateMs: undefined };
    const second = { reason: "expired", cause: "queued", lateMs: 6_600 };
    expect(lost).to.deep.equal([
      { ...LOCK, ...first, heldMs: 0, validMs: undefined },
      { ...LOCK, ...second, heldMs: 12_898, validMs: 6_878 },
    ]);
  });

  it("is not held any more, whenever that is told, once its validity has ended", async () => {
    const lost = hear<LostMessage>(CHANNELS.lost);
    const released = hear<ReleaseMessage>(CHANNELS.release.start);
    clock.advance(VALID_MS + 60_000);
    telemetry.onLost(lease, "expired");
    telemetry.onReleasing(lease, Promise.resolve("expired"));
    await settle();
    expect([lost[0]?.heldMs, released[0]?.heldMs]).to.deep.equal([VALID_MS, VALID_MS]);
  });

  it("is for how long a released lock was held, and what it had left", async () => {
    const [begun, ended] = [
      hear<ReleaseMessage>(CHANNELS.release.start),
      hear<ReleaseMessage>(CHANNELS.release.asyncEnd),
    ];
    clock.advance(700);
    let answer: (result: ReleaseResult) => void = () => {};
    telemetry.onReleasing(lease, new Promise((resolve) => (answer = resolve)));
    await settle();
    const released = { ...LOCK, heldMs: 700, validMs: VALID_MS - 700 };
    expect(begun).to.deep.equal([{ ...released, result: undefined }]);
    clock.advance(50);
    answer("partial");
    await settle();
    expect(ended).to.deep.equal([{ ...released, result: "partial" }]);
    const { grantedAtMs: _, ...ofOthers } = lease;
    telemetry.onReleasing(ofOthers, Promise.resolve("released"));
    await settle();
    expect(begun[1], "nobody knows when it was granted").to.include({ heldMs: 0 });
  });

  it("is which state a node had before, whether somebody listened then or not", async () => {
    const about = { name: "two:2", quarantineLeftMs: 5 };
    const channel = { ...about, index: 1 } as NodeChannel;
    telemetry.onNodeState(channel, "connecting", "");
    telemetry.onNodeState(channel, "ready", "");
    const heard = hear<NodeMessage>(CHANNELS.node);
    telemetry.onNodeState(channel, "down", "gone");
    telemetry.onNodeState({ ...about, index: 2 } as NodeChannel, "down", "gone");
    await settle();
    const message = { node: "two:2", state: "down", detail: "gone", quarantineLeftMs: 5 };
    expect(heard).to.deep.equal([
      { ...message, previous: "ready" },
      { ...message, previous: undefined },
    ]);
  });

  it("is each node's part in a round, and which of them were asked", async () => {
    const heard = hear<RoundMessage>(CHANNELS.round);
    const end = { asked: 0b111, timeoutMs: 500 };
    const acquire = telemetry.onRound(operation("acquire", "me"));
    acquire?.onEnd({ ...end, verdict: "lost", votes: [granted(5), held(), undefined] });
    const votes = [faultVote("suspected", false, "silent"), granted(5), granted(5)];
    const extend = telemetry.onRound(operation("extend", "me"));
    extend?.onEnd({ ...end, asked: 0b001, verdict: "pending", votes });
    await settle();
    const ms = 500;
    expect(heard).to.deep.equal([
      {
        ...{ kind: "acquire", name: "invoice", names: ["invoice"], verdict: "lost", durationMs: 0 },
        votes: [
          { node: "one:1", vote: "granted", ms },
          { node: "two:2", vote: "refused", ms },
          { node: "three:3", vote: "fault", fault: "timeout", ms },
        ],
      },
      {
        ...{ kind: "extend", name: "invoice", names: ["invoice"] },
        ...{ verdict: "abandoned", durationMs: 0 },
        votes: [{ node: "one:1", vote: "fault", fault: "suspected", ms }],
      },
    ]);
  });

  it("is nothing where nobody listens", () => {
    expect(telemetry.onExtending(lease, 0)).to.equal(undefined);
    expect(telemetry.onRound(operation("acquire", "me"))).to.equal(undefined);
    expect(telemetry.hearsLate()).to.equal(false);
  });
});
