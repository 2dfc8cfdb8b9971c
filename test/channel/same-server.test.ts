import { expect } from "chai";
import type { Handshake } from "../../src/channel/node-connection.js";
import { ServerIdentities } from "../../src/channel/same-server.js";
import { handshakeReply } from "../support/scripted-transport.js";

const seenAs = (runId: string, id = "any"): Handshake => handshakeReply({ id }, { runId });

/** What the nodes have said, in their order. */
function seen(...handshakes: readonly Handshake[]): ServerIdentities {
  const servers = new ServerIdentities();
  for (const [index, handshake] of handshakes.entries()) servers.see(index, handshake);
  return servers;
}

describe("The servers of a list of nodes", () => {
  it("are found where one is given twice, and none is a duplicate of itself", () => {
    for (const known of [0, 1, 2]) {
      const servers = new ServerIdentities();
      servers.see(known, seenAs("run"));
      for (const index of [0, 1, 2]) {
        const twin = servers.duplicateOf(index, seenAs("run"));
        expect(twin, `${index}`).to.equal(index === known ? undefined : known);
        expect(servers.duplicateOf(index, seenAs("another"))).to.equal(undefined);
      }
    }
  });

  it("are those that the nodes were last", () => {
    const servers = seen(seenAs("run0"));
    expect(servers.see(0, seenAs("run0")), "the same").to.equal(false);
    expect(servers.see(0, seenAs("run9")), "another").to.equal(true);
    expect(servers.duplicateOf(1, seenAs("run0"))).to.equal(undefined);
    expect(servers.duplicateOf(1, seenAs("run9"))).to.equal(0);
  });

  it("are told apart by the random ids of their records where they do not name their run", () => {
    const servers = seen(seenAs("", "a"), seenAs("run1", "b"), seenAs("run2", "c"));
    expect(servers.duplicateOf(1, seenAs("", "a"))).to.equal(0);
    expect(servers.duplicateOf(1, seenAs("", "b"))).to.equal(undefined);
    expect(servers.duplicateOf(1, seenAs("", "c")), "it names its run").to.equal(undefined);
    expect(servers.duplicateOf(0, seenAs("", "a")), "itself").to.equal(undefined);
  });

  it("are nobody's twin as long as they have neither a run nor a record", () => {
    const bare = { ...seenAs(""), record: undefined };
    expect(seen(bare).duplicateOf(1, bare)).to.equal(undefined);
  });
});
