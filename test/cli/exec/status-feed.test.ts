import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { StatusFeed } from "../../../src/cli/exec/status-feed.js";
import { expectSchema } from "../../support/cli-schema.js";

describe("A status feed", () => {
  let dir: string;
  beforeEach(() => (dir = mkdtempSync(join(tmpdir(), "quorate-feed-"))));
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it("is a line of JSON for each event, in order", async () => {
    const fd = openSync(join(dir, "feed"), "w");
    const feed = new StatusFeed(fd);
    feed.tell({ event: "waiting" });
    feed.tell({ event: "acquired", fencingToken: 7, validMs: 29_697.8 });
    for (let at = 0; at < 100; at++) feed.tell({ event: "renewed", fencingToken: 7, validMs: 1 });
    feed.tell({ event: "stopping", fencingToken: 7, validMs: 0, reason: "gone" });
    await feed.flush(5_000);
    closeSync(fd);
    const lines = readFileSync(join(dir, "feed"), "utf8").trim().split("\n");
    const events = lines.map((line) => expectSchema("status", line) as Record<string, unknown>);
    expect(events).to.have.length(103);
    expect(events[0]).to.have.keys("event", "atMs");
    expect(events[1]).to.include({ event: "acquired", fencingToken: 7, validMs: 29_697 });
    expect(events[102]).to.include({ event: "stopping", validMs: 0, reason: "gone" });
  });

  it("says nothing where nobody listens, and does not mind a reader that is gone", async () => {
    const none = new StatusFeed(undefined);
    none.tell({ event: "waiting" });
    await none.flush(5_000);
    const fd = openSync(join(dir, "feed"), "w");
    closeSync(fd);
    const closed = new StatusFeed(fd);
    closed.tell({ event: "waiting" });
    await closed.flush(5_000);
  });

  it("loses and repeats nothing where a pipe takes only a part at a time", async function () {
    if (process.platform === "win32") this.skip();
    const pipe = join(dir, "pipe");
    execFileSync("mkfifo", [pipe]);
    // Both ends, so that neither opening waits for the other.
    const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const feed = new StatusFeed(fd);
    const count = 600;
    // Far more than a pipe holds, in one text: the first line is being written when the others come.
    for (let at = 0; at < count; at++) {
      feed.tell({ event: "renewed", fencingToken: at, reason: "r".repeat(300) });
    }
    let received = "";
    const buffer = Buffer.alloc(10_000);
    const isComplete = (): boolean => received.split("\n").length > count;
    while (!isComplete()) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      try {
        received += buffer.toString("utf8", 0, readSync(fd, buffer));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      }
    }
    await feed.flush(5_000);
    closeSync(fd);
    const lines = received.trimEnd().split("\n");
    const tokens = lines.map((line) => (JSON.parse(line) as { fencingToken: number }).fencingToken);
    expect(tokens).to.deep.equal(Array.from({ length: count }, (_, at) => at));
  });
});
