import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { root } from "../docs/project.js";
import { callCommand, type Command } from "../support/sim/command.js";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The compiled program that a script starts, once it has found a server. */
const compiled = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const script = (name: string): string => join(root, "scripts", `${name}.mjs`);

/** How a program ends with these arguments. */
type Program = (args: readonly string[]) => Promise<Ended>;

const started =
  (file: string): Program =>
  (args) =>
    new Promise((resolve) => {
      execFile(process.execPath, [file, ...args], { cwd: root }, (error, stdout, stderr) => {
        const code = error === null ? 0 : Number(error.code ?? Number.NaN);
        resolve({ code, stdout, stderr });
      });
    });

/** The commands of the simulator that test/sim/cli starts, too; to load it takes longest of all. */
const called =
  (name: Command): Program =>
  async (args) => {
    const { code, out, err } = await callCommand(name, ...args);
    return { code: code ?? Number.NaN, stdout: out, stderr: err };
  };

const PROGRAMS: Readonly<Record<string, Program>> = {
  demo: started(script("demo")),
  pictures: started(script("pictures")),
  playground: started(script("playground")),
  reference: started(script("reference")),
  reproduce: started(script("reproduce")),
  sbom: started(script("sbom")),
  site: started(script("site")),
  "test:servers": started(script("test-servers")),
  "test:runtimes": started(script("test-runtimes")),
  bench: started(compiled("bench/main.js")),
  compare: started(compiled("bench/compare/main.js")),
  chaos: started(compiled("chaos/main.js")),
  simulate: called("simulate"),
  replay: called("replay"),
  exhaust: started(script("exhaust")),
};

describe("the programs that npm runs", function () {
  this.timeout(120_000);

  for (const [name, program] of Object.entries(PROGRAMS)) {
    it(`${name} explains itself`, async () => {
      const { code, stdout, stderr } = await program(["--help"]);
      expect(stdout).to.match(new RegExp(`^(usage: )?npm run ${name}\\b`));
      expect(stderr).to.equal("");
      expect(code).to.equal(0);
    });

    it(`${name} names an argument that it does not know`, async () => {
      const { code, stderr } = await program(["--no-such"]);
      expect(stderr).to.include("'--no-such'").and.include(`npm run ${name}`);
      expect(stderr).to.not.match(/^ +at /m);
      expect(code).to.be.within(1, 3);
    });
  }

  it("none takes a word that means nothing to it", async () => {
    const { replay: _, ...others } = PROGRAMS;
    for (const program of Object.values(others)) {
      const { code, stderr } = await program(["something"]);
      expect(stderr).to.include("'something'");
      expect(code).to.be.within(1, 3);
    }
    const { code, stderr } = await called("replay")(["a.json", "b.json"]);
    expect(stderr).to.include("b.json");
    expect(code).to.equal(3);
  });
});
