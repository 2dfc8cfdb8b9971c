import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { expect } from "chai";
import { claimPort } from "../../src/testing/free-port.js";
import { RedisProcess, TcpLink } from "../../src/testing/index.js";
import { eventually } from "../support/settle.js";

const MODULE = new URL("../../src/testing/free-port.js", import.meta.url).href;
const CLAIM = `
  let [href, port] = process.argv.slice(1);
  const { claimPort } = await import(href);
  console.log((await claimPort(() => port++)).port);
`;

/** What a process claims that tries this port and then those that follow. */
async function claimedByAnother(port: number): Promise<number> {
  const args = ["--input-type=module", "-e", CLAIM, MODULE, String(port)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

describe("claimPort", () => {
  it("finds ports one can listen on, with room for a cluster bus port", async () => {
    for (let i = 0; i < 5; i++) {
      const claim = await claimPort();
      const { port } = claim;
      expect(port).to.be.within(1024, 55_535);
      const server = createServer().listen(port, "127.0.0.1");
      await once(server, "listening");
      server.close();
      claim.release();
    }
  });
});

describe("A claimed port", () => {
  it("is nobody else's, in this process or another, until it is released", async () => {
    const claim = await claimPort();
    let next = claim.port;
    const other = await claimPort(() => next++);
    expect(other.port).to.be.above(claim.port);
    other.release();
    expect(await claimedByAnother(claim.port)).to.be.above(claim.port);
    claim.release();
    claim.release();
    await eventually("another process gets it", async () => {
      return (await claimedByAnother(claim.port)) === claim.port;
    });
  });

  for (const { what, start } of [
    {
      what: "a server that is down",
      start: async () => {
        const server = await RedisProcess.start();
        await server.kill();
        return server;
      },
    },
    {
      what: "a link that refuses",
      start: async () => {
        const link = await TcpLink.start({ targetPort: 1 });
        await link.refuse();
        return link;
      },
    },
  ]) {
    it(`stays that of ${what}, until it is stopped`, async () => {
      const owner = await start();
      expect(await claimedByAnother(owner.port)).to.be.above(owner.port);
      await owner.stop();
      await owner.stop();
      await eventually("another process gets it", async () => {
        return (await claimedByAnother(owner.port)) === owner.port;
      });
    });
  }
});
