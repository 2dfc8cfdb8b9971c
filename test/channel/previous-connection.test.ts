import { expect } from "chai";
import { connectionToEnd, idsNamed } from "../../src/channel/previous-connection.js";
import type { HandshakeRequest } from "../../src/channel/transport.js";
import { handshakeReply } from "../support/scripted-transport.js";

const REQUEST: HandshakeRequest = {
  number: 1,
  connectionName: "quorate-new",
  previous: undefined,
  newId: "new",
  ifAbsent: undefined,
  nodeCount: 3,
  maxTtlMs: 1_000,
  clockStepMs: 0,
  wallMs: 0,
  isDurable: false,
  order: undefined,
};

describe("connectionToEnd", () => {
  const before = { name: "quorate-old", connectionId: "17", runId: "run-a" };
  for (const [title, previous, found] of [
    ["nothing on the first connection", undefined, undefined],
    ["the previous one", before, before],
    [
      "also one with the id of this one, which is no name",
      { ...before, connectionId: "1" },
      "same",
    ],
    ["nothing in another run of the server", { ...before, runId: "run-b" }, undefined],
    ["not this one", { ...before, name: "quorate-new" }, undefined],
  ] as const) {
    it(`is ${title}`, () => {
      const end = connectionToEnd({ ...REQUEST, previous }, handshakeReply());
      expect(end).to.deep.equal(found === "same" ? previous : found);
    });
  }
});

describe("idsNamed", () => {
  const line = (id: number, name: string): string =>
    `id=${id} addr=127.0.0.1:5${id} laddr=127.0.0.1:6379 fd=8 name=${name} age=0 idle=0 flags=N db=0 lib-name= lib-ver=\n`;
  for (const [title, list, ids] of [
    ["nothing in an empty list", "", []],
    ["the one", line(17, "quorate-old"), ["17"]],
    ["the one among others", line(1, "") + line(17, "quorate-old") + line(18, "x"), ["17"]],
    ["nobody else's, whatever the id", line(17, "quorate-other"), []],
    ["no name that begins so", line(17, "quorate-old2") + line(18, "quorate-ol"), []],
    ["no other field", "id=17 name= lib-name=quorate-old user=name=quorate-old\n", []],
    ["nothing without an id", "addr=127.0.0.1:5 name=quorate-old\n", []],
    ["nothing in what is no list", "OK", []],
    ["all of them", line(17, "quorate-old") + line(18, "quorate-old"), ["17", "18"]],
  ] as const) {
    it(`finds ${title}`, () => {
      expect(idsNamed("quorate-old", list)).to.deep.equal(ids);
    });
  }
});
