import * as FakeTimers from "@sinonjs/fake-timers";
import { expect } from "chai";
import { StopTimeout } from "../../../src/cli/exec/stop-timeout.js";

type Step = NodeJS.Signals | number;

/** Signals and the ms between them; and what they came to: `MS from the start: reason`. */
const CASES: readonly (readonly [
  title: string,
  timeoutMs: number,
  steps: readonly Step[],
  over: readonly string[],
])[] = [
  ["is not over before", 5_000, ["SIGTERM", 4_999], []],
  ["is over then", 5_000, [100, "SIGTERM", 60_000], [`5100: ${within("5.0 s", "SIGTERM")}`]],
  [
    "counts from the first signal",
    5_000,
    ["SIGINT", 99, "SIGTERM", 5_000],
    [`5000: ${within("5.0 s", "SIGINT")}`],
  ],
  [
    "is over at once with a second",
    5_000,
    ["SIGTERM", 100, "SIGTERM"],
    ["100: SIGTERM followed SIGTERM"],
  ],
  [
    "is over at once with another",
    5_000,
    ["SIGINT", 2_000, "SIGQUIT"],
    ["2000: SIGQUIT followed SIGINT"],
  ],
  [
    "is over again with each one more",
    0,
    ["SIGTERM", 200, "SIGTERM", 10, "SIGINT"],
    ["200: SIGTERM followed SIGTERM", "210: SIGINT followed SIGTERM"],
  ],
  ["takes signals that come together for one", 5_000, ["SIGINT", 99, "SIGINT", 4_900], []],
  ["is not over by itself with 0", 0, ["SIGTERM", 1e9], []],
  [
    "is over with a second signal with 0, too",
    0,
    ["SIGTERM", 1e6, "SIGINT"],
    ["1000000: SIGINT followed SIGTERM"],
  ],
  ["may be longer than a timer of Node.js can wait", 2 ** 32, ["SIGTERM", 2 ** 32 - 1], []],
  [
    "is over then, too",
    2 ** 32,
    ["SIGTERM", 2 ** 32],
    [`4294967296: ${within("1193 h 2 m", "SIGTERM")}`],
  ],
  ...(["SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGTSTP", "SIGWINCH"] as const).map(
    (signal) =>
      [`does not begin with ${signal}`, 5_000, [signal, 200, signal, 60_000], []] as const,
  ),
];

function within(time: string, signal: string): string {
  return `the command did not end within ${time} of ${signal}`;
}

describe("The time that a command has once it was told to end", () => {
  let clock: ReturnType<typeof FakeTimers.install>;

  beforeEach(() => {
    clock = FakeTimers.install({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => clock.uninstall());

  for (const [title, timeoutMs, steps, expected] of CASES) {
    it(title, () => {
      const over: string[] = [];
      using timeout = new StopTimeout(timeoutMs, (reason) => over.push(`${clock.now}: ${reason}`));
      for (const step of steps) {
        if (typeof step === "number") clock.tick(step);
        else timeout.passedOn(step);
      }
      expect(over).to.deep.equal(expected);
    });
  }

  it("does not go on when the command has ended", () => {
    const over: string[] = [];
    const timeout = new StopTimeout(5_000, (reason) => over.push(reason));
    timeout.passedOn("SIGTERM");
    timeout[Symbol.dispose]();
    clock.tick(60_000);
    expect(over).to.deep.equal([]);
    expect(clock.countTimers()).to.equal(0);
  });
});
