import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { expect } from "chai";
import { openPlainClient } from "../../src/redis/plain-client.js";
import { serverNodes } from "../../src/nodes/server-nodes.js";
import { eventually } from "../support/settle.js";
import { at } from "../support/nodes.js";

describe("openPlainClient", () => {
  const sockets = new Set<Socket>();
  let server: Server;

  beforeEach(async () => {
    // It accepts connections, and never says anything.
    server = createServer((socket) => {
      sockets.add(socket.on("error", () => {}));
      socket.resume();
      socket.once("close", () => sockets.delete(socket));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it("leaves no connection to a node that says nothing", async () => {
    const { port } = server.address() as AddressInfo;
    const node = at(serverNodes([`redis://127.0.0.1:${port}`], 60_000), 0);
    const opened = await openPlainClient(node, 300);
    expect(opened).to.deep.equal({
      kind: "failed",
      failure: {
        message: "no answer within 300 ms: connected, but the server does not answer",
        isMisconfigured: false,
      },
    });
    await eventually("the socket is closed", () => sockets.size === 0);
  });
});
