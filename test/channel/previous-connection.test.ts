import { expect } from "chai";
import { connectionsToEnd } from "../../src/channel/previous-connection.js";

const OLD = { name: "quorate-old", connectionId: "17" };

describe("connectionsToEnd", () => {
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
      const request = { connectionName: "quorate-new", previous: OLD };
      expect(connectionsToEnd(request, list)).to.deep.equal(ids);
    });
  }

  it("finds nothing before there was one, and not the connection itself", () => {
    const list = line(17, "quorate-old");
    const connectionName = "quorate-new";
    expect(connectionsToEnd({ connectionName, previous: undefined }, list)).to.deep.equal([]);
    expect(connectionsToEnd({ connectionName: OLD.name, previous: OLD }, list)).to.deep.equal([]);
  });
});
