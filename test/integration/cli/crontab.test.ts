import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { RedisFleet } from "../../../src/testing/index.js";
import { root } from "../../docs/project.js";
import { PATIENTLY, runCli } from "../../support/cli.js";
import { howMany } from "../../support/long.js";
import { StampFolder } from "../../support/watched-command.js";

/** Of which a scheduler starts the same job at the same time. */
const MACHINES = 6;
const ROUNDS = howMany(1, 3);

/** The words of the line for a crontab in docs/how-to/cron.md, from `exec` to `--`. */
function recipe(): readonly string[] {
  const page = readFileSync(join(root, "docs", "how-to", "cron.md"), "utf8");
  const [, words] = /```crontab\n.* quorate (exec .*) -- \S+\n```/.exec(page) ?? [];
  if (words === undefined) throw new Error("there is no line for a crontab in docs/how-to/cron.md");
  return words.split(" ");
}

describe("The line for a crontab", () => {
  it("runs the job once over all machines, and gives cron nothing to send", async () => {
    await using fleet = await RedisFleet.start({ nodes: 3 });
    using stamps = new StampFolder();
    const env = { QUORATE_NODES: fleet.urls.join(",") };
    const [exec = "", ...words] = recipe();
    for (let round = 0; round < ROUNDS; round++) {
      // Another name each time: the one of the round before stays locked for the minimum hold.
      const name = `report:${round}`;
      const args = words.map((word) => (word.includes("report") ? name : word));
      expect(args).to.include(name);
      const script = `echo ran >> ${stamps.file(name)}`;
      const results = await Promise.all(
        Array.from({ length: MACHINES }, () =>
          runCli([exec, ...PATIENTLY, ...args, "-c", script], { env }),
        ),
      );
      const quiet = { code: 0, signal: null, stdout: "", stderr: "" };
      expect(results).to.deep.equal(results.map(() => quiet));
      expect(stamps.text(name)).to.equal("ran\n");
    }
  }).timeout(120_000);
});
