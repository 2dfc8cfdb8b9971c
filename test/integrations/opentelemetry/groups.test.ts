import { once } from "node:events";
import { expect } from "chai";
import { groupByPrefix, Groups, OTHER } from "../../../src/integrations/opentelemetry/groups.js";

describe("Groups", () => {
  it("are by default what is before the first :, / or .", () => {
    for (const [name, group] of [
      ["invoice:42", "invoice"],
      ["tenant/7/job", "tenant"],
      ["cache.users", "cache"],
      ["plain", "plain"],
      ["a:b/c", "a"],
    ] as const) {
      expect(new Groups(groupByPrefix).of([name]), name).to.equal(group);
    }
    expect(new Groups(groupByPrefix).of([":nothing before"])).to.equal(OTHER);
    expect(new Groups(groupByPrefix).of(["a:1", "b:2"])).to.equal("a");
  });

  it("are 101 at most for 10,000 names, and those beyond them are counted", () => {
    const groups = new Groups((name) => name);
    let overflowCount = 0;
    groups.onOverflow = () => overflowCount++;
    const names = Array.from({ length: 10_000 }, (_, index) => `name-${index}`);
    const seen = new Set(names.map((name) => groups.of([name])));
    expect(seen.size).to.equal(101);
    expect(seen.has(OTHER)).to.equal(true);
    expect(overflowCount).to.equal(9_900);
    // What was known before stays what it was.
    expect(groups.of(["name-0"])).to.equal("name-0");
  });

  it("are `other` where the function throws or returns no string, with one warning", async () => {
    const bad: ((name: string) => string)[] = [
      () => {
        throw new Error("of its own");
      },
      () => {
        throw Object.create(null) as Error;
      },
      () => 7 as unknown as string,
      () => null as unknown as string,
      () => undefined as unknown as string,
    ];
    for (const group of bad) {
      const warned = once(process, "warning");
      const groups = new Groups(group);
      expect([groups.of(["a"]), groups.of(["b"])]).to.deep.equal([OTHER, OTHER]);
      const [warning] = (await warned) as [Error & { code: string }];
      expect(warning.code).to.equal("QUORATE_TELEMETRY_GROUP");
      expect(warning.message).to.match(
        /^`group` must return a string: it (?:threw|returned) .*; these locks are counted as "other"$/,
      );
      let count = 0;
      const onWarning = (): void => void count++;
      process.on("warning", onWarning);
      groups.of(["c"]);
      await new Promise(setImmediate);
      process.off("warning", onWarning);
      expect(count).to.equal(0);
    }
  });
});
