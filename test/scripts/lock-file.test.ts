import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../docs/project.js";

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** What a package needs and the lock file does not have where Node.js would look for it. */
function missingIn(packages: Readonly<Record<string, Locked>>): string[] {
  const isFound = (from: string, name: string): boolean => {
    for (let dir = from; ; dir = dir.slice(0, Math.max(0, dir.lastIndexOf("node_modules/") - 1))) {
      if (packages[`${dir === "" ? "" : `${dir}/`}node_modules/${name}`] !== undefined) return true;
      if (dir === "") return false;
    }
  };
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isFound(path, name))
      .map((name) => `${path} needs ${name}`),
  );
}

// `npm ci` refuses a lock file without the builds for other systems, which npm leaves out where it updates one beside a
// `node_modules`. To mend one: delete the package's entries, and run `npm install --package-lock-only` without that folder.
describe("the lock file", () => {
  for (const folder of [".", "site"]) {
    it(`of ${folder} has everything, for all systems`, () => {
      const text = readFileSync(join(root, folder, "package-lock.json"), "utf8");
      const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
      expect(Object.keys(packages)).to.have.length.above(20);
      expect(missingIn(packages)).to.deep.equal([]);
    });
  }

  it("would be seen to lack something", () => {
    const packages = {
      "": { dependencies: { a: "1" } },
      "node_modules/a": { dependencies: { b: "1" }, optionalDependencies: { "@c/linux": "1" } },
      "node_modules/a/node_modules/b": {},
    };
    expect(missingIn(packages)).to.deep.equal(["node_modules/a needs @c/linux"]);
  });
});
