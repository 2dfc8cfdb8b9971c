import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { endBySignal, SignalWatch } from "../../../src/cli/exec/signals.js";

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;
const OTHERS = ["SIGUSR1", "SIGUSR2", "SIGCONT", "SIGTSTP", "SIGWINCH"] as const;
const ALL: readonly NodeJS.Signals[] = [...ENDING, ...OTHERS];
/** By Ctrl-C, Ctrl-\, Ctrl-Z, `fg` and a new size of the window. */
const OF_TERMINAL: readonly NodeJS.Signals[] = [
  ...["SIGINT", "SIGQUIT", "SIGTSTP", "SIGCONT", "SIGWINCH"],
] as const;

/** A watch, and signals that reach nothing but that watch. */
class Bench implements Disposable {
  readonly sent: NodeJS.Signals[] = [];
  readonly watch: SignalWatch;
  readonly #before = new Map(ALL.map((signal) => [signal, process.listeners(signal)] as const));

  constructor() {
    this.watch = new SignalWatch();
  }

  #added(signal: NodeJS.Signals): NodeJS.SignalsListener[] {
    const before = this.#before.get(signal) ?? [];
    return process.listeners(signal).filter((listener) => !before.includes(listener));
  }

  /** Those that would not have their default effect now. */
  get handled(): NodeJS.Signals[] {
    return ALL.filter((signal) => this.#added(signal).length > 0);
  }

  signal(...signals: readonly NodeJS.Signals[]): this {
    for (const signal of signals) {
      for (const listener of this.#added(signal)) listener(signal);
    }
    return this;
  }

  forward(isInTerminal = false): Disposable {
    return this.watch.forward(isInTerminal, (signal) => this.sent.push(signal));
  }

  [Symbol.dispose](): void {
    this.watch[Symbol.dispose]();
  }
}

describe("SignalWatch", () => {
  it("handles the signals that end a wait, until it is disposed of", () => {
    const bench = new Bench();
    expect(bench.handled).to.deep.equal(ENDING);
    bench.watch[Symbol.dispose]();
    expect(bench.handled).to.deep.equal([]);
  });

  for (const signal of ENDING) {
    it(`ends the wait: ${signal}`, () => {
      using bench = new Bench();
      expect(bench.watch).to.include({ endedBy: undefined, hasToEnd: false });
      bench.signal(signal);
      expect(bench.watch).to.include({ endedBy: signal, hasToEnd: true });
      expect(bench.watch.aborted.aborted).to.equal(true);
    });
  }

  it("names the signal that was first", () => {
    using bench = new Bench();
    bench.signal("SIGTERM", "SIGINT", "SIGHUP");
    expect(bench.watch.endedBy).to.equal("SIGTERM");
  });

  for (const signal of ALL) {
    it(`forwards it while a command runs: ${signal}`, () => {
      using bench = new Bench();
      const forwarding = bench.forward();
      expect(bench.handled).to.deep.equal(ALL);
      bench.signal(signal, signal);
      expect(bench.sent).to.deep.equal([signal, signal]);
      expect(bench.watch.endedBy, "the command decides").to.equal(undefined);
      const isEnd = signal !== "SIGHUP" && (ENDING as readonly string[]).includes(signal);
      expect(bench.watch.hasToEnd).to.equal(isEnd);
      forwarding[Symbol.dispose]();
      expect(bench.handled).to.deep.equal(ENDING);
    });

    const isTheirs = OF_TERMINAL.includes(signal);
    it(`${isTheirs ? "leaves it to the terminal" : "forwards it in a terminal, too"}: ${signal}`, () => {
      using bench = new Bench();
      bench.forward(true);
      bench.signal(signal);
      expect(bench.sent).to.deep.equal(isTheirs ? [] : [signal]);
      expect(bench.watch.endedBy).to.equal(undefined);
    });
  }

  it("lets Ctrl-Z in a terminal suspend this process", () => {
    using bench = new Bench();
    bench.forward(true);
    expect(bench.handled).to.deep.equal(ALL.filter((signal) => signal !== "SIGTSTP"));
  });

  for (const isInTerminal of [false, true]) {
    it(`forwards what came right before the command${isInTerminal ? ", in a terminal, too" : ""}`, () => {
      using bench = new Bench();
      bench.signal("SIGINT", "SIGTERM");
      bench.forward(isInTerminal);
      expect(bench.sent).to.deep.equal(["SIGINT"]);
    });
  }

  it("ends the next wait once a command has ended", () => {
    using bench = new Bench();
    bench.forward()[Symbol.dispose]();
    bench.signal("SIGHUP");
    expect(bench.sent).to.deep.equal([]);
    expect(bench.watch).to.include({ endedBy: "SIGHUP", hasToEnd: true });
  });

  it("forwards to the next command only, and handles nothing once both are disposed of", () => {
    const bench = new Bench();
    bench.forward()[Symbol.dispose]();
    bench.forward();
    bench.signal("SIGUSR2");
    expect(bench.sent).to.deep.equal(["SIGUSR2"]);
    bench.watch[Symbol.dispose]();
    expect(bench.handled).to.deep.equal([]);
  });
});

describe("endBySignal", () => {
  const url = new URL("../../../src/cli/exec/signals.js", import.meta.url).href;

  /** How a process ends that calls it. */
  async function endingOf(signal: NodeJS.Signals, before = ""): Promise<unknown[]> {
    const call = `import("${url}").then(({ endBySignal }) => endBySignal("${signal}"))`;
    const program = `${before}; ${call}.then((code) => process.exit(code));`;
    return once(spawn(process.execPath, ["-e", program], { stdio: "ignore" }), "exit");
  }

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const) {
    it(`ends the process so that a shell sees it: ${signal}`, async () => {
      expect(await endingOf(signal)).to.deep.equal([null, signal]);
    }).timeout(30_000);
  }

  it("names the exit code where the signal has no effect", async () => {
    expect(await endingOf("SIGTERM", 'process.on("SIGTERM", () => {})')).to.deep.equal([143, null]);
    // It must not really signal PID 1.
    const asInit =
      'Object.defineProperty(process, "pid", { value: 1 }); process.kill = () => process.exit(9)';
    expect(await endingOf("SIGTERM", asInit), "as PID 1").to.deep.equal([143, null]);
  }).timeout(30_000);

  it("does not start the inspector for SIGUSR1", async () => {
    expect(await endBySignal("SIGUSR1")).to.equal(128 + constants.signals.SIGUSR1);
  });
});
