import { once } from "node:events";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { TcpLink } from "../../src/testing/index.js";
import { activeResources } from "../support/active-resources.js";
import { rawSocket, until } from "./raw-client.js";

/** What came over one connection to the far end. */
class Received {
  readonly socket: Socket;
  text = "";
  /** When the last of it came, by `performance.now()`. */
  atMs = 0;
  ended = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.text += chunk.toString();
      this.atMs = performance.now();
    });
    socket.on("end", () => (this.ended = true));
    socket.on("error", () => {});
  }

  /** Waits until this much text is there. */
  async has(length: number): Promise<string> {
    while (this.text.length < length) await once(this.socket, "data");
    return this.text;
  }
}

/** The link's handling of bytes, seen with a far end that notes what reaches it. */
describe("TcpLink and the order of bytes", () => {
  let farEnd: Server;
  let link: TcpLink;

  beforeEach(async () => {
    farEnd = createServer().listen(0, "127.0.0.1");
    await once(farEnd, "listening");
    const address = farEnd.address();
    if (typeof address !== "object" || address === null) throw new Error("no address");
    link = await TcpLink.start({ targetPort: address.port });
  });

  afterEach(async () => {
    await link.stop();
    farEnd.close();
  });

  async function join(): Promise<{ client: Socket; far: Received }> {
    const arrival = new Promise<Socket>((resolve) => farEnd.once("connection", resolve));
    const client = await rawSocket(link.port);
    client.setNoDelay(true);
    return { client, far: new Received(await arrival) };
  }

  it("is kept under jitter and under a delay that shrinks", async () => {
    const { client, far } = await join();
    let sent = "";
    for (let i = 0; i < 60; i++) {
      link.delay(i < 30 ? 30 : 1, { jitterMs: 20 });
      client.write(`${i},`);
      sent += `${i},`;
      await sleep(1);
    }
    expect(await far.has(sent.length)).to.equal(sent);
  });

  it("is lost for replies that are mixed up, but neither a byte nor the end, and not for requests", async () => {
    const { client, far } = await join();
    const near = new Received(client);
    link.mixUpReplies(30);
    const [asked, answered]: [string[], string[]] = [[], []];
    for (let i = 100; i < 160; i++) {
      client.write(`${i},`);
      asked.push(`${i},`);
      far.socket.write(`${-i},`);
      answered.push(`${-i},`);
      await sleep(1);
    }
    far.socket.end("last!");
    expect(await far.has(asked.join("").length)).to.equal(asked.join(""));
    await until(() => near.ended);
    expect(near.text).to.include("last!");
    const got = near.text.replace("last!", "").split(/(?<=,)/);
    expect(got).to.have.members(answered);
    expect(got).to.not.deep.equal(answered);
  });

  it("is kept again once the link is healed", async () => {
    const { client, far } = await join();
    const near = new Received(client);
    link.mixUpReplies(30);
    await link.heal();
    let sent = "";
    for (let i = 100; i < 160; i++) {
      far.socket.write(`${i},`);
      sent += `${i},`;
      await sleep(1);
    }
    expect(await near.has(sent.length)).to.equal(sent);
  });

  it("is kept where chunks are lost and sent again", async () => {
    const { client, far } = await join();
    link.lossy(0.3, 15);
    let sent = "";
    for (let i = 0; i < 60; i++) {
      client.write(`${i},`);
      sent += `${i},`;
      await sleep(1);
    }
    expect(await far.has(sent.length)).to.equal(sent);
  });

  it("is kept over hold and heal, and ends after the bytes", async () => {
    const { client, far } = await join();
    link.hold();
    for (let i = 0; i < 10; i++) client.write(`${i},`);
    client.end();
    await sleep(50);
    expect(far.text).to.equal("");
    expect(far.ended).to.equal(false);
    await link.heal();
    expect(await far.has(20)).to.equal("0,1,2,3,4,5,6,7,8,9,");
    if (!far.ended) await once(far.socket, "end");
  });

  it("is kept with little bandwidth, which takes its time", async () => {
    const { client, far } = await join();
    link.bandwidth(10_000);
    const sent = Array.from({ length: 500 }, (_, i) => `${i},`).join("");
    const start = performance.now();
    client.write(sent);
    expect(await far.has(sent.length)).to.equal(sent);
    // The first slice needs no wait.
    expect(performance.now() - start).to.be.least(((sent.length - 400) / 10_000) * 1000);
  });

  it("delays one direction only, if told so", async () => {
    const { client, far } = await join();
    link.delay(60_000, { direction: "toClient" });
    client.write("there");
    expect(await far.has(5)).to.equal("there");
    let back = "";
    client.on("data", (chunk: Buffer) => (back += chunk.toString()));
    far.socket.write("back");
    await sleep(50);
    expect(back).to.equal("");
    const data = once(client, "data");
    await link.heal();
    await data;
    expect(back).to.equal("back");
  });

  it("delivers late what a closed client had sent", async () => {
    const { client, far } = await join();
    link.lateDelivery(80);
    client.write("late");
    await sleep(50);
    expect(far.text).to.equal("");
    const endedAt = performance.now();
    client.end();
    await once(client, "close");
    await link.heal();
    expect(await far.has(4)).to.equal("late");
    expect(far.atMs - endedAt).to.be.least(80);
    if (!far.ended) await once(far.socket, "end");
  });

  it("delivers late what a client had sent that broke its connection", async () => {
    const { client, far } = await join();
    link.lateDelivery(20);
    client.write("late");
    await sleep(50);
    client.resetAndDestroy();
    expect(await far.has(4)).to.equal("late");
  });

  it("drops replies each with its connection, as many as it was told", async () => {
    const first = await join();
    const second = await join();
    for (const { client } of [first, second]) client.on("error", () => {});
    link.dropReplies(2);
    for (const { client, far } of [first, second]) {
      // Not `once`, which rejects for the reset.
      const closed = new Promise((resolve) => client.once("close", resolve));
      client.write("executed");
      expect(await far.has(8)).to.equal("executed");
      far.socket.write("reply");
      await closed;
      expect(client.bytesRead).to.equal(0);
    }
    const { client, far } = await join();
    far.socket.write("reply");
    const [chunk] = (await once(client, "data")) as [Buffer];
    expect(chunk.toString()).to.equal("reply");
    client.destroy();
  });

  it("leaves no handle behind of a connection that it breaks while it ends it", async () => {
    const before = activeResources("TCPSocketWrap");
    const { client, far } = await join();
    link.hold();
    far.socket.end("the end");
    await sleep(50);
    void link.heal();
    link.reset();
    client.destroy();
    far.socket.destroy();
    await until(() => activeResources("TCPSocketWrap") <= before);
  });

  it("forgets connections that are over", async () => {
    const { client, far } = await join();
    expect(link.connectionCount).to.equal(1);
    client.end();
    await once(far.socket, "close");
    while (link.connectionCount > 0) await sleep(5);
  });
});
