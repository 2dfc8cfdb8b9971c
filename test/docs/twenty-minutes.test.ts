import { spawn, type ChildProcess } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { findRedisBinary } from "../../src/testing/redis-binary.js";
import { environment } from "../support/cli.js";
import { freePorts } from "../support/free-ports.js";
import { packInto } from "../support/packed.js";
import { root } from "./project.js";

const PAGE = join(root, "docs", "start", "twenty-minutes.md");

/** A block of the page: a file to save, or what is typed into a terminal, and what it shows. */
interface Step {
  readonly kind: "file" | "terminal";
  readonly name: string;
  readonly text: string;
}

/** What stands behind the language of a block says which terminal, or which file, it is. */
function stepsOf(page: string): readonly Step[] {
  const found = page.matchAll(/^```(\w+) (\S+)\n(.*?)^```$/gms);
  return [...found].map(([, language, name = "", text = ""]) => {
    return { kind: language === "console" ? "terminal" : "file", name, text };
  });
}

/** How long a terminal may take to show a line, ms. */
const PATIENCE_MS = 90_000;

class Terminal implements Disposable {
  readonly #shell: ChildProcess;
  #shown = "";
  /** How much of it was looked for already. */
  #seen = 0;

  constructor(cwd: string, env: NodeJS.ProcessEnv) {
    // A process group of its own, to end with all that runs in it.
    this.#shell = spawn("bash", ["--norc"], { cwd, env, detached: true });
    for (const stream of [this.#shell.stdout, this.#shell.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.#shown += chunk.toString()));
    }
  }

  type(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }

  /** Waits until it shows a line like that, after those before. */
  async shows(line: string): Promise<void> {
    const literal = (part: string): string =>
      part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const parts = line.split("…").map((part) => literal(part.trim()).replaceAll(/ +/g, " +"));
    const wanted = new RegExp(`^ *${parts.join(".*")}`, "m");
    for (const endMs = performance.now() + PATIENCE_MS; ; await sleep(50)) {
      const found = wanted.exec(this.#shown.slice(this.#seen));
      if (found !== null) {
        this.#seen += found.index + found[0].length;
        return;
      }
      if (performance.now() > endMs) throw new Error(`no "${line}" in:\n${this.#shown}`);
    }
  }

  [Symbol.dispose](): void {
    try {
      if (this.#shell.pid !== undefined) process.kill(-this.#shell.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

describe("docs/start/twenty-minutes.md", function () {
  this.timeout(300_000);
  let dir: string;
  const terminals = new Map<string, Terminal>();

  before(() => {
    dir = mkdtempSync(join(tmpdir(), "quorate-twenty-"));
    packInto(dir);
  });

  after(() => {
    for (const terminal of terminals.values()) terminal[Symbol.dispose]();
    for (const name of readdirSync(dir).filter((each) => each.endsWith(".pid"))) {
      process.kill(Number(readFileSync(join(dir, name), "utf8")));
    }
    rmSync(dir, { recursive: true, force: true });
  });

  it("does what it says, step by step", async () => {
    const [one, two, three] = await freePorts(3);
    const own = (text: string): string =>
      text
        .replaceAll("7001", String(one))
        .replaceAll("7002", String(two))
        .replaceAll("7003", String(three))
        // Its processes are killed by that name.
        .replaceAll("worker.mjs", `worker-${process.pid}.mjs`);
    const bin = join(dir, "bin");
    mkdirSync(bin);
    symlinkSync(findRedisBinary(), join(bin, "redis-server"));
    const env = environment({ PATH: `${bin}:${process.env["PATH"]}`, CI: undefined });
    const terminalOf = (name: string): Terminal => {
      const terminal = terminals.get(name) ?? new Terminal(dir, env);
      terminals.set(name, terminal);
      return terminal;
    };

    const steps = stepsOf(readFileSync(PAGE, "utf8"));
    expect(steps.length).to.be.above(12);
    for (const { kind, name, text } of steps) {
      if (kind === "file") writeFileSync(join(dir, own(name)), own(text));
      else {
        for (const line of own(text).trimEnd().split("\n")) {
          if (line.startsWith("$ ")) terminalOf(name).type(line.slice(2));
          else await terminalOf(name).shows(line);
        }
      }
    }
    expect(existsSync(join(dir, "node_modules", "quorate", "package.json"))).to.equal(true);
  });
});
