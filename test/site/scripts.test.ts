import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "../docs/project.js";

describe("the scripts that npm runs", function () {
  this.timeout(60_000);

  /** Those that compile nothing before they read their arguments. */
  for (const name of ["demo", "playground", "site"]) {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [join(root, "scripts", `${name}.mjs`), ...args], {
        encoding: "utf8",
      });

    it(`${name} explains itself`, () => {
      const { status, stdout } = run("--help");
      expect(stdout).to.match(new RegExp(`^npm run ${name}\\b`));
      expect(status).to.equal(0);
    });

    it(`${name} names an argument that it does not know`, () => {
      for (const argument of ["--no-such", "something"]) {
        const { status, stderr } = run(argument);
        expect(stderr).to.include(`'${argument}'`).and.include(`npm run ${name}`);
        expect(stderr).to.not.match(/^ +at /m);
        expect(status).to.equal(2);
      }
    });
  }
});
