import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { Redis } from "ioredis";
import { dropClient, dropStream } from "../../src/redis/drop-stream.js";
import { RedisProcess } from "../../src/testing/index.js";
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

  it("sends nothing more, not even what the system has taken already", async () => {
    const ours = open();
    await once(ours, "connect");
    const their = await theirs;
    their.pause();
    // More than both ends hold.
    ours.write(Buffer.alloc(16_000_000));
    await eventually("it has begun", () => their.bytesRead > 0);
    const ended = new Promise<void>((resolve) => their.once("error", resolve).once("end", resolve));
    dropStream(ours);
    await once(ours, "close");
    const beforeCount = their.bytesRead;
    their.resume();
    await ended;
    expect(their.bytesRead - beforeCount).to.be.below(500_000);
    their.destroy();
  });
});

describe("dropClient", () => {
  let folder: string;
  let path: string;
  let redis: RedisProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "quorate-"));
    path = join(folder, "redis.sock");
    redis = await RedisProcess.start({ extraArgs: ["--unixsocket", path] });
  });
  after(async () => {
    await redis.stop();
    await rm(folder, { recursive: true });
  });

  const opened = async (at: { path: string } | { port: number }): Promise<Redis> => {
    const client = new Redis({ ...at, lazyConnect: true, retryStrategy: () => null });
    client.on("error", () => {});
    await client.connect();
    return client;
  };
  const ROWS: readonly [when: string, before: (client: Redis) => Promise<unknown>][] = [
    ["while it is open", async () => {}],
    [
      "while it listens to a server that does not answer",
      async (client) => {
        await client.subscribe("a");
        await redis.pause();
      },
    ],
    [
      "after its end",
      async (client) => {
        const ended = once(client, "end");
        client.disconnect();
        await ended;
      },
    ],
  ];

  for (const where of ["a port", "a Unix socket"])
    for (const [when, happens] of ROWS) {
      it(`leaves no timer that keeps the process alive: ${when}, at ${where}`, async () => {
        const client = await opened(where === "a port" ? { port: redis.port } : { path });
        await happens(client);
        // From here on mocha's own is counted.
        const before = activeResources("Timeout");
        dropClient(client);
        await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
        expect(client.status).to.equal("end");
        expect(activeResources("Timeout")).to.be.at.most(before);
        await redis.resume();
      });
    }
});
