import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { expect } from "chai";
import { Worker } from "node:worker_threads";
import type { Redis } from "ioredis";
import { serverNodes, type NodeClients } from "../../src/nodes/server-nodes.js";
import { openPlainClient, type PlainClient } from "../../src/redis/plain-client.js";
import { at } from "../support/nodes.js";

const PROTECTED = "is running in protected mode because protected mode is enabled";
const TO_DO = "In this mode connections are only accepted from the loopback interface. If you want";

/** What servers say before they close a connection, and what is reported; is it a misconfiguration? */
const REFUSALS: readonly (readonly [server: string, said: string, message: RegExp, is: boolean])[] =
  [
    [
      "Redis 7 in protected mode",
      `-DENIED Redis ${PROTECTED} and no password is set for the default user. ${TO_DO}`,
      /^DENIED Redis is running in protected mode: set a password \(requirepass\)/,
      true,
    ],
    [
      "Redis 6 in protected mode",
      `-DENIED Redis ${PROTECTED}, no bind address was specified, no authentication password is requested to clients. ${TO_DO}`,
      /^DENIED Redis is running in protected mode: set a password \(requirepass\)/,
      true,
    ],
    [
      "Valkey 9 in protected mode",
      `-DENIED Running in protected mode because protected mode is enabled and no password is set for the default user. ${TO_DO}`,
      /^DENIED Running in protected mode: set a password \(requirepass\)/,
      true,
    ],
    [
      "a server without a connection left",
      "-ERR max number of clients reached",
      /^ERR max number of clients reached$/,
      false,
    ],
    [
      "a web server",
      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n",
      /^an answer that is not in the protocol of Redis: this is no Redis server, or/,
      false,
    ],
  ];

/** A server that has refused a connection before we know that it is there: in a thread of its own. */
const REFUSING = `
  const { parentPort, workerData } = require("node:worker_threads");
  const server = require("node:net").createServer((socket) => {
    socket.on("error", () => {});
    socket.end(workerData, () => socket.destroy());
  });
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`;

describe("openRedis", () => {
  it("reports what a server says that has closed the connection before anything was sent", async () => {
    const workerData = "-ERR max number of clients reached\r\n";
    const worker = new Worker(REFUSING, { eval: true, workerData });
    try {
      const [port] = (await once(worker, "message")) as [number];
      for (let round = 0; round < 20; round++) {
        const node = at(serverNodes([`redis://127.0.0.1:${port}`], 5_000), 0);
        const client = node.open() as Redis;
        const opening = openPlainClient({ ...node, open: () => client } as NodeClients, 5_000);
        while (client.stream === undefined)
          await new Promise((resolve) => process.nextTick(resolve));
        const startedMs = performance.now();
        while (performance.now() - startedMs < 20);
        const { failure } = (await opening) as Extract<PlainClient, { kind: "failed" }>;
        expect(failure.message).to.equal("ERR max number of clients reached");
      }
    } finally {
      await worker.terminate();
    }
  });

  for (const [server, said, message, isMisconfigured] of REFUSALS)
    for (const user of ["", ":secret@"])
      it(`reports what ${server} says, and prints nothing, as "${user}"`, async () => {
        const refusing = createServer((socket) => {
          socket.on("error", () => {});
          socket.end(`${said}\r\n`);
        });
        refusing.listen(0, "127.0.0.1");
        await once(refusing, "listening");
        const { port } = refusing.address() as AddressInfo;
        const [warn, printed] = [console.warn, [] as unknown[]];
        console.warn = (...words) => printed.push(...words);
        try {
          const node = at(serverNodes([`redis://${user}127.0.0.1:${port}`], 5_000), 0);
          const opened = await openPlainClient(node, 5_000);
          if (opened.kind === "open") throw new Error("it opened");
          expect(opened.failure.message).to.match(message);
          expect(opened.failure.isMisconfigured).to.equal(isMisconfigured);
        } finally {
          console.warn = warn;
          refusing.close();
        }
        expect(printed).to.deep.equal([]);
      });
});
