import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { dropStream } from "../../src/redis/drop-stream.js";
import { activeResources } from "../support/active-resources.js";
import { eventually } from "../support/settle.js";

describe("dropStream", () => {
  let server: Server;
  let theirs: Promise<Socket>;

  beforeEach(async () => {
    server = createServer({ allowHalfOpen: true });
    theirs = new Promise((resolve) => {
      server.once("connection", (socket) => resolve(socket.on("error", () => {})));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(() => server.close());

  const open = (): Socket => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => {});
    return socket;
  };

  const ROWS: readonly [when: string, before: (ours: Socket) => Promise<unknown>][] = [
    ["while it connects", async () => {}],
    ["while it is open", (ours) => once(ours, "connect")],
    [
      "with bytes that have not left yet",
      async (ours) => {
        await once(ours, "connect");
        ours.write(Buffer.alloc(16_000_000));
      },
    ],
    [
      "right after our side has ended",
      async (ours) => {
        await once(ours, "connect");
        ours.end();
      },
    ],
    [
      "right after the other side has ended",
      async (ours) => {
        await once(ours, "connect");
        ours.resume();
        (await theirs).end();
        await once(ours, "end");
      },
    ],
  ];

  for (const [when, before] of ROWS) {
    it(`leaves no handle behind: ${when}`, async () => {
      const countBefore = activeResources("TCPSocketWrap");
      const ours = open();
      await before(ours);
      const closed = new Promise((resolve) => {
        ours.once("close", resolve);
      });
      dropStream(ours);
      await closed;
      // The kernel may have accepted it even while it connected.
      void theirs.then((socket) => socket.destroy());
      await eventually("no handle is left", () => activeResources("TCPSocketWrap") <= countBefore);
    });
  }
});
