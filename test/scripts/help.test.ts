import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { root } from "../docs/project.js";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The compiled program that a script starts, once it has found a server. */
const compiled = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const script = (name: string): string => join(root, "scripts", `${name}.mjs`);
const simulated = (name: string): readonly string[] => [
  compiled("test/support/sim/run-command.js"),
  name,
];

const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  demo: [script("demo")],
  pictures: [script("pictures")],
  playground: [script("playground")],
  reference: [script("reference")],
  reproduce: [script("reproduce")],
  sbom: [script("sbom")],
  site: [script("site")],
  "test:servers": [script("test-servers")],
  "test:runtimes": [script("test-runtimes")],
  bench: [compiled("bench/main.js")],
  compare: [compiled("bench/compare/main.js")],
  chaos: [compiled("chaos/main.js")],
  simulate: simulated("simulate"),
  replay: simulated("replay"),
  exhaust: simulated("exhaust"),
};

const run = (args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? Number.NaN);
      resolve({ code, stdout, stderr });
    });
  });

describe("the programs that npm runs", function () {
  this.timeout(120_000);

  for (const [name, args] of Object.entries(PROGRAMS)) {
    it(`${name} explains itself`, async () => {
      const { code, stdout, stderr } = await run([...args, "--help"]);
      expect(stdout).to.match(new RegExp(`^(usage: )?npm run ${name}\\b`));
      expect(stderr).to.equal("");
      expect(code).to.equal(0);
    });

    it(`${name} names an argument that it does not know`, async () => {
      const { code, stderr } = await run([...args, "--no-such"]);
      expect(stderr).to.include("'--no-such'").and.include(`npm run ${name}`);
      expect(stderr).to.not.match(/^ +at /m);
      expect(code).to.be.within(1, 3);
    });
  }

  it("none takes a word that means nothing to it", async () => {
    const { replay, ...others } = PROGRAMS;
    const ends = await Promise.all(
      Object.values(others).map((args) => run([...args, "something"])),
    );
    for (const { code, stderr } of ends) {
      expect(stderr).to.include("'something'");
      expect(code).to.be.within(1, 3);
    }
    const { code, stderr } = await run([...(replay ?? []), "a.json", "b.json"]);
    expect(stderr).to.include("b.json");
    expect(code).to.equal(3);
  });
});
