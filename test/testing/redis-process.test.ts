import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { RedisProcess } from "../../src/testing/index.js";
import type { RedisProcessOptions } from "../../src/testing/index.js";
import { accepts, oneShotClient, rawSocket, rejection } from "./raw-client.js";

describe("RedisProcess", () => {
  const started: RedisProcess[] = [];
  const start = async (options?: RedisProcessOptions): Promise<RedisProcess> => {
    const server = await RedisProcess.start(options);
    started.push(server);
    return server;
  };

  afterEach(async () => {
    await Promise.all(started.splice(0).map((server) => server.stop()));
  });

  it("starts a server that answers", async () => {
    const server = await start();
    expect(server.url).to.equal(`redis://127.0.0.1:${server.port}`);
    expect(await server.command("PING")).to.equal("PONG");
  });

  it("kills the server and restarts it, empty, on its port", async () => {
    const server = await start();
    await server.command("SET", "key", "value");
    await server.kill();
    expect(server.isRunning).to.equal(false);
    expect(await accepts(server.port)).to.equal(false);
    await server.restart();
    expect(server.isRunning).to.equal(true);
    expect(await server.command("GET", "key")).to.equal(null);
  });

  it("keeps an append-only file over a restart unless told to drop it", async () => {
    const server = await start({ appendonly: true, appendfsync: "always" });
    await server.command("SET", "key", "value");
    await server.restart();
    expect(await server.command("GET", "key")).to.equal("value");
    await server.restart({ keepData: false });
    expect(await server.command("GET", "key")).to.equal(null);
  });

  it("answers nothing while paused and everything after", async () => {
    const server = await start();
    const client = await oneShotClient(server.url);
    await server.pause();
    let answered = false;
    const reply = client.ping().finally(() => (answered = true));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).to.equal(false);
    await server.resume();
    expect(await reply).to.equal("PONG");
    client.disconnect();
  });

  it("kills a paused server", async () => {
    const server = await start();
    await server.pause();
    await server.kill();
    expect(await accepts(server.port)).to.equal(false);
  });

  it("notices that its server ended by itself", async () => {
    const server = await start();
    const client = await oneShotClient(server.url);
    await rejection(client.call("SHUTDOWN", "NOSAVE"));
    await rejection(server.command("PING"));
    await server.kill();
    expect(server.isRunning).to.equal(false);
    await rejection(server.pause());
  });

  it("checks passwords and uses them for its own commands", async () => {
    const server = await start({ requirepass: 'se"cret' });
    expect(await server.command("PING")).to.equal("PONG");
    const stranger = await rawSocket(server.port);
    stranger.write("PING\r\n");
    expect(String(await once(stranger, "data"))).to.match(/NOAUTH/);
    stranger.destroy();
  });

  it("knows ACL users", async () => {
    const server = await start({ users: ["app on >secret ~app:* +info +set +get"] });
    const app = await oneShotClient(server.url.replace("//", "//app:secret@"));
    expect(await app.set("app:key", "value")).to.equal("OK");
    expect((await rejection(app.set("other", "value"))).message).to.match(/NOPERM/);
    app.disconnect();
  });

  it("runs in cluster mode", async () => {
    const server = await start({ cluster: true });
    expect(await server.command("CLUSTER", "INFO")).to.include("cluster_slots_assigned:0");
  });

  it("passes further arguments on", async () => {
    const server = await start({ extraArgs: ["--maxmemory", "3mb"] });
    expect(await server.command("CONFIG", "GET", "maxmemory")).to.include("3145728");
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
    const server = await start({ tls: { cert, key } });
    rmSync(dir, { recursive: true });
    expect(server.url).to.match(/^rediss:/);
    expect(await server.command("PING")).to.equal("PONG");
  });

  it("fails with the server's own words when it rejects its setup", async () => {
    const error = await rejection(RedisProcess.start({ extraArgs: ["--no-such-thing", "1"] }));
    expect(error.message).to.match(/no-such-thing/);
  });

  it("fails when its port is taken or its program is missing", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => holder.once("listening", resolve));
    const address = holder.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect((await rejection(RedisProcess.start({ port }))).name).to.equal("PortTakenError");
    holder.close();
    const missing = await rejection(RedisProcess.start({ binary: "/no/such/redis-server" }));
    expect(missing.message).to.match(/cannot run \/no\/such\/redis-server/);
  });

  it("cannot be restarted once stopped", async () => {
    const server = await start();
    await server.stop();
    await server.stop();
    expect((await rejection(server.restart())).message).to.match(/stopped/);
  });
});
