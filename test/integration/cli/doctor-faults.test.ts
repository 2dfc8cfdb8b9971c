import { expect } from "chai";
import { tryLocks } from "../../../src/cli/doctor/try-locks.js";
import { openPlainClient } from "../../../src/redis/plain-client.js";
import { serverNodes } from "../../../src/nodes/server-nodes.js";
import { LockManager } from "../../../src/index.js";
import { RECORD_KEY } from "../../../src/protocol/keys.js";
import { RedisFleet } from "../../../src/testing/index.js";
import { AlteredServer, type Alteration } from "../../support/altered-server.js";
import { AlteringProxy } from "../../support/altering-proxy.js";
import { makeCertificates } from "../../support/certificates.js";
import { callCli, PATIENTLY } from "../../support/cli.js";
import { startCluster } from "../../support/cluster.js";
import { examined } from "../../support/examined.js";
import { InterleavingServer } from "../../support/interleaving-server.js";
import { allNodes, at } from "../../support/nodes.js";
import { startSentinel } from "../../support/sentinel.js";
import { AsyncDisposableStackOf } from "../../support/owned.js";
import { PATIENT } from "../../support/patient.js";

/** Rights, and what cannot be done without them. */
const MISSING = [
  ["zadd", "shared locks"],
  ["hdel", "locks with an owner"],
  ["hgetall", "locks with an owner"],
  ["zrange", "inspecting locks"],
  ["zrem", "shared locks", "notifying waiters"],
  ["zscore", "shared locks"],
  ["hlen", "meeting locks of other clients"],
  ["type", "meeting locks of other clients"],
  ["publish", "notifying waiters"],
] as const;

/** A reply to TIME, which has an array of two such texts. */
const TIME = /\*2\r\n\$10\r\n\d{10}\r\n\$\d\r\n\d{1,6}\r\n/g;

let frozen: string | undefined;

/** What a server replies otherwise than it should, and what is found then. */
const ALTERED: readonly (readonly [
  what: string,
  alter: (text: string) => string,
  found: readonly string[],
  saw: RegExp,
])[] = [
  [
    "an old version",
    (text) =>
      text.replace(/redis_version:\d/, "redis_version:5").replace("valkey_ver", "v4lkey_ver"),
    ["warning old-version", "warning few-nodes"],
    /^Redis 5\.\d+\.\d+$/,
  ],
  [
    "a time that stands still",
    (text) => text.replaceAll(TIME, (time) => (frozen ??= time)),
    ["error clock-rate", "warning few-nodes"],
    /^its clock advanced by 0\.0 ms within 1\d\d ms: /,
  ],
  [
    "a time that runs twice as fast",
    (text) =>
      text.replaceAll(TIME, (time) => {
        const [, seconds = "", , micros = ""] = time.match(/\d+/g)?.slice(1) ?? [];
        const ms = Number(seconds) * 1_000 + Number(micros) / 1_000;
        firstMs ??= ms;
        const twiceMs = ms + (ms - firstMs);
        const us = String(Math.floor((twiceMs % 1_000) * 1_000));
        return `*2\r\n$10\r\n${Math.floor(twiceMs / 1_000)}\r\n$${us.length}\r\n${us}\r\n`;
      }),
    ["error clock-rate", "warning few-nodes"],
    /^its clock advanced by (\d+) ms within (\d+) ms: /,
  ],
  [
    "no time",
    (text) => text.replaceAll(TIME, "+OK\r\n"),
    ["error unreachable", "warning few-nodes"],
    /^TIME is not answered as by a Redis server$/,
  ],
];

let firstMs: number | undefined;

/** Servers that no client uses, with the code of what is wrong. */
async function startRefused(
  { nodes }: RedisFleet,
  stack: AsyncDisposableStackOf,
): Promise<readonly (readonly [what: string, code: string, url: string])[]> {
  const cluster = stack.own(await startCluster());
  const altered = async (index: number, how: Alteration): Promise<string> =>
    stack.own(await AlteredServer.start(at(nodes, index).port, how)).url;
  const spreading = stack.own(await AlteredServer.start(cluster.port, "slots"));
  const interleaving = stack.own(await InterleavingServer.start(at(nodes, 5)));
  const denied = at(nodes, 4);
  await denied.command("ACL", "SETUSER", "locker", "ON", ">secret", "~*", "&*", "+@all", "-info");
  await at(nodes, 6).command("SET", RECORD_KEY, "something else");
  await at(nodes, 7).command("HSET", RECORD_KEY, "id", "a", "version", "x");
  const sentinel = stack.own(await startSentinel("primary", at(nodes, 6).port));
  const ofLocker = (url: string): string => url.replace("//", "//locker:secret@");
  return [
    ["no undeclared keys", "undeclared-keys", await altered(0, "noUndeclaredKeys")],
    ["Garnet", "not-atomic", await altered(1, "garnet")],
    ["no run id", "no-run-id", await altered(2, "noRunId")],
    ["no INFO in scripts", "no-run-id", await altered(3, "noInfo")],
    ["no INFO at all", "no-info", ofLocker(await altered(4, "noInfo"))],
    ["not atomic, as seen", "not-atomic", interleaving.url],
    ["a member of a Cluster", "cluster-member", spreading.url],
    ["a record that is no hash", "record", at(nodes, 6).url],
    ["a record of something else", "record", at(nodes, 7).url],
    ["a Sentinel", "misconfigured", `redis://127.0.0.1:${sentinel.port}`],
  ];
}

describe("quorate doctor on nodes with one fault", () => {
  it("tells a port with TLS from one without, and from one where nothing is", async () => {
    await using certificates = await makeCertificates();
    await using fleet = await RedisFleet.start({
      nodes: 2,
      server: (index) => (index === 1 ? { tls: certificates.files } : {}),
    });
    const [plain, tls] = fleet.nodes.map(({ port }) => port);
    const nodes = [`rediss://127.0.0.1:${plain}`, `redis://127.0.0.1:${tls}`];
    const both = (await examined([...nodes, "rediss://127.0.0.1:1"], 2_000)).findings;
    const found = both.filter(({ node }) => node !== undefined);
    expect(found.map(({ code, node }) => `${code} ${node}`)).to.deep.equal([
      `plain-port 127.0.0.1:${plain}`,
      `tls-port 127.0.0.1:${tls}`,
      "unreachable 127.0.0.1:1",
    ]);
    // An authority that is not trusted, or a certificate that is asked for, is something else.
    const own = await examined([`rediss://127.0.0.1:${tls}`], 2_000);
    expect(at(own.findings, 0)).to.include({ code: "misconfigured" });
  });

  it("tells of a first start that is not complete, and not of restarts", async () => {
    await using fleet = await RedisFleet.start({ nodes: 2 });
    const env = { QUORATE_NODES: [...fleet.urls, "redis://127.0.0.1:1"].join(",") };
    const { stdout, code } = await callCli(["doctor"], env);
    expect(stdout).to.match(/^warning {2}first-start\n {2}saw +no node has a record/m);
    expect(stdout).to.match(/^ {2}change +correct 127\.0\.0\.1:1 before clients start/m);
    expect(stdout.match(/new, waits for the other nodes/g)).to.have.length(2);
    expect(stdout).to.not.match(/restart|others have|quarantine/);
    expect(code).to.equal(78);
  });

  for (const [what, alter, found, saw] of ALTERED) {
    it(`finds ${what}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 1 });
      await using proxy = await AlteringProxy.start(at(fleet.nodes, 0).port, alter);
      const { findings } = await examined([proxy.url]);
      expect(findings.map(({ severity, code }) => `${severity} ${code}`)).to.deep.equal(found);
      const said = at(findings, 0).saw;
      expect(said).to.match(saw);
      // However long the machine took.
      const [, advancedMs, withinMs] = saw.exec(said)?.map(Number) ?? [];
      if (advancedMs !== undefined && withinMs !== undefined)
        expect(advancedMs / withinMs).to.be.within(1.8, 2.2);
    });
  }

  it("says of servers that no client uses what clients say of them", async () => {
    await using fleet = await RedisFleet.start({ nodes: 8 });
    await using stack = new AsyncDisposableStackOf();
    const refused = await startRefused(fleet, stack);
    const urls = refused.map(([, , url]) => url);
    const { stdout, code } = await callCli(["doctor", ...PATIENTLY], {
      QUORATE_NODES: urls.join(","),
    });
    await using locks = new LockManager(urls, PATIENT);
    locks.on("warning", () => {});
    await allNodes(locks, "misconfigured");
    for (const [index, [what, found]] of refused.entries()) {
      const { node, detail } = at(locks.nodes, index);
      const said = `error  ${found}  ${node}\n  saw     ${detail}\n  change  `;
      expect(stdout, what).to.include(said);
    }
    expect(code).to.equal(78);
  });

  it("names each right that is missing once, and nothing that follows from it", async () => {
    await using fleet = await RedisFleet.start({ nodes: 1 });
    const node = at(fleet.nodes, 0);
    for (const [right, ...needed] of MISSING) {
      const rules = ["reset", "ON", ">secret", "~*", "&*", "+@all", `-${right}`];
      await node.command("ACL", "SETUSER", "doctor", ...rules);
      const config = at(serverNodes([`redis://doctor:secret@127.0.0.1:${node.port}`], 4_000), 0);
      const opened = await openPlainClient(config, 4_000);
      if (opened.kind === "failed") throw new Error(opened.failure.message);
      const listen = () => openPlainClient(config, 4_000);
      const { client } = opened;
      const found = await tryLocks({ client, listen, keyPrefix: "lock:", timeoutMs: 4_000 });
      opened.close();
      expect(
        found.map(({ what }) => what),
        right,
      ).to.deep.equal(needed);
      expect(at(found, 0).message).to.include(`add +${right} to its ACL`);
    }
  });

  for (const denied of ["", "-zadd", "-hdel", "-pexpire"])
    it(`leaves nothing that matters wherever it is killed: ${denied}`, async () => {
      await using fleet = await RedisFleet.start({ nodes: 1 });
      const node = at(fleet.nodes, 0);
      const rules = ["ON", ">secret", "~*", "&*", "+@all", ...(denied === "" ? [] : [denied])];
      await node.command("ACL", "SETUSER", "doctor", ...rules);
      const config = at(serverNodes([`redis://doctor:secret@127.0.0.1:${node.port}`], 4_000), 0);
      const own = /^(\{quorate:\}|lock:quorate:doctor:|.*quorate:doctor:)/;
      let left = 0;
      for (let count = 1, isWhole = false; !isWhole; count++) {
        const opened = await openPlainClient(config, 4_000);
        if (opened.kind === "failed") throw new Error(opened.failure.message);
        let sent = 0;
        isWhole = true;
        const client = new Proxy(opened.client, {
          get: (target, property) => {
            const value = Reflect.get(target, property) as unknown;
            if (property !== "call")
              return typeof value === "function" ? value.bind(target) : value;
            return (...words: [string, ...string[]]): Promise<unknown> => {
              // Nothing is sent any more, as by a process that was killed.
              if (++sent > count) {
                isWhole = false;
                return Promise.reject(new Error("killed"));
              }
              return target.call(...words);
            };
          },
        });
        const listen = () => openPlainClient(config, 4_000);
        await tryLocks({ client, listen, keyPrefix: "lock:", timeoutMs: 4_000 }).catch(() => {});
        opened.close();
        const keys = (await node.command("KEYS", "*")) as string[];
        for (const key of keys) {
          left++;
          expect(key, `after ${count} commands`).to.match(own);
          const leftMs = Number(await node.command("PTTL", key));
          expect(leftMs, `${key} after ${count} commands`)
            .to.be.within(-2, 15_000)
            .and.not.equal(-1);
        }
        await node.flush();
      }
      if (denied !== "-pexpire") expect(left, "keys in between").to.be.above(10);
    });
});
