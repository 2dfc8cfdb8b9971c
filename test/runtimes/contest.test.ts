import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "chai";
import { LockManager } from "../../src/index.js";
import { RedisFleet } from "../../src/testing/index.js";
import { packageDist } from "../support/package.js";
import { eventually } from "../support/settle.js";
import { given } from "./given.js";
import { CLIENTS, type ClientName, type Terms } from "./contestant.js";

// Without those that are given, the runtime of the tests runs what the package would have.
const RUNTIMES = given?.runtimes ?? { [`Node.js ${process.version}`]: [process.execPath] };
const NAMES = Object.keys(RUNTIMES);
const CLIENT_NAMES = (given === undefined ? ["a URL"] : Object.keys(CLIENTS)) as ClientName[];

/** No stall of the machine outlasts what a renewal leaves. */
const TTL_MS = 4_000;
/** For what has no pace of its own. */
const END_MS = 60_000;
const GRANT_COUNT = 5;

/** A process, and what it has said. */
class Contestant {
  readonly tokens: number[] = [];
  readonly failures: string[] = [];
  kept: number | undefined;
  loss: unknown;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #closed: Promise<unknown[]>;

  constructor([program, ...args]: readonly string[], terms: Omit<Terms, "quorate">) {
    const own = fileURLToPath(new URL("contestant.js", import.meta.url));
    const script = given === undefined ? own : join(given.consumer, "contestant.mjs");
    const quorate =
      given === undefined ? pathToFileURL(join(packageDist(), "index.js")).href : "quorate";
    this.#child = spawn(program ?? "", [...args, script], {
      cwd: given?.consumer,
      env: { ...process.env, TERMS: JSON.stringify({ ...terms, quorate }) },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#closed = once(this.#child, "close");
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#hear(line));
  }

  #hear(line: string): void {
    const said = JSON.parse(line) as Record<string, string | number>;
    if (typeof said["token"] === "number") this.tokens.push(said["token"]);
    else if (typeof said["kept"] === "number") this.kept = said["kept"];
    else if (said["lost"] !== undefined) this.loss = said;
    else this.failures.push(line);
  }

  do(task: "contend" | "keep"): void {
    this.#child.stdin.write(`${task}\n`);
  }

  /** Resolves to the exit code, or the signal. */
  async end(): Promise<unknown> {
    this.#child.stdin.end();
    return this.#ending();
  }

  async kill(): Promise<unknown> {
    this.#child.kill("SIGKILL");
    return this.#ending();
  }

  async #ending(): Promise<unknown> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), END_MS);
    const [code, signal] = await this.#closed;
    clearTimeout(timer);
    return code ?? signal;
  }
}

describe("Two processes of the package, whatever runs them", function () {
  this.timeout(4 * END_MS);
  let fleet: RedisFleet;
  let dir: string;
  before(async () => {
    fleet = await RedisFleet.start({ nodes: 3 });
    dir = mkdtempSync(join(tmpdir(), "quorate-contest-"));
  });
  after(async () => {
    await fleet.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function contest(killedBy: string, takerBy: string, client: ClientName): Promise<void> {
    const terms = { client, urls: fleet.urls, ttlMs: TTL_MS, dir };
    const both = [killedBy, takerBy].map((name) => new Contestant(RUNTIMES[name] ?? [], terms));
    const [killed, taker] = both as [Contestant, Contestant];
    const failures = (): string[] => both.flatMap((each) => each.failures);
    const until = (what: string, isTrue: () => boolean): Promise<void> =>
      eventually(what, () => isTrue() || failures().length > 0, END_MS);
    try {
      for (const each of both) each.do("contend");
      const hasEnough = ({ tokens }: Contestant): boolean => tokens.length >= GRANT_COUNT;
      await until("each had the lock again and again", () => both.every(hasEnough));
      killed.do("keep");
      await until("one keeps it", () => killed.kept !== undefined);
      const tokens = both.flatMap((each) => each.tokens);
      taker.do("keep");
      expect(await killed.kill()).to.equal("SIGKILL");
      await until("the other one takes over", () => taker.kept !== undefined);
      expect(new Set(tokens)).to.have.property("size", tokens.length);
      expect(killed.kept).to.be.above(Math.max(...tokens));
      expect(taker.kept).to.be.above(killed.kept ?? Number.NaN);

      await using thief = new LockManager(fleet.urls);
      await thief.request("contended", { steal: true }, () => {});
      await until("the loss is told", () => taker.loss !== undefined);
      const { lost, isHeld } = taker.loss as { lost: string; isHeld: boolean };
      expect({ lost, isHeld }).to.deep.equal({ lost: "QUORATE_LOST", isHeld: false });
      expect(failures()).to.deep.equal([]);
      expect(await taker.end(), "how it ended by itself").to.equal(0);
    } finally {
      await Promise.all(both.map((each) => each.kill()));
    }
  }

  NAMES.forEach((killedBy, at) => {
    const takerBy = NAMES[(at + 1) % NAMES.length] ?? killedBy;
    for (const client of CLIENT_NAMES) {
      it(`compete; one is killed, the other takes over and learns of its loss: ${killedBy}, then ${takerBy}, nodes as ${client}`, () =>
        contest(killedBy, takerBy, client));
    }
  });
});
