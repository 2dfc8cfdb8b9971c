import { existsSync, statSync } from "node:fs";
import { connect } from "node:net";
import { expect } from "chai";
import { HoldingServer } from "../../../src/cli/exec/holding-server.js";
import type { HoldingAnswer, HoldingQuestion } from "../../../src/cli/holding.js";
import { askAround, deploymentOf } from "../../../src/cli/holding-socket.js";

const ENV = { QUORATE_NODES: "redis://a" };
const QUESTION: HoldingQuestion = { name: "n", token: 7, fingerprint: "1f6bb2a0" };
const YES: HoldingAnswer = { isKnown: true, isHeld: true };

async function opened(
  answer: (question: HoldingQuestion) => Promise<HoldingAnswer> = () => Promise.resolve(YES),
): Promise<HoldingServer> {
  const server = await HoldingServer.open(deploymentOf(ENV), answer);
  if (server === undefined) throw new Error("there is a place for a socket");
  return server;
}

/** What the server says to a text, until it ends the connection. */
async function reply(path: string, text: string): Promise<string> {
  let received = "";
  const socket = connect(path, () => socket.write(text));
  socket.on("data", (chunk) => (received += chunk.toString()));
  await new Promise((resolve) => socket.on("error", () => {}).once("close", resolve));
  return received;
}

describe("The socket of a command", () => {
  it("is for processes of the same user only, and is removed", async () => {
    let dir = "";
    {
      using server = await opened();
      ({ dir } = server);
      expect(statSync(dir).mode & 0o777).to.equal(0o700);
      expect(statSync(server.path).mode & 0o777).to.equal(0o600);
    }
    expect(existsSync(dir)).to.equal(false);
  });

  for (const isKnown of [true, false]) {
    for (const isHeld of [true, false]) {
      it(`passes question and answer on: ${isKnown}, ${isHeld}`, async () => {
        const asked: HoldingQuestion[] = [];
        using server = await opened((question) => {
          asked.push(question);
          return Promise.resolve({ isKnown, isHeld });
        });
        const env = { ...ENV, QUORATE_SOCKET: server.path };
        expect(await askAround(env, QUESTION)).to.deep.equal({ isKnown, isHeld });
        const { fingerprint: _, ...plain } = QUESTION;
        expect(await askAround(env, plain)).to.deep.equal({ isKnown, isHeld });
        expect(asked).to.deep.equal([QUESTION, { ...plain, fingerprint: undefined }]);
      });
    }
  }

  it("answers many at once, also while one of them says nothing", async () => {
    using server = await opened();
    const silent = connect(server.path);
    const env = { ...ENV, QUORATE_SOCKET: server.path };
    const answers = await Promise.all(Array.from({ length: 50 }, () => askAround(env, QUESTION)));
    expect(answers).to.deep.equal(answers.map(() => YES));
    silent.destroy();
  });

  it("answers a question that comes in parts", async () => {
    using server = await opened();
    const text = `${JSON.stringify({ ...QUESTION, deployment: deploymentOf(ENV) })}\n`;
    let received = "";
    const socket = connect(server.path);
    socket.on("data", (chunk) => (received += chunk.toString()));
    for (const part of text.match(/.{1,20}\n?/gs) ?? []) {
      socket.write(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => socket.once("close", resolve));
    expect(JSON.parse(received)).to.deep.equal(YES);
  });

  const MEANT = [
    { QUORATE_NODES: "redis://b" },
    { QUORATE_KEY_PREFIX: "x:" },
    { QUORATE_KEY_PREFIX: "" },
    { QUORATE_CONFIG: "/c.json" },
  ];
  for (const other of MEANT) {
    it(`answers nothing about another deployment: ${JSON.stringify(other)}`, async () => {
      using server = await opened(() => expect.fail("it must not ask"));
      const env = { ...ENV, ...other, QUORATE_SOCKET: server.path };
      expect(await askAround(env, QUESTION)).to.equal(undefined);
    });
  }

  for (const text of ["\n", "{\n", "null\n", "7\n", "{}\n", "x".repeat(70_000)]) {
    it(`survives ${JSON.stringify(text.slice(0, 5))}, ${text.length} long`, async () => {
      using server = await opened();
      expect(await reply(server.path, text)).to.equal("");
      const env = { ...ENV, QUORATE_SOCKET: server.path };
      expect(await askAround(env, QUESTION)).to.deep.equal(YES);
    });
  }

  it("leaves a question open that has no answer", async () => {
    using server = await opened(() => Promise.reject(new TypeError("no name")));
    expect(await askAround({ ...ENV, QUORATE_SOCKET: server.path }, QUESTION)).to.equal(undefined);
  });

  for (const path of [undefined, "", "/nowhere/held"]) {
    it(`is not there: ${path}`, async () => {
      expect(await askAround({ ...ENV, QUORATE_SOCKET: path }, QUESTION)).to.equal(undefined);
    });
  }

  it("is not opened where there is no place for it", async () => {
    const { TMPDIR } = process.env;
    try {
      for (const dir of ["/nowhere", `/tmp/${"x".repeat(120)}`]) {
        process.env["TMPDIR"] = dir;
        expect(await HoldingServer.open("", () => Promise.resolve(YES))).to.equal(undefined);
      }
    } finally {
      if (TMPDIR === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = TMPDIR;
    }
  });
});
