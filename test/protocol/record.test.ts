import { readFileSync } from "node:fs";
import { expect } from "chai";
import * as fc from "fast-check";
import { HANDSHAKE_SCRIPT } from "../../src/script/embedded-lua.js";
import { LAST_LIST_FIELD } from "../../src/protocol/node-list.js";
import {
  amountIn,
  PROTOCOL_VERSION,
  readRecord,
  RECORD_FIELDS,
  recordProblem,
  type RecordField,
} from "../../src/protocol/record.js";

type Fields = Partial<Record<RecordField, string>>;

const FIELDS: Fields = {
  id: "id-1",
  runId: "run",
  state: "open",
  writtenMs: "1700000000000",
  writerMs: "1700000000000",
  nodeCount: "3",
  maxTtlMs: "60000",
  clockStepMs: "5000",
  fellows: "id-1 id-2 id-3",
  top: "17",
  version: "1",
  capabilities: "runId",
  nodeId: "node-1",
};

const read = (fields: Fields, version?: number): ReturnType<typeof readRecord> =>
  readRecord((field) => fields[field] ?? "", version);

describe("readRecord", () => {
  it("knows the fields in the order of the script that returns them", () => {
    const list = /local FIELDS = \{([^}]*)\}/.exec(HANDSHAKE_SCRIPT)?.[1] ?? "";
    expect([...list.matchAll(/'(\w+)'/g)].map(([, name]) => name)).to.deep.equal(RECORD_FIELDS);
    expect(HANDSHAKE_SCRIPT).to.include(`local LAST_LIST = '${LAST_LIST_FIELD}'`);
  });

  it("finds none without an id, whatever else is there", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...RECORD_FIELDS), fc.string()), (fields) => {
        expect(read({ ...fields, id: "" })).to.deep.equal({ kind: "none" });
      }),
    );
  });

  it("reads a record without the fields that the first versions did not write", () => {
    const { id, runId, state, writtenMs, writerMs, maxTtlMs } = FIELDS;
    const found = read({ id, runId, state, writtenMs, writerMs, maxTtlMs } as Fields);
    if (found.kind !== "record") throw new Error(found.kind);
    expect(found.record).to.include({
      state: "open",
      version: 0,
      clockStepMs: 0,
      topFence: 0,
      nodeId: "",
    });
    expect(found.record.capabilities).to.include({ runId: false });
  });

  const numbers = ["", " ", "x", "NaN", "Infinity", "1e999", "1,5"];
  const garbage: Partial<Record<RecordField, readonly string[]>> = {
    id: ["a b", "x".repeat(129), "\n"],
    state: ["", "Open", "unkept", "open "],
    writtenMs: numbers,
    writerMs: numbers,
    nodeCount: [...numbers.slice(1), "-1"],
    nodeId: ["a b", "x".repeat(129)],
    maxTtlMs: [...numbers, "-1", "-Infinity", "1e300"],
    clockStepMs: ["x", " ", "-1", "NaN"],
    version: ["x", "-1", "1.5", "1e3", "0x1", "1".repeat(10), " 1"],
  };
  for (const [field, texts] of Object.entries(garbage)) {
    it(`refuses a ${field} that no version writes`, () => {
      for (const text of texts) {
        expect(read({ ...FIELDS, [field]: text }), text).to.deep.equal({
          kind: "garbage",
          field,
          text,
        });
      }
    });
  }

  it("reads nothing else of a record of a later version", () => {
    const later = { ...FIELDS, version: "8", state: "half-open", maxTtlMs: "a minute" };
    expect(read(later, 7)).to.deep.equal({ kind: "newer", version: 8 });
  });

  for (const field of RECORD_FIELDS.filter((each) => each !== "version")) {
    it(`reads nothing else of it, whatever a later version makes of its ${field}`, () => {
      for (const text of ["a b", "\n", "-1", "x".repeat(200)]) {
        const later = { ...FIELDS, version: "8", [field]: text };
        expect(read(later, 7), text).to.deep.equal({ kind: "newer", version: 8 });
      }
    });
  }

  it("reads a record of its own version and of all before", () => {
    fc.assert(
      fc.property(fc.nat(99), fc.nat(99), (theirs, ours) => {
        const { kind } = read({ ...FIELDS, version: String(theirs) }, ours);
        expect(kind).to.equal(theirs > ours ? "newer" : "record");
      }),
    );
  });
});

describe("amountIn", () => {
  for (const [text, amount] of [
    ["60000", 60_000],
    ["0", 0],
    ["", 0],
    ["-1", 0],
    ["1e999", 0],
    ["1e300", 0],
    ["soon", 0],
    [null, 0],
  ] as const) {
    it(`is ${amount} for ${JSON.stringify(text)}`, () => {
      expect(amountIn(text)).to.equal(amount);
    });
  }
});

describe("recordProblem", () => {
  it("names both versions and the way out", () => {
    const text = recordProblem({ kind: "newer", version: 12 }, "key", 7);
    expect(text).to.include("version 12").and.include("version 7").and.include("upgrade quorate");
  });

  it("names the field, its text in short, and the way out", () => {
    const text = recordProblem(
      { kind: "garbage", field: "state", text: `a\n${"x".repeat(99)}` },
      "k",
    );
    expect(text).to.include('state is "a\\nxxx').and.include("DEL k").and.include("maxTtlMs");
    expect(text?.length).to.be.below(220);
  });

  it("has nothing to say about what can be used", () => {
    expect(recordProblem(read(FIELDS), "k")).to.equal(undefined);
    expect(recordProblem({ kind: "none" }, "k")).to.equal(undefined);
  });

  it("is the version that the operators' page names", () => {
    const page = readFileSync("docs/operate/restarts.md", "utf8");
    expect(page).to.include(`version of the protocol is ${PROTOCOL_VERSION}`);
  });
});
