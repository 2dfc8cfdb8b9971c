import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Call } from "../../src/cli/command.js";
import { checkSettings, withConnection, type Checked } from "../../src/cli/connect.js";
import { Output } from "../../src/cli/output.js";
import type { LockManagerOptions } from "../../src/index.js";
import { OWN_TRANSPORT, type NodeWithTransport } from "../../src/nodes/simulated-nodes.js";

/** Where a value may come from, the strongest last. */
const SOURCES = ["command", "file", "environment", "globals", "options"] as const;

type Source = (typeof SOURCES)[number];

/** Where each option may come from. */
const OPTIONS: Readonly<Partial<Record<keyof LockManagerOptions, readonly Source[]>>> = {
  keyPrefix: ["file", "environment", "globals"],
  nodeTimeoutMs: ["file", "globals"],
  ttlMs: ["command", "file", "options"],
  label: ["command", "file", "options"],
  lockDelayMs: ["command", "file", "options"],
};

/** All subsets, without the empty one. */
function subsets<T>(all: readonly T[]): (readonly T[])[] {
  const [first, ...rest] = all;
  if (first === undefined) return [];
  const others = subsets(rest);
  return [[first], ...others, ...others.map((each) => [first, ...each])];
}

function outputTo(
  said: { stderr: string },
  manner: Partial<Pick<Output, "isQuiet" | "isVerbose">>,
): Output {
  const stream = { write: (text: string) => (said.stderr += text) };
  const streams = { stdout: process.stdout, stderr: stream as unknown as NodeJS.WritableStream };
  return new Output({ isJson: false, isQuiet: false, isVerbose: false, ...manner }, streams);
}

describe("The options of a command's lock manager", () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-connect-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** Each source says its own value of the option. */
  async function checkedWith(
    option: keyof LockManagerOptions,
    given: readonly Source[],
    valueOf: (source: Source) => unknown,
  ): Promise<Checked> {
    const of = (source: Source): Record<string, unknown> =>
      given.includes(source) ? { [option]: valueOf(source) } : {};
    const config = join(dir, "config.json");
    writeFileSync(config, JSON.stringify({ nodes: ["redis://127.0.0.1:1"], ...of("file") }));
    const inGlobals = {
      "key-prefix": of("globals")["keyPrefix"],
      "node-timeout": of("globals")["nodeTimeoutMs"],
    };
    const globals = { config, ...inGlobals } as Call["globals"];
    const env = { QUORATE_KEY_PREFIX: of("environment")["keyPrefix"] as string | undefined };
    const output = outputTo({ stderr: "" }, {});
    const overrides = { defaults: of("command"), options: of("options") };
    return await checkSettings({ globals, env, output }, overrides);
  }

  for (const [option, sources] of Object.entries(OPTIONS) as [
    keyof LockManagerOptions,
    Source[],
  ][]) {
    it(`are those of the strongest source: ${option}, from ${sources.join(" < ")}`, async () => {
      const isText = option === "keyPrefix" || option === "label";
      const valueOf = (source: Source): unknown =>
        isText ? `of ${source}` : 1_000 * (1 + SOURCES.indexOf(source));
      for (const given of subsets(sources)) {
        const { options } = await checkedWith(option, given, valueOf);
        const strongest = given.at(-1) as Source;
        expect(options[option], given.join(", ")).to.equal(valueOf(strongest));
      }
    });
  }
});

/** Its connections fail with that. */
function failingNode(message: string, isMisconfigured: boolean): NodeWithTransport {
  return {
    isDurable: false,
    [OWN_TRANSPORT]: () => ({
      name: "node",
      connect: (events) => {
        setImmediate(() => events.onClose({ message, isMisconfigured }));
        return { stage: undefined, handshake: () => {}, send: () => {}, close: () => {} };
      },
      subscribe: (_, events) => {
        setImmediate(() => events.onClose());
        return { close: () => {} };
      },
    }),
  };
}

describe("What a command says of its nodes", () => {
  const MANNERS = {
    "by default": {},
    "with --quiet": { isQuiet: true },
    "with --verbose": { isVerbose: true },
  } as const;

  /** What stands on stderr once the node's first connection has ended. */
  async function saidOf(
    isMisconfigured: boolean,
    manner: (typeof MANNERS)[keyof typeof MANNERS],
  ): Promise<string> {
    const said = { stderr: "" };
    const nodes = [failingNode("it has\u0007 a fault", isMisconfigured)];
    const none = { options: {}, file: undefined, passwordFile: undefined };
    const settings = { nodes, nodesFrom: "--nodes", ...none };
    await withConnection(settings, { output: outputTo(said, manner) }, async (locks) => {
      await new Promise((resolve) => locks.once("node", resolve));
      await new Promise((resolve) => setImmediate(resolve));
    });
    return said.stderr;
  }

  for (const [how, manner] of Object.entries(MANNERS)) {
    it(`is a warning about a misconfigured one, ${how}`, async () => {
      expect(await saidOf(true, manner)).to.match(
        /^quorate: warning: .*node.*it has\\x07 a fault/m,
      );
    });

    it(`is at most the state of one that is down, ${how}`, async () => {
      const said = await saidOf(false, manner);
      if ("isVerbose" in manner)
        expect(said).to.match(/^quorate: node is \w+: it has\\x07 a fault/m);
      else expect(said).to.equal("");
    });
  }
});
