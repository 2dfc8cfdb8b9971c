import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { expect } from "chai";
import { reservePort } from "../../src/testing/free-port.js";
import { RedisProcess, TcpLink } from "../../src/testing/index.js";

const FREE_PORT = new URL("../../src/testing/free-port.js", import.meta.url).href;

/** Which of the ports another process is given, of all that there are: `Math.random` counts them out. */
function givenToAnother(ports: readonly number[]): number[] {
  const script = `
    import { reservePort } from ${JSON.stringify(FREE_PORT)};
    const given = [];
    for (const port of ${JSON.stringify(ports)}) {
      const draws = [(port - 10_000 + 0.5) / 10_000];
      Math.random = () => draws.shift() ?? Math.abs(Math.sin(port + performance.now()));
      given.push((await reservePort()).port);
    }
    process.stdout.write(JSON.stringify(given));`;
  const args = ["--input-type=module", "-e", script];
  const given = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as number[];
  return ports.filter((port) => given.includes(port));
}

/** Whether this process has the socket that reserves the port. */
function isHeldHere(port: number): boolean {
  const sockets = readFileSync("/proc/net/unix", "utf8").split("\n");
  // Some versions of Node fill the name up with zeros, which show as "@".
  const name = new RegExp(` @quorate-testing-port-${port}@*$`);
  const row = sockets.find((line) => name.test(line));
  const inode = row?.split(/\s+/)[6];
  return readdirSync("/proc/self/fd").some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === `socket:[${inode}]`;
    } catch {
      // That of the folder itself, which is closed by now.
      return false;
    }
  });
}

describe("reservePort", () => {
  it("finds ports one can listen on, with room for a cluster bus port", async () => {
    for (let i = 0; i < 5; i++) {
      const { port, release } = await reservePort();
      expect(port).to.be.within(1024, 55_535);
      const server = createServer().listen(port, "127.0.0.1");
      await once(server, "listening");
      server.close();
      release();
    }
  });

  it("gives a port to no other process until it is released, though nothing listens on it", async function () {
    // Elsewhere there are no abstract sockets.
    if (process.platform !== "linux") this.skip();
    const reserved = await reservePort();
    await using server = await RedisProcess.start();
    await using link = await TcpLink.start({ targetPort: server.port });
    await server.kill();
    await link.refuse();
    const ports = [reserved.port, server.port, link.port];
    expect(givenToAnother(ports)).to.deep.equal([]);
    expect(ports.map(isHeldHere)).to.deep.equal([true, true, true]);
    reserved.release();
    reserved.release();
    await server.stop();
    await link.stop();
    // Another test may have them by now, so others cannot be asked.
    expect(ports.map(isHeldHere)).to.deep.equal([false, false, false]);
  });
});
