import { expect } from "chai";
import type { HandshakeRequest, RecordOrder } from "../../src/channel/transport.js";
import {
  decodeHandshake,
  decodeRecord,
  encodeHandshake,
  RECORD_FIELDS,
} from "../../src/script/handshake-codec.js";

const REQUEST: HandshakeRequest = {
  number: 17,
  connectionName: "quorate-one",
  previous: undefined,
  newId: "new-id",
  ifAbsent: undefined,
  nodeCount: 3,
  maxTtlMs: 60_000,
  clockStepMs: 5_000,
  wallMs: 1_700_000_000_000.5,
  isDurable: false,
  order: undefined,
};

const RECORD = [
  ...["record", "run-a", "open", "1700000000000", "1700000000005", "3", "60000", "5000"],
  ...["record other", "1700000000000001"],
];

const SERVER = {
  role: "master",
  mode: "standalone",
  policy: "noeviction",
  maxMemory: "0",
  denied: "",
};

/** A reply of the handshake script. */
const reply = (server: Partial<typeof SERVER> = {}, record: unknown[] = RECORD) => {
  const { role, mode, policy, maxMemory, denied } = { ...SERVER, ...server };
  return [17, "run-a", role, mode, policy, maxMemory, "1700000001000", denied, ...record];
};

describe("encodeHello", () => {
  it("keeps the places that the script reads", () => {
    const all = ["new-id", "", 3, 60_000, 5_000, 1_700_000_000_000, 0, "", "", "", 17];
    expect(encodeHandshake(REQUEST)).to.deep.equal(all);
    expect(encodeHandshake({ ...REQUEST, ifAbsent: "forgot", isDurable: true })).to.deep.equal(
      all.with(1, "forgot").with(6, 1),
    );
  });

  it("says what is to become of the record, by its id", () => {
    const ordered = (order: RecordOrder): unknown[] =>
      encodeHandshake({ ...REQUEST, order }).slice(-4, -1);
    expect(ordered({ becomes: "fresh" })).to.deep.equal(["", "", ""]);
    expect(ordered({ becomes: "opening", id: "a", fellows: "a b" })).to.deep.equal([
      "opening",
      "a",
      "a b",
    ]);
    expect(ordered({ becomes: "open", id: "a" })).to.deep.equal(["open", "a", ""]);
    expect(ordered({ becomes: "attested", id: "a", topFence: 7 })).to.deep.equal([
      "attested",
      "a",
      7,
    ]);
  });
});

describe("decodeHello", () => {
  it("reads who the server is, and its record", () => {
    expect(decodeHandshake("17", reply())).to.deep.equal({
      kind: "handshake",
      number: 17,
      connectionId: "17",
      runId: "run-a",
      nodeTimeMs: 1_700_000_001_000,
      problems: [],
      record: {
        id: "record",
        runId: "run-a",
        state: "open",
        writtenMs: 1_700_000_000_000,
        writerMs: 1_700_000_000_005,
        nodeCount: 3,
        maxTtlMs: 60_000,
        clockStepMs: 5_000,
        fellows: "record other",
        topFence: 1_700_000_000_000_001,
      },
    });
  });

  for (const { kinds, ...server } of [
    { maxMemory: "1000000", kinds: [] },
    { policy: "allkeys-lru", kinds: [] },
    { policy: "allkeys-lru", maxMemory: "1000000", kinds: ["eviction"] },
    { policy: "volatile-ttl", maxMemory: "1", kinds: ["eviction"] },
    { role: "slave", kinds: ["replica"] },
    { role: "slave", policy: "allkeys-lfu", maxMemory: "5", kinds: ["replica", "eviction"] },
    { role: "", policy: "", maxMemory: "", kinds: ["replica"] },
    { mode: "cluster", kinds: ["cluster"] },
    { mode: "cluster", role: "slave", kinds: ["cluster", "replica"] },
    { mode: "", kinds: [] },
    { denied: "SET", kinds: ["permission"] },
  ]) {
    const found = kinds.length === 0 ? "nothing" : kinds.join(" and ");
    it(`finds ${found} wrong with ${JSON.stringify(server)}`, () => {
      const { problems } = decodeHandshake("1", reply(server));
      expect(problems.map(({ kind }) => kind)).to.deep.equal(kinds);
    });
  }

  it("says which permissions are missing, and how to add them", () => {
    const { problems } = decodeHandshake("1", reply({ denied: "SET DEL" }));
    expect(problems[0]?.message).to.include("SET, DEL").and.include("+set +del");
  });

  it("reads the short reply of a node without a record", () => {
    const handshake = decodeHandshake("1", reply({ role: "slave" }, []));
    expect(handshake.record).to.equal(undefined);
    expect(handshake.problems[0]?.message).to.include("slave");
  });

  for (const garbage of [null, "OK", 1, [], [["a"], "b"], reply().slice(0, 6)]) {
    it(`refuses ${JSON.stringify(garbage)}, which no Redis server replies`, () => {
      expect(() => decodeHandshake("1", garbage)).to.throw("not answered as by a Redis server");
    });
  }
});

describe("decodeRecord", () => {
  it("reads the fields of a record, in the order of their names, as the handshake does", () => {
    expect(RECORD_FIELDS).to.have.length(RECORD.length);
    expect(decodeRecord(RECORD)).to.deep.equal(decodeHandshake("1", reply()).record);
  });

  it("finds no record where the fields are missing", () => {
    expect(decodeRecord(RECORD_FIELDS.map(() => null))).to.equal(undefined);
    expect(decodeRecord([])).to.equal(undefined);
  });

  it("reads a record that lacks fields, as an earlier version may have written it", () => {
    const record = decodeRecord(RECORD.with(8, null as never).with(9, null as never));
    expect(record).to.include({ id: "record", state: "open", fellows: "", topFence: 0 });
  });
});
