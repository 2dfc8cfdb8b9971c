import { expect } from "chai";
import * as fc from "fast-check";
import {
  Admission,
  MAX_RENEWALS,
  nextWindow,
  renewalsOn,
  Throttle,
  WINDOW_BOUNDS,
  type Entrant,
  type Throttled,
} from "../../src/coordinator/admission.js";
import type { Urgency } from "../../src/protocol/next-move.js";
import { CoordinatorBench } from "../support/coordinator-bench.js";
import { ManualClock, settle } from "../support/manual-clock.js";
import { granted } from "../support/votes.js";
import { uniform } from "../support/uniform.js";

const NODE_TIMEOUT_MS = 500;

class AdmissionBench {
  readonly clock = new ManualClock();
  readonly admission: Admission;
  /** Those that began, in order. */
  readonly begun: string[] = [];
  /** Those that were told that they have to wait, in order. */
  readonly heldBack: string[] = [];
  readonly #beganMs = new Map<string, number>();
  readonly #entrants = new Map<string, Entrant>();

  constructor(bounds = { min: 2, start: 2, max: 8 }) {
    this.admission = new Admission(this.clock, bounds);
  }

  enter(names: string, urgency: Urgency = "plain"): void {
    for (const name of names) {
      const begin = (): void => {
        this.begun.push(name);
        this.#beganMs.set(name, this.clock.now());
      };
      this.#entrants.set(name, { begin, onHeldBack: () => this.heldBack.push(name) });
      this.admission.enter(this.of(name), urgency);
    }
  }

  of(name: string): Entrant {
    const entrant = this.#entrants.get(name);
    if (entrant === undefined) throw new Error(`${name} has not entered`);
    return entrant;
  }

  end(names: string, how: "answered" | "unanswered" | "aborted" = "answered"): void {
    for (const name of names) {
      this.admission.onEnd(how, this.#beganMs.get(name) ?? NaN, NODE_TIMEOUT_MS, this.clock.now());
    }
  }

  /** What began since this was asked last, in this turn of the loop. */
  news(): string {
    this.clock.flush();
    return this.begun.splice(0).join("");
  }
}

describe("Admission", () => {
  it("begins as many at once as the window has room for, and the others in order as these end", () => {
    const bench = new AdmissionBench();
    bench.enter("abcdef");
    expect(bench.news()).to.equal("ab");
    expect(bench.admission.waitingCount).to.equal(4);
    bench.end("b", "aborted");
    bench.clock.advance(0);
    expect(bench.news()).to.equal("c");
    bench.end("ac", "aborted");
    bench.clock.advance(0);
    expect(bench.news()).to.equal("de");
    bench.end("de", "aborted");
    bench.clock.advance(0);
    expect(bench.news()).to.equal("f");
    expect(bench.admission.waitingCount).to.equal(0);
  });

  it("begins nothing from within the call, so that no deadline runs while many are asked for", () => {
    const bench = new AdmissionBench();
    bench.enter("ab");
    expect(bench.begun).to.deep.equal([]);
    expect(bench.news()).to.equal("ab");
  });

  it("begins none of those who wait in the turn in which others end, so that replies are read between", () => {
    const bench = new AdmissionBench();
    bench.enter("abc");
    expect(bench.news()).to.equal("ab");
    bench.end("ab");
    expect(bench.news()).to.equal("");
    bench.clock.advance(0);
    expect(bench.news()).to.equal("c");
  });

  it("lets nobody overtake those who wait, although there is room", () => {
    const bench = new AdmissionBench();
    bench.enter("abc");
    expect(bench.news()).to.equal("ab");
    bench.end("ab", "aborted");
    bench.enter("d");
    expect(bench.news()).to.equal("cd");
  });

  it("begins those first for which nodes keep the name, whether they are called before or while they wait", () => {
    const bench = new AdmissionBench();
    bench.enter("abcde");
    expect(bench.news()).to.equal("ab");
    bench.enter("f", "called");
    bench.admission.hurry(bench.of("d"));
    bench.end("ab", "aborted");
    bench.clock.advance(0);
    expect(bench.news()).to.equal("fd");
  });

  it("tells those that do not begin in the turn in which they enter, and nobody else", () => {
    const bench = new AdmissionBench();
    bench.enter("abcd");
    bench.admission.leave(bench.of("c"));
    expect(bench.heldBack, "within the call").to.deep.equal([]);
    expect(bench.news()).to.equal("ab");
    expect(bench.heldBack).to.deep.equal(["d"]);
    bench.end("ab", "unanswered");
    for (let count = 0; count < 400; count++) bench.enter("p", "patient");
    expect(bench.heldBack.slice(1), "it rests until a quorum answers").to.include("p");
  });

  it("begins nobody who has left, and leaves no timer behind", () => {
    const bench = new AdmissionBench({ min: 1, start: 1, max: 1 });
    bench.enter("a");
    bench.news();
    bench.enter("b");
    bench.enter("c", "called");
    bench.end("a", "unanswered");
    // More than may be tried again at once.
    const patient = Array.from({ length: 400 }, (_, index) => String.fromCharCode(0x4e00 + index));
    for (const name of patient) bench.enter(name, "patient");
    expect(bench.clock.timerCount, "for the next turn, and the next tries").to.equal(2);
    for (const name of ["b", "c", ...patient]) bench.admission.leave(bench.of(name));
    expect(bench.admission.waitingCount).to.equal(0);
    expect(bench.clock.timerCount).to.equal(0);
    bench.clock.advance(10_000);
    expect(bench.news()).to.equal("");
  });
});

describe("Admission: the window", () => {
  it("grows while attempts end soon and others wait, up to its most", () => {
    const bench = new AdmissionBench();
    bench.enter("abcdefghijklmnopqrstuvwxyz");
    const sizes: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const begun = bench.news();
      sizes.push(begun.length);
      bench.end(begun);
      bench.clock.advance(0);
    }
    expect(sizes).to.deep.equal([2, 4, 8, 8]);
  });

  it("does not grow while nobody waits for room", () => {
    const bench = new AdmissionBench();
    for (const pair of ["ab", "cd", "ef"]) {
      bench.enter(pair);
      bench.news();
      bench.end(pair);
    }
    bench.enter("ghij");
    expect(bench.news()).to.equal("gh");
  });

  for (const how of ["answered", "unanswered"] as const) {
    it(`is halved once for all that are late together, if they are ${how}`, () => {
      const bench = new AdmissionBench({ min: 1, start: 8, max: 8 });
      bench.enter("abcdefgh");
      bench.enter("ijklmnopqrstuvwxyz");
      bench.news();
      bench.clock.advance(400);
      bench.end("abcdefgh", how);
      bench.clock.advance(0);
      expect(bench.news()).to.have.length(4);
      bench.clock.advance(400);
      bench.end("ijkl", how);
      bench.clock.advance(0);
      expect(bench.news()).to.have.length(2);
    });
  }
});

describe("Admission while no quorum answers", () => {
  const many = Array.from({ length: 2_000 }, (_, index) => String.fromCharCode(0x4e00 + index));

  function troubled(): AdmissionBench {
    const bench = new AdmissionBench({ min: 64, start: 64, max: 64 });
    bench.enter("a");
    bench.news();
    bench.end("a", "unanswered");
    return bench;
  }

  it("tries only some of those again that were tried before, however many there are", () => {
    const bench = troubled();
    for (const name of many) bench.enter(name, "patient");
    let count = 0;
    for (let ms = 0; ms < 2_000; ms++) {
      const begun = bench.news();
      count += begun.length;
      bench.end(begun, "unanswered");
      bench.clock.advance(1);
    }
    expect(count).to.be.within(3 * 300, 3 * 330);
  });

  it("tries all others at once, and few as often as they want", () => {
    const bench = troubled();
    for (const name of many) bench.enter(name, "patient");
    bench.enter("zy");
    let begun = "";
    for (let turn = 0; turn < 10; turn++) {
      const news = bench.news();
      begun += news;
      bench.end(news, "unanswered");
      bench.clock.advance(0);
    }
    expect(begun)
      .to.match(/zy$/)
      .and.to.have.length.below(many.length / 4);
    const few = troubled();
    for (let times = 0; times < 50; times++) {
      few.enter("p", "patient");
      expect(few.news()).to.equal("p");
      few.end("p", "unanswered");
      few.clock.advance(10);
    }
  });

  it("lets all in, in their order, once one of them is answered", () => {
    const bench = troubled();
    for (const name of many) bench.enter(name, "patient");
    let seen = "";
    for (let turn = 0; turn < 100 && seen.length < many.length; turn++) {
      const begun = bench.news();
      seen += begun;
      bench.end(begun);
      bench.clock.advance(0);
    }
    expect(seen === many.join("")).to.equal(true);
    expect(bench.clock.timerCount).to.equal(0);
  });
});

const { min, start, max } = WINDOW_BOUNDS;

describe("nextWindow", () => {
  const table: readonly [string, number, number | undefined, number][] = [
    ["grows by one where an attempt ended soon", start, 125, start + 1],
    ["stays where it ended neither soon nor late", start, 126, start],
    ["stays at half of the node deadline", start, 250, start],
    ["is halved where it ended late", start, 251, start / 2],
    ["is halved where no quorum answered", start, undefined, start / 2],
    ["does not grow beyond the most", max, 1, max],
    ["is not halved below the least", min + 1, 251, min],
  ];
  for (const [title, window, tookMs, next] of table) {
    it(title, () => {
      expect(nextWindow(window, tookMs, 500, WINDOW_BOUNDS)).to.equal(next);
    });
  }

  it("is a whole number within its bounds, and never larger for an attempt that took longer", () => {
    const window = fc.integer({ min, max });
    fc.assert(
      fc.property(window, uniform(0, 2_000), uniform(0, 2_000), (before, a, b) => {
        const [soon, late] = [Math.min(a, b), Math.max(a, b)].map((tookMs) =>
          nextWindow(before, tookMs, 1_000, WINDOW_BOUNDS),
        );
        expect(soon)
          .to.be.within(min, max)
          .and.at.least(late ?? Infinity);
        expect(Number.isInteger(soon)).to.equal(true);
      }),
    );
  });
});

class ThrottleBench {
  readonly clock = new ManualClock();
  readonly throttle = new Throttle(this.clock, 2, 1);
  readonly begun: string[] = [];

  enter(...names: readonly string[]): Throttled[] {
    return names.map((name) => {
      const item = { begin: () => this.begun.push(name) };
      this.throttle.enter(item, name.startsWith("urgent"));
      return item;
    });
  }
}

describe("A throttle", () => {
  it("lets in what there is room for, and the rest as others end: first all that is urgent", () => {
    const bench = new ThrottleBench();
    bench.enter("a", "b", "c", "urgent 1", "d", "urgent 2");
    const begunAfter = (count: number): string[] => {
      for (let ended = 0; ended < count; ended++) bench.throttle.onEnd();
      bench.clock.advance(0);
      return bench.begun.splice(0);
    };
    expect(begunAfter(0)).to.deep.equal(["a", "b", "urgent 1"]);
    expect(begunAfter(1)).to.deep.equal(["urgent 2"]);
    expect(begunAfter(1)).to.deep.equal([]);
    expect(begunAfter(1)).to.deep.equal(["c"]);
    expect(begunAfter(1)).to.deep.equal(["d"]);
    expect(bench.throttle).to.include({ waitingCount: 0, underWayCount: 2 });
  });

  it("begins the next in a turn of the event loop of its own, and needs none where nothing waits", () => {
    const bench = new ThrottleBench();
    const [, , waiting] = bench.enter("a", "b", "c");
    bench.throttle.onEnd();
    bench.clock.flush();
    expect(bench.begun).to.deep.equal(["a", "b"]);
    expect(bench.clock.timerCount).to.equal(1);
    bench.throttle.leave(waiting as Throttled);
    expect(bench.clock.timerCount).to.equal(0);
    bench.throttle.onEnd();
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("asks for its limit whenever one could begin", () => {
    const bench = new ThrottleBench();
    bench.enter("a", "b", "c", "d", "e");
    bench.throttle.limit = 4;
    bench.throttle.beginNext();
    expect(bench.begun).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("begins nothing more once it is closed, and lets nobody wait", () => {
    const bench = new ThrottleBench();
    bench.enter("a", "b", "c");
    bench.throttle.close();
    bench.enter("d", "urgent");
    bench.throttle.onEnd();
    bench.clock.advance(0);
    expect(bench.begun).to.deep.equal(["a", "b"]);
    expect(bench.throttle.waitingCount).to.equal(0);
  });
});

/** Begins what it is asked to, and keeps the order. */
class RenewalsBench {
  readonly clock = new ManualClock();
  readonly renewals = renewalsOn(this.clock);
  readonly begun: number[] = [];
  readonly #leases = new Map<number, Throttled>();

  lease(id: number): Throttled {
    const lease = this.#leases.get(id) ?? { begin: () => this.begun.push(id) };
    this.#leases.set(id, lease);
    return lease;
  }

  begin(from: number, to: number): void {
    for (let id = from; id < to; id++) this.renewals.enter(this.lease(id), false);
  }
}

describe("Renewals", () => {
  it("begin at once while there is room, then as others end, first come first served", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 3);
    expect(bench.begun).to.have.length(MAX_RENEWALS);
    expect(bench.renewals.waitingCount).to.equal(3);
    bench.renewals.onEnd();
    bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.begun.slice(MAX_RENEWALS)).to.deep.equal([MAX_RENEWALS, MAX_RENEWALS + 1]);
    expect(bench.renewals.waitingCount).to.equal(1);
  });

  it("begin the next in a turn of the event loop of their own, so that replies are read between", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 1);
    bench.renewals.onEnd();
    bench.clock.flush();
    expect(bench.begun).to.have.length(MAX_RENEWALS);
    bench.clock.advance(0);
    expect(bench.begun).to.have.length(MAX_RENEWALS + 1);
    expect(bench.clock.timerCount).to.equal(0);
  });

  it("let one that is urgent go past the others, and begin it once", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 2);
    const last = MAX_RENEWALS + 1;
    expect(bench.renewals.enter(bench.lease(last), true)).to.equal(true);
    expect(bench.begun.at(-1)).to.equal(last);
    bench.renewals.onEnd();
    bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.begun.slice(MAX_RENEWALS)).to.deep.equal([last, MAX_RENEWALS]);
  });

  it("bound the urgent ones too, and serve them before all others", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 1);
    const from = MAX_RENEWALS + 1;
    for (let id = from; id < from + MAX_RENEWALS + 2; id++) {
      bench.renewals.enter(bench.lease(id), true);
    }
    expect(bench.begun).to.have.length(2 * MAX_RENEWALS);
    for (let ended = 0; ended < MAX_RENEWALS + 1; ended++) bench.renewals.onEnd();
    bench.clock.advance(0);
    // Two urgent ones were left. There is no room for others yet.
    expect(bench.begun.slice(2 * MAX_RENEWALS)).to.deep.equal([
      from + MAX_RENEWALS,
      from + MAX_RENEWALS + 1,
    ]);
    for (let ended = 0; ended < 2; ended++) bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.begun.at(-1)).to.equal(MAX_RENEWALS);
    expect(bench.renewals.waitingCount).to.equal(0);
  });

  it("begin none that was forgotten, and none once they are closed", () => {
    const bench = new RenewalsBench();
    bench.begin(0, MAX_RENEWALS + 2);
    bench.renewals.leave(bench.lease(MAX_RENEWALS));
    bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.begun.slice(MAX_RENEWALS)).to.deep.equal([MAX_RENEWALS + 1]);
    bench.begin(MAX_RENEWALS + 2, MAX_RENEWALS + 5);
    bench.renewals.close();
    bench.renewals.onEnd();
    bench.clock.advance(0);
    expect(bench.renewals.enter(bench.lease(0), true)).to.equal(true);
    expect(bench.begun).to.have.length(MAX_RENEWALS + 1);
  });

  it("lose none and exceed their number never, in whatever order they come and end", () => {
    const steps = fc.array(
      fc.record({ come: fc.nat(2 * MAX_RENEWALS), end: fc.nat(2 * MAX_RENEWALS) }),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const bench = new RenewalsBench();
        let [came, ended] = [0, 0];
        const end = (count: number): void => {
          for (let n = 0; n < count && ended < bench.begun.length; n++, ended++) {
            bench.renewals.onEnd();
          }
          bench.clock.advance(0);
          expect(bench.begun.length - ended).to.be.at.most(MAX_RENEWALS);
        };
        for (const step of all) {
          bench.begin(came, came + step.come);
          came += step.come;
          end(step.end);
        }
        while (ended < bench.begun.length) end(came);
        expect(bench.begun).to.deep.equal(Array.from({ length: came }, (_, id) => id));
      }),
      { numRuns: 30 },
    );
  });
});

describe("Leases: many renewals", () => {
  const COUNT = MAX_RENEWALS + 50;

  function many(): { bench: CoordinatorBench; lost: () => number } {
    const bench = new CoordinatorBench();
    for (let n = 0; n < COUNT; n++) bench.lease({ ttlMs: 3_000 });
    return { bench, lost: () => bench.lost.length };
  }

  function answerAll(bench: CoordinatorBench, from: number): void {
    for (const node of bench.nodes) {
      for (const { reply } of node.all("extend").slice(from)) reply(granted());
    }
  }

  it("go out in turns when all are due together, and all are renewed", async () => {
    const { bench, lost } = many();
    bench.clock.advance(1_000);
    expect(bench.counts("extend")).to.deep.equal(Array(3).fill(MAX_RENEWALS));
    answerAll(bench, 0);
    await settle();
    bench.clock.advance(1);
    expect(bench.counts("extend")).to.deep.equal(Array(3).fill(COUNT));
    answerAll(bench, MAX_RENEWALS);
    await bench.clock.run(900, 100);
    bench.clock.advance(900);
    expect(lost()).to.equal(0);
  });

  it("wait for no others any more when a third of the ttl is left", () => {
    const { bench } = many();
    // Valid for 2968 ms.
    bench.clock.advance(1_960);
    expect(bench.counts("extend").every((count) => count < COUNT)).to.equal(true);
    bench.clock.advance(10);
    expect(bench.counts("extend").every((count) => count >= COUNT)).to.equal(true);
  });
});
