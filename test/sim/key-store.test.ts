import { expect } from "chai";
import { KeyStore } from "../../src/sim/key-store.js";

describe("a simulated node's keys", () => {
  it("live through the last millisecond of their ttl, and no longer", () => {
    const keys = new KeyStore(() => {});
    keys.set("k", "A", 1_000, 500);
    expect(keys.get("k", 1_500)?.text).to.equal("A");
    expect(keys.get("k", 1_501)).to.equal(undefined);
  });

  it("tell of every change, with what was there before and was alive", () => {
    const changes: string[] = [];
    const keys = new KeyStore((key, before, after) => {
      changes.push(`${key}: ${before?.text} -> ${after?.text}`);
    });
    keys.set("k", "A", 0, 10);
    keys.set("k", "B", 5, 10);
    keys.sweep(15);
    keys.sweep(16);
    keys.set("k", "C", 20, 10);
    keys.set("k", "D", 31, 10);
    keys.delete("k", 31);
    keys.delete("k", 31);
    keys.set("l", "E", 40, 10);
    keys.clear();
    expect(changes).to.deep.equal([
      ...["k: undefined -> A", "k: A -> B", "k: B -> undefined"],
      ...["k: undefined -> C", "k: undefined -> D", "k: D -> undefined"],
      ...["l: undefined -> E", "l: E -> undefined"],
    ]);
  });

  it("go back to an earlier state, and tell what that changes", () => {
    const changes: string[] = [];
    const keys = new KeyStore((key, before, after) => {
      changes.push(`${key}: ${before?.text} -> ${after?.text}`);
    });
    for (const key of ["kept", "changed", "deleted"]) keys.set(key, "A", 0, 10);
    const saved = [...keys.entries()];
    keys.set("changed", "B", 1, 10);
    keys.delete("deleted", 1);
    keys.set("new", "C", 1, 10);
    changes.length = 0;
    keys.restore(saved);
    expect(changes).to.have.members([
      ...["changed: B -> A", "deleted: undefined -> A", "new: C -> undefined"],
    ]);
    expect([...keys.entries()]).to.deep.equal(saved);
  });
});
