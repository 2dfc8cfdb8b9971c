import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect } from "chai";
import { pages, root } from "./project.js";

/**
 * A word that means something else here, in a kind of place, and the word that is meant. The words and their meanings are in
 * docs/internals/protocol.md, "Words".
 */
const WORDS: readonly (readonly [word: RegExp, places: readonly string[], instead: string])[] = [
  // Redis Cluster has slots; a semaphore has permits.
  [
    /(?<!cross)slot/i,
    ["src/coordinator", "src/kinds", "src/script", "src/manager", "src/api"],
    "permit",
  ],
  [
    /\bhand(?:s|ed|ing)?[ -]over|handsOver|HandOver/,
    ["src/coordinator", "src/kinds", "src/script"],
    "pass on",
  ],
  [/take-?over/i, ["src"], "adopt, from a process that hands over; take over, from an overdue one"],
  [
    /validity[. _-]margin|margin of (?:the )?validity/i,
    ["src", "docs", "README.md"],
    "remaining validity",
  ],
  // Of clocks: how much longer than its lock a key lives.
  [/margin/i, ["docs/operate/alerts.md", "docs/operate/grafana/alerts.yml"], "remaining validity"],
  [/preempt/i, ["src/api", "src/cli", "docs", "README.md"], "steal"],
  [/\bpermit slots?\b|\bslots? of (?:a|the) semaphore/i, ["src", "docs", "README.md"], "permit"],
  [
    /`(?:locks\.)?query`/,
    ["docs", "README.md"],
    "inspect: query() is what the Web Locks API calls so",
  ],
  [
    /\b(?:locked|held|taken) node\b|\bnode (?:is|in) (?:jail|penalty)/i,
    ["src", "docs", "README.md"],
    "quarantined",
  ],
  [/\brenewal (?:lag|delay)s?\b/i, ["src", "docs", "README.md"], "late"],
];

/** Where the other meaning is the one that is meant. */
const EXCEPTIONS: readonly (readonly [path: RegExp, word: RegExp])[] = [
  // Of the hash slot that the keys of a name share.
  [/^src\/script\//, /(?:slot of the name|one slot|same slot|hash slot)/i],
  [/^src\/(?:kinds|manager|api)\//, /(?:hash slot|one slot|hashSlot|isOneSlot|keySlot)/i],
  // What happens inside, for those who read how.
  [/^docs\/(?:internals\/|reference\/guarantees|explain\/performance)/, /preempt/i],
];

function filesIn(place: string): string[] {
  if (/\.\w+$/.test(place)) return [place];
  if (place === "docs") return pages.filter((page) => page.startsWith("docs/"));
  return readdirSync(join(root, place), { recursive: true, encoding: "utf8" })
    .map((name) => posix.join(place, name.replaceAll("\\", "/")))
    .filter((name) => /\.(?:ts|lua)$/.test(name) && !name.endsWith("embedded-lua.ts"));
}

/** The lines of a text in which a word has the wrong meaning. */
function misused(path: string, text: string, word: RegExp): string[] {
  const isExcepted = (line: string): boolean =>
    EXCEPTIONS.some(([where, how]) => where.test(path) && how.test(line));
  return text.split("\n").filter((line) => word.test(line) && !isExcepted(line));
}

describe("words with one meaning", () => {
  for (const [word, places, instead] of WORDS) {
    it(`${word.source} in ${places.join(", ")}: ${instead}`, () => {
      for (const path of new Set(places.flatMap(filesIn))) {
        const text = readFileSync(join(root, path), "utf8");
        expect(misused(path, text, word), `${path}: say ${instead}`).to.deep.equal([]);
      }
    });
  }

  it("would be found", () => {
    const line = "the slot is taken, in the hash slot of the name";
    expect(misused("src/coordinator/a.ts", line, /slot/i)).to.deep.equal([line]);
    expect(misused("src/script/a.lua", line, /slot/i)).to.deep.equal([]);
    expect(filesIn("src/coordinator").length).to.be.above(20);
    expect(filesIn("docs").length).to.be.above(20);
  });
});
