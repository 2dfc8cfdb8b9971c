import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { root } from "./project.js";

const page = readFileSync(join(root, "docs", "reference", "cli.md"), "utf8");

function sectionOf(heading: string): string {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`no section ${heading}`);
  return section;
}

describe("docs/reference/cli.md", () => {
  it("lists every finding of the doctor, and no other", () => {
    const folder = join(root, "src", "cli", "doctor");
    const files = ["node-checks.ts", "fleet-checks.ts"].map((name) => join(folder, name));
    const text = files.map((file) => readFileSync(file, "utf8")).join("");
    const rows = [...sectionOf("doctor").matchAll(/^\| (`.*?`) \| (error|warning|note)/gm)];
    const listed = rows.flatMap(([, cell = ""]) => cell.replaceAll("`", "").split(", "));
    expect(listed).to.have.length.above(30);
    for (const code of listed) expect(text, code).to.include(`"${code}"`);
    const found = text.matchAll(/(?:"(?:error|warning|note)",\s*|code: )"([a-z-]+)"/g);
    expect(listed).to.include.members([...found].map(([, code]) => code));
  });
});
