import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { RedisFleet } from "../../src/testing/index.js";
import type { FleetNode, FleetOptions, RedisServerOptions } from "../../src/testing/index.js";
import { accepts, oneShotClient, rawSocket, rejection } from "./raw-client.js";

/** What holds for the servers of every provider. To be called inside a `describe`. */
export function providerContract(provider: NonNullable<FleetOptions["provider"]>): void {
  const fleets: RedisFleet[] = [];
  const startFleet = async (options: FleetOptions): Promise<RedisFleet> => {
    const fleet = await RedisFleet.start({ ...options, provider });
    fleets.push(fleet);
    return fleet;
  };
  const start = async (server: RedisServerOptions = {}): Promise<FleetNode> => {
    const [node] = (await startFleet({ nodes: 1, server })).nodes;
    if (node === undefined) throw new Error("a fleet of one has a node");
    return node;
  };

  afterEach(async () => {
    await Promise.all(fleets.splice(0).map((fleet) => fleet.stop()));
  });

  it("starts a server that answers, and stops it", async () => {
    const node = await start();
    expect(node.url).to.equal(`redis://127.0.0.1:${node.port}`);
    expect(node.isRunning).to.equal(true);
    expect(await node.command("PING")).to.equal("PONG");
    await node.stop();
    expect(node.isRunning).to.equal(false);
    expect(await accepts(node.port)).to.equal(false);
  });

  it("starts servers that share nothing", async () => {
    const { nodes, urls } = await startFleet({ nodes: 3 });
    await nodes[0]?.command("SET", "key", "value");
    expect(await nodes[1]?.command("GET", "key")).to.equal(null);
    expect(new Set(urls).size).to.equal(3);
    const ids = await Promise.all(nodes.map((node) => node.command("INFO", "server")));
    expect(new Set(ids.map((info) => /run_id:(\w+)/.exec(String(info))?.[1])).size).to.equal(3);
  });

  it("kills the server and restarts it, empty, on its port", async () => {
    const node = await start();
    const { port } = node;
    await node.command("SET", "key", "value");
    await node.kill();
    await node.kill();
    expect(node.isRunning).to.equal(false);
    expect(await accepts(port)).to.equal(false);
    await node.restart();
    expect(node.isRunning).to.equal(true);
    expect(node.port).to.equal(port);
    expect(await node.command("GET", "key")).to.equal(null);
  });

  it("restarts a running server, which breaks its connections", async () => {
    const node = await start();
    const socket = await rawSocket(node.port);
    // An error instead of an orderly end would do as well.
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.resume();
    await node.restart();
    await closed;
    expect(await node.command("PING")).to.equal("PONG");
  });

  it("keeps an append-only file over restarts unless told to drop it", async () => {
    const node = await start({ appendonly: true, appendfsync: "always" });
    await node.command("SET", "key", "value");
    await node.restart();
    expect(await node.command("GET", "key")).to.equal("value");
    await node.kill();
    await node.restart({ keepData: true });
    expect(await node.command("GET", "key")).to.equal("value");
    await node.restart({ keepData: false });
    expect(await node.command("GET", "key")).to.equal(null);
  });

  it("drops a snapshot too when told to drop the data", async () => {
    const node = await start();
    await node.command("SET", "key", "value");
    await node.command("SAVE");
    await node.restart();
    expect(await node.command("GET", "key")).to.equal("value");
    await node.restart({ keepData: false });
    expect(await node.command("GET", "key")).to.equal(null);
  });

  it("answers nothing while paused and everything after", async () => {
    const node = await start();
    const client = await oneShotClient(node.url);
    await node.pause();
    await node.pause();
    expect(node.isRunning).to.equal(true);
    let answered = false;
    const reply = client.ping().finally(() => (answered = true));
    await sleep(100);
    expect(answered).to.equal(false);
    expect(await accepts(node.port)).to.equal(true);
    await node.resume();
    await node.resume();
    expect(await reply).to.equal("PONG");
    client.disconnect();
  });

  it("kills, restarts and stops a paused server", async () => {
    const node = await start();
    await node.pause();
    await node.kill();
    expect(await accepts(node.port)).to.equal(false);
    await node.restart();
    await node.pause();
    await node.restart();
    expect(await node.command("PING")).to.equal("PONG");
    await node.pause();
    await node.stop();
    expect(await accepts(node.port)).to.equal(false);
  });

  it("notices that its server ended by itself", async () => {
    const node = await start();
    const client = await oneShotClient(node.url);
    await rejection(client.call("SHUTDOWN", "NOSAVE"));
    await rejection(node.command("PING"));
    await node.kill();
    expect(node.isRunning).to.equal(false);
    expect((await rejection(node.pause())).message).to.match(/not running/);
    expect((await rejection(node.resume())).message).to.match(/not running/);
    await node.restart();
    expect(await node.command("PING")).to.equal("PONG");
  });

  it("flushes", async () => {
    const node = await start();
    await node.command("SET", "key", "value");
    await node.flush();
    expect(await node.command("DBSIZE")).to.equal(0);
  });

  it("works behind links", async () => {
    const { nodes } = await startFleet({ nodes: 1, links: true });
    const node = nodes[0];
    if (node === undefined) throw new Error("no node");
    const client = await oneShotClient(node.url);
    await client.set("key", "value");
    node.link.blackhole();
    expect(await node.command("GET", "key")).to.equal("value");
    await node.link.heal();
    await node.restart();
    expect(await (await oneShotClient(node.url)).get("key")).to.equal(null);
    client.disconnect();
  });

  it("checks passwords and uses them for its own commands", async () => {
    const node = await start({ requirepass: 'se"cret' });
    expect(await node.command("PING")).to.equal("PONG");
    const stranger = await rawSocket(node.port);
    stranger.write("PING\r\n");
    expect(String(await once(stranger, "data"))).to.match(/NOAUTH/);
    stranger.destroy();
  });

  it("knows ACL users", async () => {
    const node = await start({ users: ["app on >secret ~app:* +info +set +get"] });
    await expectAppUser(node);
  });

  it("runs in cluster mode", async () => {
    const node = await start({ cluster: true });
    expect(await node.command("CLUSTER", "INFO")).to.include("cluster_slots_assigned:0");
  });

  it("passes further arguments on", async () => {
    const node = await start({ extraArgs: ["--maxmemory", "3mb"] });
    expect(await node.command("CONFIG", "GET", "maxmemory")).to.include("3145728");
  });

  it("serves TLS only", async function () {
    const dir = mkdtempSync(join(tmpdir(), "quorate-tls-"));
    const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
    const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=test";
    try {
      execFileSync("openssl", [...request.split(" "), "-keyout", key, "-out", cert], {
        stdio: "ignore",
      });
    } catch {
      // The certificate can only be made where openssl is.
      this.skip();
    }
    const node = await start({ tls: { cert, key } });
    rmSync(dir, { recursive: true });
    expect(node.url).to.match(/^rediss:/);
    expect(await node.command("PING")).to.equal("PONG");
  });

  it("fails with the server's own words when it rejects its setup", async () => {
    const error = await rejection(start({ extraArgs: ["--no-such-thing", "1"] }));
    expect(error.message).to.match(/no-such-thing/);
  });

  it("cannot be restarted once stopped", async () => {
    const node = await start();
    await node.stop();
    await node.stop();
    expect((await rejection(node.restart())).message).to.match(/stopped/);
    expect(await accepts(node.port)).to.equal(false);
  });
}

async function expectAppUser(node: FleetNode): Promise<void> {
  const app = await oneShotClient(node.url.replace("//", "//app:secret@"));
  expect(await app.set("app:key", "value")).to.equal("OK");
  expect((await rejection(app.set("other", "value"))).message).to.match(/NOPERM/);
  app.disconnect();
}
