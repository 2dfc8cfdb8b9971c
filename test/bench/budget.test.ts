import type { Profiler } from "node:inspector";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { LUA, NETWORK, nodeLines } from "../../bench/budget/node-lines.js";
import { profiled, sharesOf, type ClientLine } from "../../bench/budget/profile.js";
import { budgetTables } from "../../bench/budget/tables.js";
import { parseStats } from "../../bench/numbers/node-stats.js";

/** A function on the stack, how often it was the innermost one, and what it called. */
interface Frame {
  readonly name: string;
  readonly url?: string;
  readonly hits: number;
  readonly calls?: readonly Frame[];
}

function profileOf(root: Frame): Profiler.Profile {
  const nodes: Profiler.ProfileNode[] = [];
  const add = ({ name, url = "", hits, calls = [] }: Frame): number => {
    const id = nodes.length + 1;
    const callFrame = { functionName: name, url, scriptId: "0", lineNumber: 0, columnNumber: 0 };
    const node: Profiler.ProfileNode = { id, callFrame, hitCount: hits };
    nodes.push(node);
    node.children = calls.map(add);
    return id;
  };
  add(root);
  return { nodes, startTime: 0, endTime: 1 };
}

const shares = (...calls: readonly Frame[]): Record<string, number> =>
  Object.fromEntries(sharesOf(profileOf({ name: "(root)", hits: 0, calls })));

describe("the CPU budget of the client", () => {
  const LINES: readonly (readonly [url: string, line: ClientLine])[] = [
    ["node:net", "Node's sockets, streams and ticks"],
    ["node:internal/process/task_queues", "Node's sockets, streams and ticks"],
    ["node:internal/timers", "Node's timers"],
    ["node:async_hooks", "promises and async contexts"],
    ["node:internal/process/promises", "promises and async contexts"],
    ["file:///p/node_modules/ioredis/built/Redis.js", "ioredis"],
    ["file:///p/node_modules/redis-parser/lib/parser.js", "ioredis"],
    ["file:///p/node_modules/redlock/src/index.js", "the library: everything else"],
    ["file:///p/build/src/channel/pipeline.js", "the library: channels to the nodes"],
    ["file:///p/build/src/script/batch-decoder.js", "the library: channels to the nodes"],
    ["file:///p/build/bench/raw-socket/fan-out.js", "the library: channels to the nodes"],
    ["file:///p/build/src/coordinator/round.js", "the library: everything else"],
    ["file:///p/build/bench/uncontended/workload.js", "the bench"],
  ];
  for (const [url, line] of LINES) {
    it(`counts ${url} as: ${line}`, () => {
      expect(shares({ name: "run", url, hits: 3 })).to.deep.equal({ [line]: 1 });
    });
  }

  it("counts running callbacks of promises for these", () => {
    expect(shares({ name: "runMicrotasks", hits: 1 })).to.deep.equal({
      "promises and async contexts": 1,
    });
  });

  it("leaves idle time out, and divides the rest", () => {
    const found = shares(
      { name: "(idle)", hits: 900 },
      { name: "(program)", hits: 10 },
      { name: "(garbage collector)", hits: 20 },
      { name: "run", url: "file:///p/build/src/manager/lock.js", hits: 70 },
    );
    expect(found).to.deep.include({
      "event loop and system calls that read": 0.1,
      "garbage collection": 0.2,
      "the library: everything else": 0.7,
    });
  });

  it("counts built-in functions for their callers, but for those that write", () => {
    const write = { name: "writeLatin1String", hits: 3 };
    const channel = { name: "send", url: "file:///p/build/src/channel/a.js", hits: 0 };
    const found = shares({ ...channel, calls: [{ name: "replace", hits: 1 }, write] });
    expect(found).to.deep.equal({
      "the library: channels to the nodes": 0.25,
      "system calls that write": 0.75,
    });
  });

  it("sees where this process spends its time", async () => {
    const found = await profiled(async () => {
      const endMs = performance.now() + 100;
      while (performance.now() < endMs) JSON.stringify(LINES);
      await sleep(50);
    });
    const sum = [...found.values()].reduce((one, other) => one + other, 0);
    expect(sum).to.be.closeTo(1, 1e-9);
  });
});

describe("the CPU budget of the nodes", () => {
  const stats = (cpuSeconds: number, spentUs: Record<string, number>) =>
    parseStats(
      [
        `used_cpu_user:${cpuSeconds}`,
        ...Object.entries(spentUs).map(
          ([name, us]) => `cmdstat_${name}:calls=1,usec=${us},usec_per_call=1.00`,
        ),
      ].join("\r\n"),
    );

  it("takes commands out of their scripts, and scripts out of the nodes' time", () => {
    const before = stats(1, { evalsha: 500, set: 50, ping: 7 });
    const after = stats(1.01, { evalsha: 4_500, set: 550, del: 300, ping: 7 });
    const lines = nodeLines(before, after, ["eval", "evalsha"], 100);
    expect(Object.fromEntries(lines)).to.deep.equal({ [NETWORK]: 60, [LUA]: 32, SET: 5, DEL: 3 });
  });

  it("takes commands that are sent for themselves", () => {
    const after = stats(0.01, { evalsha: 3_000, set: 1_000, get: 500 });
    const lines = nodeLines(stats(0, {}), after, ["set", "evalsha"], 100);
    expect(Object.fromEntries(lines)).to.deep.equal({ [NETWORK]: 60, [LUA]: 25, SET: 10, GET: 5 });
  });
});

describe("the tables of the CPU budget", () => {
  it("have the lines that any subject has, with their sums", () => {
    const cell = { nodeCount: 1, inFlight: 1 };
    const sample = (client: Record<string, number>, nodes: Record<string, number>) => ({
      cyclesPerSecond: 1,
      p50Ms: 0.09,
      client,
      nodes,
    });
    const tables = budgetTables([
      { cell, subjectName: "quorate", samples: [sample({ ioredis: 1.5 }, { [LUA]: 7, HSET: 1 })] },
      { cell, subjectName: "redlock", samples: [sample({ ioredis: 3 }, { [LUA]: 2, SET: 2 })] },
    ]);
    const cells = tables
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map((line) => line.split("|").map((one) => one.trim()));
    expect(cells.map((row) => row.slice(1, -1).join(";"))).to.deep.equal([
      ";quorate;redlock",
      cells[1]?.slice(1, -1).join(";"),
      "**client**;1.5;3.0",
      "- ioredis;1.5;3.0",
      "**nodes**;8.0;4.0",
      `- ${LUA};7.0;2.0`,
      "- SET;0.0;2.0",
      "- HSET;1.0;0.0",
      "p50 of a cycle, µs;90;90",
    ]);
    expect(tables).to.match(/^1 node, 1 in flight, µs of CPU per cycle:/);
  });
});
