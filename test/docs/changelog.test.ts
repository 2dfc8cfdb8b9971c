import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "./project.js";

const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), "utf8");

/** What the workflow publishes as the notes of a version, by its own command. */
function releaseNotes(version: string): string {
  const [, program = ""] = /awk -v version=\S+ '([^']+)'/.exec(
    read(".github", "workflows", "release.yml"),
  ) ?? [""];
  return execFileSync("awk", ["-v", `version=${version}`, program, join(root, "CHANGELOG.md")], {
    encoding: "utf8",
  });
}

describe("CHANGELOG.md", () => {
  const { version } = JSON.parse(read("package.json")) as { version: string };

  it("has a section for the version of the package, which becomes its release notes", () => {
    expect(releaseNotes(version)).to.match(/^- /m);
  });

  it("says what the first version has in no more than fifteen lines", () => {
    expect(releaseNotes("0.1.0").match(/^- /gm)).to.have.length.within(10, 15);
  });

  it("has none for a version that is not there", () => {
    expect(releaseNotes("999.0.0")).to.equal("");
  });
});
