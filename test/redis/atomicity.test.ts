import { expect } from "chai";
import { Redis } from "ioredis";
import { showsInterleaving, type Asked } from "../../src/redis/atomicity.js";
import { RedisProcess } from "../../src/testing/index.js";
import { rejectionOf } from "../support/settle.js";
import { InterleavingServer } from "../support/interleaving-server.js";

const KEY = "quorate:incarnation:probe";

describe("showsInterleaving", function () {
  this.timeout(60_000);
  let server: RedisProcess;
  let altered: InterleavingServer;

  before(async () => {
    server = await RedisProcess.start();
    altered = await InterleavingServer.start(server);
  });
  after(async () => {
    await altered[Symbol.asyncDispose]();
    await server.stop();
  });

  const shows = async (url: string): Promise<boolean> => {
    const [reader, writer] = [new Redis(url), new Redis(url)];
    try {
      return await showsInterleaving(reader, writer);
    } finally {
      for (const client of [reader, writer]) client.disconnect();
    }
  };

  it("is true of a server that executes others' commands within a script, and leaves nothing", async () => {
    expect(await shows(altered.url)).to.equal(true);
    expect(await server.command("EXISTS", KEY)).to.equal(0);
  });

  it("is false of one that does not, looked at three times while it was written", async () => {
    altered.interleaves = false;
    const [looks, sets] = [altered.lookCount, await setCount()];
    expect(await shows(altered.url)).to.equal(false);
    altered.interleaves = true;
    expect(altered.lookCount - looks).to.equal(3);
    expect((await setCount()) - sets, "writes").to.be.above(3);
    expect(await server.command("EXISTS", KEY)).to.equal(0);
  });

  async function setCount(): Promise<number> {
    const stats = String(await server.command("INFO", "commandstats"));
    return Number(/^cmdstat_set:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
  }

  it("leaves the server to one client at a time", async () => {
    await server.command("SET", KEY, "0", "PX", 60_000);
    const looks = altered.lookCount;
    expect(await shows(altered.url)).to.equal(false);
    expect(altered.lookCount).to.equal(looks);
    await server.command("DEL", KEY);
  });

  it("fails where it cannot be tried", async () => {
    const broken: Asked = { call: () => Promise.reject(new Error("ERR no")) };
    expect(String(await rejectionOf(showsInterleaving(broken, broken)))).to.include("ERR no");
  });
});
