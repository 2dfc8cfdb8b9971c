import { expect } from "chai";
import { Cluster, type Redis } from "ioredis";
import { scanKeys } from "../../src/redis/scan-keys.js";

type Reply = readonly [cursor: string, keys: readonly string[]];

/** Replies to SCAN, one after the other. */
function serverWith(replies: readonly unknown[]): Redis & { readonly asked: unknown[][] } {
  const asked: unknown[][] = [];
  const scan = (...words: unknown[]): Promise<unknown> => {
    asked.push(words);
    return Promise.resolve(replies[asked.length - 1]);
  };
  return { asked, scan } as unknown as Redis & { readonly asked: unknown[][] };
}

function clusterOf(masters: readonly Redis[], replicas: readonly Redis[] = []): Cluster {
  const cluster = new Cluster([{ host: "a", port: 1 }], { lazyConnect: true });
  cluster.nodes = (role) => [...masters, ...(role === "master" ? [] : replicas)];
  return cluster;
}

async function keysOf(client: Redis | Cluster): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const some of scanKeys(client, "lock:*", 1_000)) keys.push(...some);
  return keys;
}

describe("scanKeys", () => {
  const REPLIES: readonly Reply[] = [
    ["12", ["lock:a"]],
    ["18446744073709551615", []],
    ["7", ["lock:b", "lock:c"]],
    ["0", ["lock:d"]],
  ];

  it("goes on to the end, also after a portion without keys", async () => {
    const server = serverWith(REPLIES);
    expect(await keysOf(server)).to.deep.equal(["lock:a", "lock:b", "lock:c", "lock:d"]);
    const cursors = ["0", ...REPLIES.slice(0, -1).map(([cursor]) => cursor)];
    const asked = cursors.map((cursor) => [cursor, "MATCH", "lock:*", "COUNT", 1_000]);
    expect(server.asked).to.deep.equal(asked);
  });

  it("looks through all masters of a Cluster, and no replica", async () => {
    const masters = ["a", "b", "c"].map((key) => serverWith([["0", [key]]]));
    const replica = serverWith([["0", ["of a replica"]]]);
    expect(await keysOf(clusterOf(masters, [replica]))).to.deep.equal(["a", "b", "c"]);
  });

  const STRANGE = [
    "PONG",
    null,
    [],
    ["0"],
    [0, []],
    ["-1", []],
    ["1x", []],
    ["0", "a"],
    ["0", [1]],
  ];
  for (const reply of STRANGE) {
    it(`does not go on after ${JSON.stringify(reply)}`, async () => {
      const server = serverWith([reply]);
      await keysOf(server).then(
        () => expect.fail("it has ended as if that were all"),
        (error: Error) => expect(error.message).to.match(/^SCAN is not answered/),
      );
      expect(server.asked.length).to.equal(1);
    });
  }
});
