import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { HoldingServer } from "../../src/cli/exec/holding-server.js";
import { deploymentOf, SOCKET_VARIABLE } from "../../src/cli/holding-socket.js";
import type { HoldingAnswer, HoldingQuestion } from "../../src/cli/holding.js";
import { callCli } from "../support/cli.js";

/** Nobody listens there. */
const NODES = "redis://127.0.0.1:1";

describe("quorate held in a command of quorate exec", () => {
  const own = { QUORATE_NODES: NODES };
  const held = { QUORATE_FENCING_TOKEN: "7", QUORATE_FINGERPRINT: "0123abcd" };
  let server: HoldingServer;
  let answer: HoldingAnswer;
  let asked: HoldingQuestion[];
  let dir: string;

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "quorate-held-"));
    asked = [];
    answer = { isKnown: true, isHeld: true };
    const opened = await HoldingServer.open(deploymentOf(own), async (question) => {
      asked.push(question);
      return answer;
    });
    if (opened === undefined) throw new Error("there is no place for a socket");
    server = opened;
  });
  afterEach(() => {
    server[Symbol.dispose]();
    rmSync(dir, { recursive: true, force: true });
  });

  const call = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    callCli(["held", "n", "--token", "7", ...args], {
      ...{ ...own, [SOCKET_VARIABLE]: server.path },
      ...env,
    });

  const ANSWERS: readonly (readonly [HoldingAnswer, code: number, stderr: string])[] = [
    [{ isKnown: true, isHeld: true }, 0, ""],
    [{ isKnown: true, isHeld: false }, 1, "quorate: no longer held\n"],
    [{ isKnown: false, isHeld: false }, 69, "quorate: no quorum of nodes answered\n"],
  ];
  for (const [given, code, stderr] of ANSWERS) {
    it(`exits ${code} after the answer ${JSON.stringify(given)}`, async () => {
      answer = given;
      expect(await call([])).to.deep.equal({ code, stdout: "", stderr });
      const { isKnown: isQuorate, isHeld } = given;
      const json = `${JSON.stringify({ name: "n", token: 7, isHeld, isQuorate })}\n`;
      expect(await call(["--json"])).to.deep.equal({ code, stdout: json, stderr: "" });
    });
  }

  const QUESTIONS: readonly (readonly [
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    fingerprint: string | undefined,
  ])[] = [
    [[], held, "0123abcd"],
    [[], { ...held, QUORATE_FENCING_TOKEN: "8" }, undefined],
    [[], { ...held, QUORATE_FENCING_TOKEN: undefined }, undefined],
    [[], { ...held, QUORATE_FINGERPRINT: undefined }, undefined],
    [["--fingerprint", "fedc9876"], held, "fedc9876"],
    [["--fingerprint", "fedc9876"], {}, "fedc9876"],
  ];
  for (const [args, env, fingerprint] of QUESTIONS) {
    const given = [...args, ...Object.entries(env).map((each) => each.join("="))].join(" ");
    it(`means the holder ${fingerprint ?? "of the token"} by ${given}`, async () => {
      await call(args, env);
      expect(asked).to.deep.equal([{ name: "n", token: 7, fingerprint }]);
    });
  }

  const OTHERS: Readonly<Record<string, string>> = {
    ...{ nodes: NODES, "key-prefix": "other:", "node-timeout": "100ms" },
  };
  for (const [option, value] of Object.entries(OTHERS)) {
    it(`asks the nodes itself with --${option}`, async () => {
      const { code } = await call([`--${option}`, value]);
      expect(code, "of nodes that do not answer").to.equal(69);
      expect(asked).to.deep.equal([]);
    });
  }

  it("asks the nodes itself with --config", async () => {
    const config = join(dir, "c.json");
    writeFileSync(config, JSON.stringify({ nodes: [NODES] }));
    expect((await call(["--config", config])).code).to.equal(69);
    expect(asked).to.deep.equal([]);
  });

  it("asks the nodes itself if the environment means others by now", async () => {
    for (const env of [{ QUORATE_NODES: `${NODES},${NODES}0` }, { QUORATE_KEY_PREFIX: "other:" }]) {
      expect((await call([], env)).code).to.equal(69);
    }
    expect(asked).to.deep.equal([]);
  });
});
