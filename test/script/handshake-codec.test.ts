import { expect } from "chai";
import type { HandshakeRequest, RecordOrder } from "../../src/channel/transport.js";
import type { ListOffer } from "../../src/protocol/node-list.js";
import { PROTOCOL_VERSION, RECORD_FIELDS, type RecordField } from "../../src/protocol/record.js";
import {
  decodeHandshake,
  decodeRecord,
  encodeHandshake,
  recordProblems,
} from "../../src/script/handshake-codec.js";
import { CAPABLE } from "../support/capable.js";
import { NO_LIST } from "../support/no-list.js";

const REQUEST: HandshakeRequest = {
  firstTtlMs: 30_000,
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
  nodeList: NO_LIST,
  isLooking: false,
  order: undefined,
};

const WORDS = "atomicScripts undeclaredKeys infoInScript runId pubSub eviction=noeviction lua=5.1";
const CAPABILITIES = `${WORDS} mode=standalone role=master`;

const RECORD = [
  ...["record", "run-a", "open", "1700000000000", "1700000000005", "3", "60000", "5000"],
  ...["record other", "1700000000000001", "1", CAPABILITIES, "node-a"],
];

/** A reply of the handshake script. */
const reply = (
  { words = CAPABILITIES, denied = "" } = {},
  record: readonly unknown[] = RECORD,
): unknown[] => [17, "run-a", "1700000001000", denied, words, ...record];

const withField = (field: RecordField, text: unknown): unknown[] =>
  (RECORD as unknown[]).with(RECORD_FIELDS.indexOf(field), text);

describe("encodeHello", () => {
  it("keeps the places that the script reads", () => {
    const all = [
      ...["new-id", "", 3, 60_000, 5_000, 1_700_000_000_000, 0, "", "", ""],
      ...[PROTOCOL_VERSION, "quorate:inbox:", "", "nodes:lock:", "", 0, 30_000, 0, "", 17],
    ];
    expect(encodeHandshake(REQUEST)).to.deep.equal(all);
    expect(encodeHandshake(REQUEST, "role:master")).to.deep.equal(all.with(18, "role:master"));
    expect(encodeHandshake({ ...REQUEST, ifAbsent: "forgot", isDurable: true })).to.deep.equal(
      all.with(1, "forgot").with(6, 1),
    );
  });

  it("offers the node its id, or a new one, and the list of the prefix", () => {
    const offered = (over: Partial<ListOffer>): unknown[] =>
      encodeHandshake({ ...REQUEST, nodeList: { ...NO_LIST, ...over } }).slice(12, 15);
    expect(offered({ nodeId: "n" })).to.deep.equal(["n", "nodes:lock:", ""]);
    expect(offered({ nodeId: "n", isToGetId: true })[0]).to.equal("n");
    expect(offered({ isToGetId: true })[0]).to.equal("new-id");
    expect(offered({ keyPrefix: "ü ", list: "n=a" })).to.deep.equal(["", "nodes:ü ", "n=a"]);
    expect(encodeHandshake({ ...REQUEST, isLooking: true })[15]).to.equal(1);
    const withFence = { ...REQUEST, nodeList: { ...NO_LIST, list: "n=a", topFence: 7 } };
    expect(encodeHandshake(withFence)[17]).to.equal(7);
  });

  it("says what is to become of the record, by its id", () => {
    const ordered = (order: RecordOrder): unknown[] =>
      encodeHandshake({ ...REQUEST, order }).slice(7, 10);
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
    expect(decodeHandshake("17", [...reply(), "a list", "45000", "the last list"])).to.deep.equal({
      kind: "handshake",
      number: 17,
      connectionId: "17",
      runId: "run-a",
      nodeTimeMs: 1_700_000_001_000,
      nodeList: "a list",
      earlierTtlMs: 45_000,
      lastNodeList: "the last list",
      capabilities: CAPABLE,
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
        version: 1,
        capabilities: CAPABLE,
        nodeId: "node-a",
      },
    });
  });

  it("says which permissions are missing, and how to add them", () => {
    const { problems } = decodeHandshake("1", reply({ denied: "SET DEL" }));
    expect(problems[0]?.message).to.include("SET, DEL").and.include("+set +del");
  });

  it("reads the short reply of a node without a record", () => {
    const handshake = decodeHandshake("1", reply({ words: "infoInScript role=slave" }, []));
    expect(handshake.record).to.equal(undefined);
    expect(handshake.problems[0]?.message).to.include("slave");
  });

  for (const [text, kind, words] of [
    ["3", "laterRecord", ["version 3", `version ${PROTOCOL_VERSION}`, "upgrade quorate"]],
    ["two", "record", ['version is "two"', "DEL quorate:incarnation"]],
  ] as const) {
    it(`finds a record of version ${text} wrong, and does not hand it on`, () => {
      const { record, problems } = decodeHandshake("1", reply({}, withField("version", text)));
      expect(record).to.equal(undefined);
      expect(problems.map((problem) => problem.kind)).to.deep.equal([kind]);
      for (const word of words) expect(problems[0]?.message).to.include(word);
    });
  }

  const noTime = reply().with(2, "PONG");
  for (const garbage of [null, "OK", 1, [], [["a"], "b"], reply().slice(0, 4), noTime]) {
    it(`refuses ${JSON.stringify(garbage)?.slice(0, 60)}, which no Redis server replies`, () => {
      expect(() => decodeHandshake("1", garbage)).to.throw("not answered as by a Redis server");
    });
  }
});

describe("decodeRecord", () => {
  it("reads the fields of a record, in the order of their names, as the handshake does", () => {
    expect(RECORD_FIELDS).to.have.length(RECORD.length);
    const { record } = decodeHandshake("1", reply());
    expect(decodeRecord(RECORD)).to.deep.equal({ kind: "record", record });
  });

  it("finds no record where the fields are missing", () => {
    expect(decodeRecord(RECORD_FIELDS.map(() => null))).to.deep.equal({ kind: "none" });
    expect(decodeRecord([])).to.deep.equal({ kind: "none" });
  });
});

describe("recordProblems", () => {
  it("has none for a record, nor for none", () => {
    expect(recordProblems(decodeRecord(RECORD))).to.deep.equal([]);
    expect(recordProblems(decodeRecord([]))).to.deep.equal([]);
  });
});
