import { expect } from "chai";
import { FENCE_LEAD_US } from "../../../src/protocol/fencing.js";
import { findingsOf } from "../../../src/cli/doctor/findings.js";
import type { DoctorSettings, Finding, FleetSeen } from "../../../src/cli/doctor/seen.js";
import {
  fleet,
  HOST,
  last,
  lastRecord,
  lastServer,
  NOW_MS,
  server,
  SETTINGS,
  sighting,
  unrecorded,
} from "../../support/doctor-seen.js";

interface Case {
  readonly what: string;
  readonly seen: FleetSeen;
  readonly settings?: Partial<DoctorSettings>;
  /** Severity and code of all that is found, and the node where it is one. */
  readonly found: readonly string[];
  readonly saw?: RegExp;
  readonly change?: RegExp;
}

const CASES: readonly Case[] = [
  { what: "a healthy fleet", seen: fleet(), found: [] },
  {
    what: "five healthy nodes",
    seen: fleet((index) => ({ sighting: sighting(index, { nodeCount: 5 }) }), 5),
    found: [],
  },
  {
    what: "a new fleet, which no client has used",
    seen: fleet(() => ({ sighting: unrecorded() })),
    found: [],
  },
  {
    what: "a node that is down",
    seen: fleet(
      last({
        failure: { message: "connect ECONNREFUSED", isMisconfigured: false },
        ...{ server: undefined, clock: undefined, sighting: undefined, roundTripsMs: [] },
      }),
    ),
    found: ["error unreachable n2:6379"],
    saw: /ECONNREFUSED/,
    change: /start the server/,
  },
  {
    what: "a password that is wrong",
    seen: fleet(
      last({
        failure: { message: "WRONGPASS invalid username-password pair", isMisconfigured: true },
        ...{ server: undefined, clock: undefined, sighting: undefined, roundTripsMs: [] },
      }),
    ),
    found: ["error misconfigured n2:6379"],
    change: /credentials/,
  },
  ...(
    [
      ["connect ETIMEDOUT", /^start the server, or correct its address; until then/],
      ["the connection was closed", /^start the server/],
      ["no answer within 1000 ms", /^start the server/],
      [
        "no answer within 1000 ms: connected, but the server does not answer",
        /^see why it hangs .*, or correct its address;/,
      ],
      ["no answer within 1000 ms: no TCP connection", /^start its machine, open the firewall, or/],
      ["BUSY Redis is busy running a script", /^wait for .*, or redis-cli -h n2 .* SCRIPT KILL;/],
      ["LOADING Redis is loading the dataset in memory", /^wait until it has loaded/],
      ["ERR max number of clients reached", /raise maxclients/],
      ["the server closed the connection without an answer", /^find the reason in its log/],
      ["an answer that is not in its protocol: this is no Redis server", /^correct its address;/],
      ["MASTERDOWN Link with MASTER is down", /^mend what it complains of;/],
    ] as const
  ).map(([message, change]) => ({
    what: `a node that cannot be asked: ${message}`,
    seen: fleet(last({ failure: { message, isMisconfigured: false }, sighting: undefined })),
    found: ["error unreachable n2:6379"],
    change,
  })),
  {
    what: "a node whose certificate is for another name",
    seen: fleet(
      last({
        failure: {
          message: "Hostname/IP does not match certificate's altnames: IP: 10.0.0.1 is not in it",
          isMisconfigured: true,
        },
        sighting: undefined,
      }),
    ),
    found: ["error misconfigured n2:6379"],
    change: /^use a name that its certificate has, or add this one to it; until then/,
  },
  {
    what: "a Sentinel",
    seen: fleet(
      last({
        failure: { message: "this is a Sentinel", isMisconfigured: true },
        sighting: undefined,
      }),
    ),
    found: ["error misconfigured n2:6379"],
    change: /^give the master, or its Sentinels/,
  },
  {
    what: "a certificate that expires soon",
    seen: fleet(last({ certificateDaysLeft: 13.5 })),
    found: ["warning certificate n2:6379"],
    saw: /in 13\.5 days/,
    change: /tls-cert-file/,
  },
  { what: "a certificate", seen: fleet(last({ certificateDaysLeft: 14 })), found: [] },
  {
    what: "a node that is far away",
    seen: fleet(last({ roundTripsMs: [100, 126, 130] })),
    found: ["warning slow n2:6379"],
    saw: /126 ms \(nodeTimeoutMs is 500\)/,
    change: /--node-timeout\) to 550/,
  },
  {
    what: "a node that once took long",
    seen: fleet(last({ roundTripsMs: [1, 1, 146] })),
    found: ["warning slow n2:6379"],
    saw: /took 126 ms/,
  },
  {
    what: "a node that took long while this process did not run",
    seen: fleet(last({ roundTripsMs: [1, 1, 145] })),
    found: [],
  },
  { what: "a node not too far away", seen: fleet(last({ roundTripsMs: [125] })), found: [] },
  {
    what: "an old Redis",
    seen: fleet(lastServer({ version: "6.0.16" })),
    found: ["warning old-version n2:6379"],
    saw: /Redis 6\.0\.16/,
  },
  { what: "Redis 6.2", seen: fleet(lastServer({ version: "6.2.14" })), found: [] },
  { what: "Redis 10", seen: fleet(lastServer({ version: "10.0.0" })), found: [] },
  {
    what: "Valkey, whose versions begin at 7.2",
    seen: fleet(lastServer({ flavour: "Valkey", version: "8.0.1" })),
    found: [],
  },
  {
    what: "another server",
    seen: fleet(lastServer({ flavour: "Dragonfly", version: "1.27.0" })),
    found: ["note flavour n2:6379"],
  },
  {
    what: "a replica",
    seen: fleet(
      last({ problems: [{ kind: "replica", message: "not a master" }], sighting: undefined }),
    ),
    found: ["error replica n2:6379"],
    change: /or redis-cli -h n2 -p 6379 REPLICAOF NO ONE, and then FLUSHALL before clients use it$/,
  },
  {
    what: "a member of a Cluster",
    seen: fleet(
      last({ problems: [{ kind: "cluster", message: "a member" }], sighting: undefined }),
    ),
    found: ["error cluster-member n2:6379"],
    change: /new Cluster/,
  },
  {
    what: "a Cluster as a node",
    seen: fleet(last({ kind: "cluster", server: undefined, sighting: undefined })),
    found: ["note cluster n2:6379"],
  },
  {
    what: "a master that Sentinels name",
    seen: fleet(last({ kind: "sentinel" })),
    found: ["note sentinel n2:6379"],
    change: /min-replicas-to-write 1/,
  },
  {
    what: "replicas",
    seen: fleet(lastServer({ replicaCount: 1 })),
    found: ["note replicas n2:6379"],
    saw: /1 replica follows/,
  },
  {
    what: "one server by two names",
    seen: fleet(last({ server: server(1), sighting: sighting(1), address: "10.0.0.1" })),
    found: ["error same-server n2:6379"],
    saw: /as n1:6379/,
  },
  {
    what: "a server that does not name its run",
    seen: fleet(last({ problems: [{ kind: "runId", message: "no run_id" }] })),
    found: ["error no-run-id n2:6379"],
    change: /acceptNoRunId: true/,
  },
  {
    what: "a server that does not name its run, if that is accepted",
    seen: fleet(
      last({ problems: [{ kind: "runId", message: "no run_id" }], isRunIdOptional: true }),
    ),
    found: ["note no-run-id n2:6379"],
  },
  {
    what: "two servers that do not name their run",
    seen: fleet((index) => ({
      server: server(index, { runId: "" }),
      sighting: sighting(index, { runId: "" }),
    })),
    found: [],
  },
  {
    what: "one server by two names that does not name its run",
    seen: fleet((index) => {
      const of = Math.min(index, 1);
      return { server: server(of, { runId: "" }), sighting: sighting(of, { runId: "" }) };
    }),
    found: ["error same-server n2:6379"],
    saw: /as n1:6379/,
  },
  {
    what: "scripts that may not call INFO, or use undeclared keys",
    seen: fleet(
      last({
        problems: [
          { kind: "info", message: "no INFO" },
          { kind: "undeclaredKeys", message: "no keys" },
        ],
        sighting: undefined,
      }),
    ),
    found: ["error no-info n2:6379", "error undeclared-keys n2:6379"],
  },
  {
    what: "a record of a later version",
    seen: fleet(
      last({ problems: [{ kind: "laterRecord", message: "later" }], sighting: undefined }),
    ),
    found: ["error record n2:6379"],
    change: /upgrade them; or, .*redis-cli -h n2 -p 6379 DEL quorate:incarnation/,
  },
  {
    what: "a record that no version wrote",
    seen: fleet(last({ problems: [{ kind: "record", message: "strange" }], sighting: undefined })),
    found: ["error record n2:6379"],
    change: /^stop all clients, redis-cli -h n2 -p 6379 DEL quorate:incarnation, and start them;/,
  },
  {
    what: "a fence that is ten years ahead of all clocks",
    seen: fleet(last({ floorFence: NOW_MS * 1_000 + FENCE_LEAD_US + 1 })),
    found: ["error record n2:6379"],
    saw: /^its fence \d+ is more than ten years ahead of all clocks: it grants no locks$/,
    change:
      /^redis-cli -h n2 -p 6379 DEL quorate:incarnation, on one node at a time\. The node votes/,
  },
  {
    what: "a fence of some names that is ten years ahead of all clocks, of a node that votes",
    seen: fleet(last({ topFence: NOW_MS * 1_000 + FENCE_LEAD_US + 1 })),
    found: ["error record n2:6379"],
    saw: /ahead of all clocks: it grants no locks of names that have it$/,
  },
  {
    what: "fences of nodes whose clocks are as far ahead of this machine's",
    seen: fleet((index) => ({
      topFence: NOW_MS * 1_000 + FENCE_LEAD_US + 1,
      floorFence: NOW_MS * 1_000 + FENCE_LEAD_US + 1,
      sighting: { ...sighting(index), nodeTimeMs: NOW_MS + 1, seenWallMs: NOW_MS },
    })),
    found: [],
  },
  {
    what: "a fence that is almost as far ahead",
    seen: fleet(last({ topFence: NOW_MS * 1_000 + FENCE_LEAD_US })),
    found: [],
  },
  {
    what: "two servers on one machine",
    seen: fleet(last({ address: "10.0.0.1" })),
    found: ["warning same-machine n2:6379"],
    saw: /10\.0\.0\.1, as is n1:6379/,
  },
  {
    what: "servers at addresses that are not known",
    seen: fleet(() => ({ address: undefined })),
    found: [],
  },
  {
    what: "four nodes",
    seen: fleet((index) => ({ sighting: sighting(index, { nodeCount: 4 }) }), 4),
    found: ["warning even-count"],
    change: /3 or 5/,
  },
  {
    what: "one node",
    seen: fleet((index) => ({ sighting: sighting(index, { nodeCount: 1 }) }), 1),
    found: ["warning few-nodes"],
  },
  {
    what: "two nodes",
    seen: fleet((index) => ({ sighting: sighting(index, { nodeCount: 2 }) }), 2),
    found: ["warning few-nodes", "warning even-count"],
  },
  {
    what: "another N on record",
    seen: fleet(lastRecord({ nodeCount: 5 })),
    found: ["warning node-list n2:6379"],
    saw: /on record with 5 nodes, configured here with 3/,
    // Nothing follows that would be copied with it.
    change:
      /, on every node: redis-cli -h n2 -p 6379 HDEL quorate:incarnation nodes:lock: nodeCount lastNodes$/,
  },
  {
    what: "another list of as many nodes on record",
    seen: fleet(() => ({ nodeList: "node-0=n0%3A6379 node-1=n1%3A6379 node-9=n9%3A6379" })),
    found: ["warning node-list n0:6379", "warning node-list n1:6379", "warning node-list n2:6379"],
    saw: /use n0:6379, n1:6379, n9:6379 \(on record\), n0:6379, n1:6379, n2:6379 here/,
  },
  {
    what: "the same list on record",
    seen: fleet(() => ({ nodeList: "node-0=a node-1=b node-2=c" })),
    found: [],
  },
  {
    what: "a larger maxTtlMs on record",
    seen: fleet(lastRecord({ maxTtlMs: 120_000 })),
    found: ["warning max-ttl n2:6379"],
    change: /HSET quorate:incarnation maxTtlMs 60000/,
  },
  {
    what: "a smaller maxTtlMs on record",
    seen: fleet(lastRecord({ maxTtlMs: 30_000 })),
    found: ["note max-ttl n2:6379"],
    change: /HSET quorate:incarnation maxTtlMs 60000/,
  },
  {
    what: "any maxTtlMs on record, where it is not set here",
    seen: fleet((index) => ({
      sighting: sighting(index, { maxTtlMs: [12_000, 120_000, 30_000][index] ?? 0 }),
    })),
    settings: { maxTtlMs: undefined },
    found: [],
  },
  {
    what: "a node that forgot, with a maxTtlMs on record and none set here",
    seen: fleet((index) => ({
      sighting: sighting(index, { maxTtlMs: 12_000, ...(index === 2 ? { state: "forgot" } : {}) }),
    })),
    settings: { maxTtlMs: undefined },
    found: ["note quarantined n2:6379"],
    saw: /5 s ago, and votes in about 8 s/,
  },
  {
    what: "a clock off by more than a quarter of what a quorum has on record, with none set here",
    seen: fleet((index) => ({
      sighting: sighting(index, { maxTtlMs: index === 0 ? 60_000 : 12_000 }),
      ...(index === 2 ? { clock: { offsetMs: -4_000, errorMs: 1 } } : {}),
    })),
    settings: { maxTtlMs: undefined },
    found: ["error clock n2:6379"],
    saw: /maxTtlMs \/ 4 \(3000 ms\)/,
  },
  {
    what: "another clockStepMs on record",
    seen: fleet(lastRecord({ clockStepMs: 30_000 })),
    found: ["note clock-step n2:6379"],
    saw: /30000 is on record, 5000/,
  },
  {
    what: "a policy that evicts",
    seen: fleet(last({ problems: [{ kind: "eviction", message: "may evict locks" }] })),
    found: ["error eviction n2:6379"],
    change: /CONFIG SET maxmemory-policy noeviction/,
  },
  {
    what: "a policy that evicts, and may",
    seen: fleet(last({ problems: [{ kind: "eviction", message: "may evict locks" }] })),
    settings: { allowEviction: true },
    found: ["note eviction n2:6379"],
  },
  {
    what: "keys that were evicted",
    seen: fleet(lastServer({ evictedKeyCount: 12 })),
    found: ["warning evicted n2:6379"],
    saw: /12 keys .*possibly locks/,
  },
  {
    what: "memory that is nearly full",
    seen: fleet(lastServer({ maxMemoryBytes: 104_857_600, usedMemoryBytes: 94_371_840 })),
    found: ["warning memory n2:6379"],
    saw: /90 MB of 100 MB \(maxmemory\)/,
    change: /CONFIG SET maxmemory 209715200/,
  },
  {
    what: "a durable node without an append-only file",
    seen: fleet(last({ isDurable: true })),
    found: ["error not-durable n2:6379"],
    change:
      /^redis-cli .*CONFIG SET appendonly yes, then redis-cli .*CONFIG SET appendfsync always, and the same in its redis\.conf; or remove/,
  },
  {
    what: "a durable node that writes every second",
    seen: fleet(last({ isDurable: true, server: server(2, { hasAof: true }) })),
    found: ["error not-durable n2:6379"],
    saw: /appendfsync everysec/,
    change:
      /^redis-cli \S+ \S+ \S+ \S+ CONFIG SET appendfsync always, and the same in its redis\.conf; or remove/,
  },
  {
    what: "a durable node that may not be asked how it writes",
    seen: fleet(
      last({ isDurable: true, server: server(2, { hasAof: true, appendFsync: undefined }) }),
    ),
    found: ["note durable-unknown n2:6379"],
  },
  {
    what: "a durable node",
    seen: fleet(
      last({ isDurable: true, server: server(2, { hasAof: true, appendFsync: "always" }) }),
    ),
    found: [],
  },
  {
    what: "a node that could be durable",
    seen: fleet(lastServer({ hasAof: true, appendFsync: "always" })),
    found: ["note could-be-durable n2:6379"],
    change: /durable: true/,
  },
  {
    what: "a permission that is missing for every lock",
    seen: fleet(
      last({ problems: [{ kind: "permission", message: "the user may not run SET: add +set" }] }),
    ),
    found: ["error permission n2:6379"],
    saw: /\+set/,
    change: /^redis-cli -h n2 -p 6379 ACL SETUSER locker \+set;/,
  },
  {
    what: "a script that fails",
    seen: fleet(
      last({
        lockFailures: [{ neededBy: "every", what: "locks", message: "OOM command not allowed" }],
      }),
    ),
    found: ["error lock-fails n2:6379"],
    saw: /locks: OOM/,
    change: /configuration/,
  },
  {
    what: "a permission that some locks need",
    seen: fleet(
      last({
        lockFailures: [
          {
            neededBy: "some",
            what: "shared locks",
            message: "NOPERM ... 'zadd': add +zadd to the ACL",
          },
        ],
      }),
    ),
    found: ["warning lock-partly-fails n2:6379"],
    saw: /shared locks: NOPERM.*zadd/,
    change: /ACL SETUSER locker \+zadd; .*docs\/operate\/permissions\.md/,
  },
  {
    what: "a permission that only speed needs",
    seen: fleet(
      last({
        lockFailures: [
          { neededBy: "speed", what: "waking", message: "add &quorate:inbox:* to the ACL" },
        ],
      }),
    ),
    found: ["warning lock-slower n2:6379"],
  },
  {
    what: "a clock that is more than a second ahead",
    seen: fleet(last({ clock: { offsetMs: 1_100, errorMs: 1 } })),
    found: ["warning clock n2:6379"],
    saw: /1100 ms ahead/,
    change: /chronyc tracking/,
  },
  {
    what: "a clock that is off by more than half of what it may step",
    seen: fleet(
      last({ clock: { offsetMs: -300, errorMs: 1 }, sighting: sighting(2, { clockStepMs: 500 }) }),
    ),
    settings: { clockStepMs: 500 },
    found: ["warning clock n2:6379", "note clock-step n0:6379", "note clock-step n1:6379"],
    saw: /300 ms behind.*250 ms/,
  },
  {
    what: "a clock that fencing tokens suffer from",
    seen: fleet(last({ clock: { offsetMs: -16_000, errorMs: 1 } })),
    found: ["error clock n2:6379"],
    saw: /maxTtlMs \/ 4 \(15000 ms\)/,
  },
  {
    what: "a clock that may be right, as long as its answer took",
    seen: fleet(last({ clock: { offsetMs: 1_100, errorMs: 600 } })),
    found: [],
  },
  {
    what: "a clock of this machine that is off",
    seen: fleet((index) => ({ clock: { offsetMs: 20_000 + index, errorMs: 1 } })),
    found: ["warning host-clock"],
    saw: /19998 ms|19999 ms|20000 ms/,
  },
  {
    what: "two nodes that agree on another time than this machine",
    seen: fleet(
      (index) => ({
        clock: { offsetMs: 9_000, errorMs: 1 },
        sighting: sighting(index, { nodeCount: 2 }),
      }),
      2,
    ),
    found: ["warning few-nodes", "warning even-count", "warning host-clock"],
  },
  {
    what: "a node that forgot",
    seen: fleet(lastRecord({ state: "forgot", writtenMs: NOW_MS - 10_000 })),
    found: ["note quarantined n2:6379"],
    saw: /10 s ago, and votes in about 51 s/,
    change: /durable: true/,
  },
  {
    what: "a node that forgot long ago, with nobody to attest it",
    seen: fleet(
      lastRecord({ state: "forgot", writtenMs: NOW_MS - 99_000, writerMs: NOW_MS - 99_000 }),
    ),
    found: [],
  },
  { what: "a node that was attested", seen: fleet(lastRecord({ state: "attested" })), found: [] },
  {
    what: "a node that restarted, and met no client since",
    seen: fleet(lastRecord({ runId: "another run" })),
    found: ["note quarantined n2:6379"],
    saw: /restarted since a client last saw it/,
  },
  {
    what: "a node without a record",
    seen: fleet(last({ sighting: unrecorded() })),
    found: ["note quarantined n2:6379"],
    saw: /no record, but others have/,
  },
  {
    what: "nodes that all forgot",
    seen: fleet((index) => ({ sighting: sighting(index, { state: "forgot" }) })),
    found: [
      ...["warning no-quorum", "note quarantined n0:6379", "note quarantined n1:6379"],
      "note quarantined n2:6379",
    ],
    saw: /0 of 3 nodes vote and 2 are needed, because 3 are quarantined/,
  },
  {
    what: "nodes that all forgot, without quarantine",
    seen: fleet((index) => ({ sighting: sighting(index, { state: "forgot" }) })),
    settings: { isQuarantineOn: false },
    found: [],
  },
  {
    what: "scripts that take long",
    seen: fleet(lastServer({ scriptMs: 26 })),
    found: ["warning latency n2:6379"],
    saw: /on average, 26 ms/,
  },
  {
    what: "a fork that blocks it",
    seen: fleet(lastServer({ lastForkMs: 130 })),
    found: ["warning latency n2:6379"],
    saw: /fork/,
  },
  {
    what: "spikes of latency",
    seen: fleet(lastServer({ latencySpikes: [{ event: "expire-cycle", maxMs: 700 }] })),
    found: ["warning latency n2:6379"],
    saw: /"expire-cycle" take 700 ms/,
  },
  {
    what: "connections that are closed when idle",
    seen: fleet(lastServer({ idleTimeoutSeconds: 30 })),
    found: ["warning idle-timeout n2:6379"],
    change: /CONFIG SET timeout 0/,
  },
  {
    what: "connections that are never looked after",
    seen: fleet(lastServer({ tcpKeepaliveSeconds: 0 })),
    found: ["warning keepalive n2:6379"],
    change: /CONFIG SET tcp-keepalive 300/,
  },
  {
    what: "a server that may not be asked for its configuration",
    seen: fleet(
      lastServer({
        ...{ appendFsync: undefined, idleTimeoutSeconds: undefined },
        ...{ tcpKeepaliveSeconds: undefined, latencySpikes: undefined, scriptMs: undefined },
      }),
    ),
    found: [],
  },
  {
    what: "a wall clock of this machine that runs fast",
    seen: fleet(undefined, 3, { ...HOST, wallGainMs: 16 }),
    found: ["warning host-rate"],
    saw: /16 ms ahead/,
  },
  {
    what: "a wall clock of this machine that was set back",
    seen: fleet(undefined, 3, { ...HOST, wallGainMs: -16 }),
    found: ["warning host-rate"],
    saw: /16 ms behind/,
  },
  {
    what: "a process that does not get to run",
    seen: fleet(undefined, 3, { ...HOST, stallMs: 501 }),
    found: ["warning host-stall"],
    saw: /501 ms/,
  },
];

function shortOf({ severity, code, node: name }: Finding): string {
  return [severity, code, ...(name === undefined ? [] : [name])].join(" ");
}

describe("findingsOf", () => {
  for (const { what, seen, settings = {}, found, saw, change } of CASES) {
    it(`finds ${found.length === 0 ? "nothing" : found[0]} in ${what}`, () => {
      const findings = findingsOf(seen, { ...SETTINGS, ...settings });
      expect(findings.map(shortOf)).to.deep.equal(found);
      const [first] = findings;
      if (saw !== undefined) expect(first?.saw).to.match(saw);
      if (change !== undefined) expect(first?.change).to.match(change);
    });
  }

  it("tells the worst first, and of equals in the order of the nodes", () => {
    const seen = fleet((index) => ({
      problems: index === 1 ? [{ kind: "replica", message: "not a master" }] : [],
      server: server(index, { replicaCount: 1, idleTimeoutSeconds: 5 }),
    }));
    expect(findingsOf(seen, SETTINGS).map(shortOf)).to.deep.equal([
      "error replica n1:6379",
      ...[0, 1, 2].map((index) => `warning idle-timeout n${index}:6379`),
      ...[0, 1, 2].map((index) => `note replicas n${index}:6379`),
    ]);
  });

  it("gives every finding something to change", () => {
    for (const { seen, settings = {} } of CASES) {
      for (const { saw, change } of findingsOf(seen, { ...SETTINGS, ...settings })) {
        expect(saw, change).to.not.equal("");
        expect(change, saw).to.not.equal("");
      }
    }
  });
});
