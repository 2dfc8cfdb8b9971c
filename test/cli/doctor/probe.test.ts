import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { expect } from "chai";
import { findingsOf } from "../../../src/cli/doctor/findings.js";
import { probeFleet } from "../../../src/cli/doctor/probe.js";
import { serverNodes } from "../../../src/nodes/server-nodes.js";

const SETTINGS = {
  ...{
    maxTtlMs: 60_000,
    firstTtlMs: 60_000,
    driftFactor: 0.01,
    allowEviction: false,
    keyPrefix: "lock:",
  },
  ...{ nodeTimeoutMs: 500, clockStepMs: 5_000, isQuarantineOn: true, hostMs: 1 },
};

describe("probeFleet", () => {
  const sockets = new Set<Socket>();
  let server: Server;
  let reply: string;

  before(async () => {
    server = createServer((socket) => {
      sockets.add(socket.on("error", () => {}));
      socket.on("data", (bytes) => {
        const commands = bytes.toString("latin1").match(/\*\d+\r\n\$/g) ?? [];
        for (const _ of commands) socket.write(reply);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const WORDS = "infoInScript role=master runId undeclaredKeys";
  const ABOUT = ["17", "run", "1700000000000", "", WORDS];
  for (const [what, answer, message] of [
    ["OK", "+OK\r\n", "the handshake is not answered as by a Redis server"],
    ["nothing", "$-1\r\n", "the handshake is not answered as by a Redis server"],
    [
      "with texts",
      `*${ABOUT.length}\r\n${ABOUT.map((text) => `$${text.length}\r\n${text}\r\n`).join("")}`,
      "replies out of step: the reply to request ",
    ],
  ] as const) {
    it(`says of something that answers every command ${what} that it is no Redis server`, async () => {
      reply = answer;
      const { port } = server.address() as AddressInfo;
      const fleet = await probeFleet(serverNodes([`redis://127.0.0.1:${port}`], 500), SETTINGS);
      const { failure } = fleet.nodes[0] ?? {};
      expect(failure).to.deep.equal({ message: failure?.message, isMisconfigured: false });
      expect(failure?.message.startsWith(message), failure?.message).to.equal(true);
      const findings = findingsOf(fleet, SETTINGS).filter(({ node }) => node !== undefined);
      expect(findings.map(({ code, saw }) => [code, saw])).to.deep.equal([
        ["unreachable", failure?.message],
      ]);
    });
  }
});
