import { constants } from "node:os";
import { expect } from "chai";
import { acquireOptions } from "../../../src/cli/exec/exec.js";
import { commandOf, EXEC_OPTIONS, signalOf } from "../../../src/cli/exec/lock-options.js";
import { planOf, type Plan } from "../../../src/cli/exec/plan.js";
import { UsageError } from "../../../src/cli/exit-codes.js";
import { Output } from "../../../src/cli/output.js";
import type { Call, Values } from "../../../src/cli/command.js";
import { rejectionOf } from "../../support/settle.js";

type ExecValues = Values<typeof EXEC_OPTIONS>;

const output = new Output(
  { isJson: false, isQuiet: true, isVerbose: false },
  { stdout: process.stdout, stderr: process.stderr },
);

async function planned(
  values: ExecValues,
  command?: readonly string[],
  globals: Call["globals"] = {},
): Promise<Plan> {
  const call: Call<typeof EXEC_OPTIONS> = {
    ...{ words: ["x"], command: command ?? ["true"], values, output },
    ...{
      globals: { nodes: ["redis://127.0.0.1:1"], ...globals },
      env: { PATH: process.env["PATH"] },
    },
  };
  return await planOf(call, { names: ["x"] });
}

/** What an option changes in the plan, and what is there without it. */
const IN_PLAN: readonly (readonly [
  values: ExecValues,
  of: (plan: Plan) => unknown,
  value: unknown,
  without: unknown,
])[] = [
  [{ ttl: 40_000 }, ({ settings }) => settings.lease.ttlMs, 40_000, 30_000],
  [{ grace: 5_000 }, ({ times }) => times.graceMs, 5_000, 10_000],
  [{ grace: 0 }, ({ times }) => times.graceMs, 0, 10_000],
  [{ ttl: 60_000 }, ({ times }) => times.graceMs, 20_000, 10_000],
  [{ "stop-timeout": 5_000 }, ({ stopTimeoutMs }) => stopTimeoutMs, 5_000, 30_000],
  [{ "stop-timeout": 0 }, ({ stopTimeoutMs }) => stopTimeoutMs, 0, 30_000],
  [{ "lock-delay": 7_000 }, ({ settings }) => settings.options.lockDelayMs, 7_000, undefined],
  [{ "lock-delay": 0 }, ({ settings }) => settings.options.lockDelayMs, 0, undefined],
  [{ "max-hold": 20_000 }, ({ settings }) => settings.options.maxHoldMs, 20_000, undefined],
  [{ label: "a b" }, ({ settings }) => settings.options.label, "a b", undefined],
  [{ signal: "int" }, ({ signal }) => signal, "SIGINT", "SIGTERM"],
  [{ signal: "SIGUSR1" }, ({ signal }) => signal, "SIGUSR1", "SIGTERM"],
  [{ "on-loss": "signal" }, ({ onLoss }) => onLoss, "signal", "kill"],
  [{ "on-loss": "ignore" }, ({ onLoss }) => onLoss, "ignore", "kill"],
  [{ "no-guard": true }, ({ hasGuard }) => hasGuard, false, true],
  [{ "leave-group": true }, ({ leavesGroup }) => leavesGroup, true, false],
  [{ "pass-nodes": true }, ({ passesNodes }) => passesNodes, true, false],
  [{ "status-fd": 1 }, ({ statusFd }) => statusFd, 1, undefined],
];

/** What an option asks of the library: all of it. */
const ASKED: readonly (readonly [values: ExecValues, asked: object])[] = [
  [{}, {}],
  [{ wait: 5_000 }, { waitMs: 5_000 }],
  [{ wait: 0 }, { waitMs: 0 }],
  [{ "no-wait": true }, { waitMs: 0 }],
  [{ shared: true }, { mode: "shared" }],
  [{ owner: "me" }, { owner: "me" }],
  [{ owner: "" }, { owner: "" }],
  [{ fair: true }, { fair: true }],
  [{ "min-hold": 20_000 }, { minHoldMs: 20_000 }],
  [{ "min-hold": 0 }, { minHoldMs: 0 }],
  // Not of an acquire.
  [{ permits: 3 }, {}],
  [{ ttl: 5_000, label: "x", "conflict-exit-code": 0 }, {}],
];

describe("What a command under a lock is planned to do", () => {
  for (const [values, of, value, without] of IN_PLAN) {
    it(`follows from its options: ${JSON.stringify(values)}`, async () => {
      expect(of(await planned({ tty: "never", ...values }))).to.deep.equal(value);
      expect(of(await planned({ tty: "never" }))).to.deep.equal(without);
    });
  }

  it("can follow the advice on a ttl that is too short for --node-timeout", async () => {
    const globals = { "node-timeout": 20_000 };
    const refused = await rejectionOf(planned({ tty: "never" }, undefined, globals));
    expect((refused as Error).message).to.match(
      /^--ttl must be at least 123714 ms with a --node-timeout of 20000 ms, .*; got 30000 ms$/,
    );
    const plan = await planned({ tty: "never", ttl: 123_714 }, undefined, globals);
    expect(plan.settings.lease.nodeTimeoutMs).to.equal(20_000);
  });

  it("is to run what follows --, or a shell", async () => {
    expect((await planned({ tty: "never" }, ["true", "-c"])).command).to.deep.equal(["true", "-c"]);
    const call = { words: ["x"], globals: { nodes: ["redis://a"] }, env: process.env, output };
    const shell = await planOf(
      { ...call, command: undefined, values: { tty: "never", command: "exit 3" } },
      { names: ["x"] },
    );
    expect(shell.command).to.deep.equal(["sh", "-c", "exit 3"]);
    // Also said by elect.
    expect(() => commandOf({}, undefined)).to.throw(
      UsageError,
      /^no command: it follows --, as in `NAME -- COMMAND`$/,
    );
  });

  for (const [values, asked] of ASKED) {
    it(`asks of the library: ${JSON.stringify(values)}`, () => {
      const defaults = { mode: "exclusive", minHoldMs: undefined };
      expect(acquireOptions({ values })).to.deep.equal({ ...defaults, ...asked });
    });
  }

  const names = ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "KILL", "ALRM", "CONT"];
  for (const name of [...names, "WINCH", "ABRT"]) {
    it(`may send ${name}`, () => {
      for (const given of [name, name.toLowerCase(), `SIG${name}`])
        expect(signalOf(given)).to.equal(`SIG${name}`);
    });
  }

  for (const given of ["", "STOP", "15", "TERMX", "XTERM", "SIGSIGTERM"]) {
    it(`may not send ${JSON.stringify(given)}`, () => {
      const says = /^--signal must be one of TERM, INT, .*, with or without SIG, got "/;
      expect(() => signalOf(given)).to.throw(UsageError, says);
      expect(() => signalOf(given)).to.throw(UsageError, JSON.stringify(given));
    });
  }

  it("may send each signal that completion offers", () => {
    const offered = EXEC_OPTIONS.signal.completes as readonly string[];
    expect(offered).to.include.members(["WINCH", "SIGWINCH"]);
    for (const word of offered) expect(constants.signals).to.have.property(signalOf(word));
  });
});
