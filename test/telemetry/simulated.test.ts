import { expect } from "chai";
import { generateScenario } from "../../sim/generate.js";
import type {
  CallEvent,
  EndEvent,
  GrantEvent,
  HistoryEvent,
  SettleEvent,
} from "../../sim/oracles/history.js";
import { waitedFor } from "../../sim/oracles/names.js";
import type { Profile } from "../../sim/profiles.js";
import { simulate } from "../../sim/simulate.js";
import type {
  AcquireMessage,
  ExtendMessage,
  LostMessage,
  ReleaseMessage,
  WaitingMessage,
} from "../../src/telemetry/messages.js";
import { RecordedMessages } from "../support/recorded-messages.js";

/** Locks are acquired by calls alone: no terms, no drop-in, no adoptions, no operators. */
const PROFILES: readonly Profile[] = ["healthy", "crash", "shared", "semaphore", "requests"];
const SEEDS = [1, 2, 3, 4];

/** So many of each are compared at least. */
const LEAST = { acquires: 100, releases: 100, losses: 3, waiters: 100, extends: 20 };

/** Fractions of a millisecond that one of both has rounded; clocks of processes are off by 0.01 %. */
const ROUNDED_MS = 1.5;

/** The outcome of a call, as a message calls it. */
const OUTCOMES: Readonly<Record<string, string>> = {
  ...{ granted: "granted", unreachable: "unreachable", exhausted: "exhausted" },
  ...{ aborted: "aborted", queued: "error", foreign: "error" },
};

/** What was measured of one lock or call, so that both sides can be sorted alike. */
interface Fact {
  readonly what: string;
  readonly ms: number;
}

const sorted = (facts: readonly Fact[]): Fact[] =>
  facts.toSorted((a, b) => (a.what < b.what ? -1 : a.what > b.what ? 1 : a.ms - b.ms));

function expectAlike(told: readonly Fact[], happened: readonly Fact[]): void {
  const [ours, theirs] = [sorted(told), sorted(happened)];
  expect(ours.map(({ what }) => what)).to.deep.equal(theirs.map(({ what }) => what));
  ours.forEach(({ what, ms }, at) => {
    expect(ms, what).to.be.closeTo(theirs[at]?.ms ?? Number.NaN, ROUNDED_MS);
  });
}

/** All that happened, and all that was told of it. */
async function runOf(profile: Profile, seed: number) {
  using heard = new RecordedMessages();
  const { history } = await simulate(generateScenario(seed, profile), { oracles: [] });
  const killed = new Set<string>();
  for (const event of history.events) {
    if (event.kind === "process" && event.what === "crash") killed.add(event.process);
  }
  return {
    events: history.events.filter((event) => !("process" in event && killed.has(event.process))),
    hasKilled: killed.size > 0,
    acquires: heard.of<AcquireMessage>("acquire asyncEnd"),
    releases: heard.of<ReleaseMessage>("release start"),
    losses: heard.of<LostMessage>("lost"),
    waiting: heard.of<WaitingMessage>("waiting"),
    extends: heard.of<ExtendMessage>("extend asyncEnd"),
  };
}

const nameOf = (name: string): string => waitedFor(name).replace("#", "");

function callsIn(events: readonly HistoryEvent[]): [CallEvent, SettleEvent][] {
  const open = new Map<number, CallEvent>();
  const done: [CallEvent, SettleEvent][] = [];
  for (const event of events) {
    if (event.kind === "call" && event.what === "acquire") open.set(event.call, event);
    if (event.kind !== "settle") continue;
    const call = open.get(event.call);
    if (call !== undefined) done.push([call, event]);
  }
  return done;
}

/** By owner: its grants, one per name, and how it ended. */
function locksIn(events: readonly HistoryEvent[]): [GrantEvent[], EndEvent][] {
  const grants = new Map<string, GrantEvent[]>();
  const ended = new Map<string, [GrantEvent[], EndEvent]>();
  const passedOn: [GrantEvent[], EndEvent][] = [];
  for (const event of events) {
    if (event.kind === "grant") {
      grants.set(event.ownerId, [...(grants.get(event.ownerId) ?? []), event]);
    } else if (event.kind === "passed") {
      // For one caller that was a release, and for the next a grant.
      const { atUs, token, ownerId } = event;
      const before = grants.get(ownerId) ?? [];
      passedOn.push([before, { ...event, kind: "end", why: "released" }]);
      grants.set(
        ownerId,
        before.map((grant) => ({ ...grant, atUs, token })),
      );
    } else if (event.kind === "end" && !ended.has(event.ownerId)) {
      ended.set(event.ownerId, [grants.get(event.ownerId) ?? [], event]);
    }
  }
  return [...passedOn, ...ended.values()];
}

/** Several permits are of one name. */
const namesOf = (grants: readonly GrantEvent[]): string =>
  [...new Set(grants.map(({ name }) => nameOf(name)))].toSorted().join(", ");

describe("what is told of locks is what the simulator knows", () => {
  /** How many of each were compared. */
  const compared = new Map<string, number>();

  after(() => {
    for (const [what, least] of Object.entries(LEAST)) {
      expect(compared.get(what), what).to.be.at.least(least);
    }
  });

  for (const profile of PROFILES) {
    it(`of acquires, releases, losses and waiters: ${profile}`, async function () {
      this.timeout(60_000);
      for (const seed of SEEDS) {
        const run = await runOf(profile, seed);
        const { events, acquires, releases, losses, waiting } = run;
        if (run.hasKilled) continue;
        for (const [what, count] of [
          ["acquires", acquires.length],
          ["releases", releases.length],
          ["losses", losses.length],
          ["waiters", waiting.length],
          ["extends", run.extends.length],
        ] as const) {
          compared.set(what, (compared.get(what) ?? 0) + count);
        }
        const calls = callsIn(events);
        expectAlike(
          acquires.map(({ names, outcome, waitedMs }) => {
            return { what: `${names.toSorted().join(", ")} ${outcome}`, ms: waitedMs };
          }),
          calls.map(([{ name, waitMs = 0, steadyMs }, { result, steadyMs: settledMs }]) => {
            const refused = waitMs === 0 ? "contended" : "timeout";
            const outcome = OUTCOMES[result] ?? (result === "refused" ? refused : result);
            return { what: `${nameOf(name)} ${outcome}`, ms: settledMs - steadyMs };
          }),
        );
        const tokens = (all: readonly { fencingToken: number | undefined }[]): number[] =>
          all.map(({ fencingToken = 0 }) => fencingToken).toSorted((a, b) => a - b);
        const ends = locksIn(events);
        const released = ends.filter(([, { why }]) => why === "released");
        expect(tokens(releases)).to.deep.equal(
          tokens(released.map(([[grant]]) => ({ fencingToken: grant?.token }))),
        );
        expectAlike(
          releases.map(({ name, heldMs }) => ({ what: name, ms: heldMs })),
          released.map(([grants, { atUs }]) => {
            return { what: namesOf(grants), ms: (atUs - (grants[0]?.atUs ?? 0)) / 1_000 };
          }),
        );
        const reported = events.filter((event) => event.kind === "lost");
        expect(losses.map(({ reason }) => reason).toSorted()).to.deep.equal(
          reported.map(({ reason }) => reason).toSorted(),
        );
        // Of a set there is one event per name.
        const extended = new Set(
          events
            .filter((event) => event.kind === "validity")
            .map(({ ownerId, atUs }) => `${ownerId} ${atUs}`),
        );
        const proven = run.extends.filter(({ outcome }) => outcome === "extended");
        expect(proven).to.have.length(extended.size);
        const counts = new Map<string, number>();
        for (const { name, change } of waiting) {
          counts.set(name, (counts.get(name) ?? 0) + change);
          expect(counts.get(name)).to.be.at.least(0);
        }
        expect([...counts.values()].every((count) => count === 0)).to.equal(true);
      }
    });
  }
});
