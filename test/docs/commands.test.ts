import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { callCli } from "../support/cli.js";
import { allNodes, at } from "../support/nodes.js";
import { PATIENT } from "../support/patient.js";
import { eventually } from "../support/settle.js";
import { fencesOf } from "./markdown.js";
import { root } from "./project.js";

const page = (...path: readonly string[]): string => join(root, "docs", ...path);

/** What a page shows below `$ quorate COMMAND`, line by line. */
function shownBelow(command: string): readonly string[] {
  const shown = fencesOf(page("reference", "cli.md"))
    .filter(({ language }) => language === "console")
    .map(({ code }) => code.split("\n"));
  const [found, ...others] = shown.filter(([line]) => line?.startsWith(`$ quorate ${command}`));
  expect(others).to.deep.equal([]);
  return found?.slice(1) ?? [];
}

/** Without what differs from run to run: numbers, fingerprints, room. Three points stand for anything. */
const shapeOf = (line: string): string =>
  line
    .replace(/\.\.\.$/, "")
    .replaceAll(/\b[0-9a-f]{8}\b/g, "F")
    .replaceAll(/\d+(?:\.\d+)?/g, "0")
    .replaceAll(/warnings\b/g, "warning")
    .replaceAll(/\s+/g, " ")
    .trim();

/** `redis-cli -h HOST WORDS` of a page, without a comment. */
function redisCommandsOf(...path: readonly string[]): readonly (readonly string[])[] {
  const text = readFileSync(page(...path), "utf8");
  return [...text.matchAll(/redis-cli -h redis-a ([^\n`#]+)/g)].map(([, words = ""]) =>
    words.trim().split(" "),
  );
}

describe("the commands that pages show", function () {
  this.timeout(120_000);
  let fleet: RedisFleet;
  let locks: LockManager;

  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3, server: { clock: true } });
    locks = new LockManager(fleet.urls, PATIENT);
    await allNodes(locks);
  });
  after(async () => {
    await locks.close();
    await fleet.stop();
  });

  async function outputOf(...args: readonly string[]): Promise<string> {
    const { stdout } = await callCli(args, { QUORATE_NODES: fleet.urls.join(",") });
    const names = ["a:6379", "b:6379", "c:6379"];
    return fleet.nodes.reduce(
      (text, { port }, index) => text.replaceAll(`127.0.0.1:${port}`, at(names, index)),
      stdout,
    );
  }

  function expectShown(output: string, shown: readonly string[]): void {
    expect(shown).to.have.length.above(1);
    const shapes = output.split("\n").map(shapeOf);
    let from = 0;
    for (const line of shown) {
      const found = shapes.findIndex((each, index) => {
        return index >= from && each.startsWith(shapeOf(line));
      });
      expect(found, `${line}\nin:\n${output}`).to.be.at.least(0);
      from = found + 1;
    }
  }

  it("inspect", async () => {
    await using _ = await locks.acquire("nightly", { label: "web-1:4711", ttlMs: 30_000 });
    const others = [1, 2].map(() => new LockManager(fleet.urls, PATIENT));
    const stop = new AbortController();
    const calls = others.map((other) => other.acquire("nightly", { signal: stop.signal }));
    await eventually("both wait", async () => {
      return (await locks.inspect("nightly")).waitingCount === 2;
    });
    expectShown(await outputOf("inspect", "nightly"), shownBelow("inspect"));
    stop.abort();
    await Promise.allSettled(calls);
    await Promise.all(others.map((other) => other.close()));
  });

  it("ls", async () => {
    const options = { mode: "shared", label: "web-2:118" } as const;
    const readers = await Promise.all(
      [1, 2, 3, 4].map(async () => await locks.acquire("invoice:42", options)),
    );
    expectShown(await outputOf("ls", "invoice:*"), shownBelow("ls"));
    await Promise.all(readers.map((reader) => reader.release()));
  });

  it("doctor", async () => {
    at(fleet.nodes, 2).clock?.jump(1_523);
    expectShown(await outputOf("doctor"), shownBelow("doctor"));
    at(fleet.nodes, 2).clock?.jump(-1_523);
  });

  it("of Redis, while the list of nodes is changed: the record has these fields", async () => {
    const [remove = [], look = [], ...others] = redisCommandsOf("operate", "changing-nodes.md");
    expect(others).to.deep.equal([]);
    const node = at(fleet.nodes, 0);
    expect(await node.command(at(look, 0), ...look.slice(1))).to.be.a("string");
    expect(await node.command(at(remove, 0), ...remove.slice(1))).to.equal(remove.length - 2);
    expect(await node.command(at(look, 0), ...look.slice(1))).to.equal(null);
  });

  it("of Redis, to lower maxTtlMs: the record has that field", async () => {
    const [lower = []] = redisCommandsOf("operate", "restarts.md").filter(
      ([name]) => name === "HSET",
    );
    const [, key = "", field = ""] = lower;
    expect(await at(fleet.nodes, 0).command("HGET", key, field)).to.equal("60000");
  });

  it("to wait until a server votes: the doctor's JSON has these numbers", async () => {
    const text = readFileSync(page("operate", "restarts.md"), "utf8");
    const [, part = "", one = "", other = ""] =
      /doctor --json \| jq -e '\.(\w+) \| \.(\w+) == \.(\w+)'/.exec(text) ?? [];
    const json = JSON.parse(await outputOf("doctor", "--json")) as Record<
      string,
      Record<string, unknown>
    >;
    expect([json[part]?.[one], json[part]?.[other]]).to.deep.equal([3, 3]);
  });
});
