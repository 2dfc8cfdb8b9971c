import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { expect } from "chai";
import { calledIn, sizeOf } from "../../bench/trip/called.js";

describe("calledIn", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "quorate-trip-"));
  });

  afterEach(() => rm(folder, { recursive: true }));

  /** A module of three functions of which `outer` calls `inner` twice. */
  async function moduleIn(dir: string): Promise<{ readonly outer: () => void }> {
    const path = join(dir, "some.mjs");
    await writeFile(
      path,
      "const inner = () => 1; export function outer() { inner(); inner(); } export function unused() {}",
    );
    return import(pathToFileURL(path).href);
  }

  it("counts functions and calls, but neither the module nor what did not run", async () => {
    const { outer } = await moduleIn(folder);
    outer();
    const called = await calledIn(folder, async () => outer());
    expect(sizeOf(called)).to.deep.equal({ fileCount: 1, functionCount: 2, callCount: 3 });
    expect([...called.files.keys()]).to.deep.equal(["some.mjs"]);
  });

  it("counts nothing of other folders", async () => {
    const { outer } = await moduleIn(folder);
    const called = await calledIn(join(folder, "other"), async () => outer());
    expect(sizeOf(called)).to.deep.equal({ fileCount: 0, functionCount: 0, callCount: 0 });
  });
});
