import { expect } from "chai";
import * as fc from "fast-check";
import { NameFinder, type FoundNames } from "../../src/operator/find-names.js";
import { memoryNodes } from "../../src/memory/index.js";
import { quorumSize } from "../../src/protocol/quorum.js";
import { FakeClient } from "../support/fake-client.js";
import { at } from "../support/nodes.js";
import { settle } from "../support/manual-clock.js";

/** A search on nodes with these keys, each a list of portions; closed when it is disposed of. */
class Bench implements Disposable {
  readonly clients: readonly FakeClient[];
  readonly finder: NameFinder;

  constructor(keys: readonly FakeClient["keys"][], keyPrefix = "lock:") {
    this.clients = keys.map((each, index) => {
      const client = new FakeClient(index);
      client.keys = each;
      return client;
    });
    this.finder = new NameFinder(this.clients, { keyPrefix });
  }

  get openCounts(): number[] {
    return this.clients.map(({ openCount }) => openCount);
  }

  /** How many connections there are now. */
  get connections(): number[] {
    return this.clients.map(({ connectionCount }) => connectionCount);
  }

  [Symbol.dispose](): void {
    this.finder.close();
  }
}

/** What a new search finds. */
async function foundOn(
  keys: readonly FakeClient["keys"][],
  limit = 100,
  keyPrefix?: string,
): Promise<FoundNames> {
  using bench = new Bench(keys, keyPrefix);
  return await bench.finder.find("*", limit);
}

/** Turns of the event loop, in which what was closed is closed. */
async function closing(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    await settle();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("NameFinder", () => {
  it("finds the names of all nodes, each once, in order; of too many, as many as were asked for", async () => {
    const name = fc.constantFrom("a", "b", "c", "d:1", "d:2", "É", "Z");
    const portions = fc.array(fc.array(name, { maxLength: 4 }), { minLength: 1, maxLength: 3 });
    const nodes = fc.array(portions, { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(nodes, fc.integer({ min: 1, max: 8 }), async (names, limit) => {
        const keys = names.map((all) => all.map((each) => each.map((one) => `lock:${one}`)));
        const found = await foundOn(keys, limit);
        const all = [...new Set(names.flat(2))].toSorted();
        expect(found).to.deep.include({ isComplete: true, failures: [] });
        expect(found.isCut).to.equal(all.length > limit);
        if (!found.isCut) expect(found.names).to.deep.equal(all);
        else {
          expect(found.names).to.deep.equal([...new Set(found.names)].toSorted());
          expect(found.names).to.have.length(limit);
          expect(all).to.include.members([...found.names]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("gives up on a node that answers as no Redis server does, instead of asking for ever", async () => {
    for (const reply of [
      "+OK\r\n",
      ":1\r\n",
      "*-1\r\n",
      "*2\r\n*1\r\n:1\r\n+lock:b\r\n",
      "*2\r\n$1\r\nx\r\n*0\r\n",
      "*2\r\n$1\r\n0\r\n*1\r\n:5\r\n",
    ]) {
      using bench = new Bench([[["lock:a"]], [["lock:a"]], [["lock:a"]]]);
      Object.assign(at(bench.clients, 0), { scanReply: reply });
      const { names, isComplete, failures } = await bench.finder.find("*", 10);
      expect({ names, isComplete }, reply).to.deep.equal({ names: ["a"], isComplete: true });
      expect(failures.map(({ message }) => message)).to.deep.equal([
        "SCAN is not answered as by a Redis server",
      ]);
    }
  });

  it("stops at one more than was asked for, and not before", async () => {
    const keys = [["lock:a", "lock:b"], ["lock:b"], ["lock:c", "lock:d"], ["lock:e"]];
    for (const { limit, scans } of [
      { limit: 1, scans: 1 },
      { limit: 2, scans: 3 },
      { limit: 3, scans: 3 },
      { limit: 4, scans: 4 },
      { limit: 5, scans: 4 },
    ]) {
      using bench = new Bench([keys]);
      const { names, isCut } = await bench.finder.find("*", limit);
      expect(names).to.deep.equal(["a", "b", "c", "d", "e"].slice(0, limit));
      expect(isCut, `${limit}`).to.equal(limit < 5);
      expect(at(bench.clients, 0).sent, `${limit}`).to.have.length(scans);
    }
  });

  it("searches for the pattern behind the prefix, which is no pattern", async () => {
    using bench = new Bench([[[]]], "[x]*");
    await bench.finder.find("job-*", 10);
    expect(at(bench.clients, 0).sent).to.deep.equal(["scan 0 \\[x\\]\\*job-*"]);
  });

  for (const { title, keyPrefix, keys, names } of [
    {
      title: "the prefix alone",
      keyPrefix: "lock:",
      keys: ["lock:", "lock:a"],
      names: ["a"],
    },
    {
      title: "keys of others",
      keyPrefix: "lock:",
      keys: ["block:a", "lock", "lock:a"],
      names: ["a"],
    },
    {
      title: "what is stored beside the locks",
      keyPrefix: "",
      keys: ["quorate:queue:{a}", "quorate:record", "a"],
      names: ["a"],
    },
  ]) {
    it(`takes no name from ${title}`, async () => {
      expect((await foundOn([[keys]], 100, keyPrefix)).names).to.deep.equal(names);
    });
  }
});

describe("NameFinder, where nodes fail", () => {
  for (const nodeCount of [1, 2, 3, 4, 5]) {
    it(`is complete as long as no quorum of ${nodeCount} can have what is missing`, async () => {
      for (let failed = 0; failed <= nodeCount; failed++) {
        const keys = Array.from({ length: nodeCount }, (_, index) =>
          index < failed ? "LOADING it is" : [[`lock:${index}`]],
        );
        const { names, isComplete, failures } = await foundOn(keys);
        expect(failures).to.have.length(failed);
        expect(names).to.have.length(nodeCount - failed);
        // A name is held on a quorum: there is one among any others that are no fewer than these.
        expect(isComplete, `${failed}`).to.equal(
          nodeCount - failed + quorumSize(nodeCount) > nodeCount,
        );
      }
    });
  }

  it("names them and why, and keeps what they have told before", async () => {
    using bench = new Bench([
      [["lock:a"]],
      "NOPERM no permissions to run the 'scan' command",
      [[]],
    ]);
    at(bench.clients, 2).behaviour = "refuses";
    const { names, failures } = await bench.finder.find("*", 10);
    expect(names).to.deep.equal(["a"]);
    const told = failures.toSorted((a, b) => (a.node < b.node ? -1 : 1));
    expect(told.map(({ node }) => node)).to.deep.equal(["fake1:6379", "fake2:6379"]);
    expect(told.map(({ isMisconfigured }) => isMisconfigured)).to.deep.equal([true, false]);
    expect(told[0]?.message).to.contain("add +scan to its ACL");
    expect(told[1]?.message).to.equal("connect ECONNREFUSED");
  });

  it("tells of a client that cannot be opened at all", async () => {
    using bench = new Bench([[["lock:a"]], [[]]]);
    const why = (): never => {
      throw new Error("its password is gone");
    };
    Object.defineProperty(at(bench.clients, 1), "options", { get: why });
    const { names, failures } = await bench.finder.find("*", 10);
    expect(names).to.deep.equal(["a"]);
    expect(failures).to.deep.equal([
      { node: "fake1:6379", message: "its password is gone", isMisconfigured: false },
    ]);
  });

  it("refuses nodes that are no servers, and bad options", () => {
    expect(() => new NameFinder(memoryNodes(1), {})).to.throw(TypeError, "`nodes[0]`");
    expect(() => new NameFinder([], {})).to.throw(/nodes/);
    expect(() => new NameFinder([new FakeClient(0)], { keyPrefix: 1 as never })).to.throw(
      TypeError,
      "keyPrefix",
    );
  });
});

describe("The connections of a NameFinder", () => {
  it("are opened by the first search, and used by the next, until they are closed", async () => {
    const bench = new Bench([[["lock:a"]], [["lock:b"]]]);
    expect(bench.openCounts).to.deep.equal([0, 0]);
    for (let times = 0; times < 3; times++) await bench.finder.find("*", 10);
    expect(bench.openCounts).to.deep.equal([1, 1]);
    expect(bench.connections).to.deep.equal([1, 1]);
    bench.finder.close();
    await closing();
    expect(bench.connections).to.deep.equal([0, 0]);
  });

  it("are shared by searches at the same time", async () => {
    const bench = new Bench([[["lock:a"], ["lock:b"]], [["lock:b"]]]);
    const searches = ["a*", "b*", "*"].map((pattern) => bench.finder.find(pattern, 10));
    for (const { names } of await Promise.all(searches)) expect(names).to.deep.equal(["a", "b"]);
    expect(bench.openCounts).to.deep.equal([1, 1]);
    bench.finder.close();
    await closing();
    expect(bench.connections).to.deep.equal([0, 0]);
  });

  it("are closed even where they were just being opened", async () => {
    const bench = new Bench([[["lock:a"]]]);
    const search = bench.finder.find("*", 10);
    bench.finder.close();
    const { failures } = await search;
    await closing();
    expect(bench.connections).to.deep.equal([0]);
    expect(failures.length, "nothing is found on what is closed").to.equal(1);
  });

  it("are closed and opened anew after a failure, and the others stay", async () => {
    using bench = new Bench([[["lock:a"]], "ERR for now"]);
    const searches = await Promise.all([bench.finder.find("*", 10), bench.finder.find("*", 10)]);
    for (const { failures } of searches) expect(failures).to.have.length(1);
    await closing();
    expect(bench.connections).to.deep.equal([1, 0]);
    at(bench.clients, 1).keys = [["lock:b"]];
    const { names, failures } = await bench.finder.find("*", 10);
    expect({ names, failures }).to.deep.equal({ names: ["a", "b"], failures: [] });
    expect(bench.openCounts).to.deep.equal([1, 2]);
  });
});
