import { expect } from "chai";
import { serverIn, type Environment } from "../../bench/environment.js";
import { FULL } from "../../bench/plan.js";
import { preamble } from "../../bench/report.js";
import type { Results } from "../../bench/results.js";

const environment: Environment = {
  node: "v20.20.2",
  server: "Redis 7.0.15",
  os: "Linux 6",
  cpu: "2 x some processor",
  packages: { ioredis: "6.0.0" },
};

const PLACE = "Node v20.20.2, Redis 7.0.15, ioredis 6.0.0; Linux 6, 2 x some processor.";

const measured = { date: "2030-01-02T03:04:05Z", environment, series: [] };

describe("bench report", () => {
  it("says once where and when all was measured, where that is the same", () => {
    const results: Results = {
      held: { ...measured, plan: FULL.held },
      cold: { ...measured, plan: FULL.cold, date: "2030-01-02T23:00:00Z" },
    };
    expect(preamble(results)).to.match(
      new RegExp(`^- \`--part held\`, \`--part cold\`: 2030-01-02; ${PLACE}\n\nClients`),
    );
  });

  it("says it of each part, where they are of several runs", () => {
    const results: Results = {
      held: { ...measured, plan: FULL.held },
      waited: { ...measured, plan: FULL.waited, date: "2031-01-02T03:04:05Z" },
      cold: { ...measured, plan: FULL.cold },
    };
    const [first, second] = preamble(results).split("\n");
    expect(first).to.equal(`- \`--part held\`, \`--part cold\`: 2030-01-02; ${PLACE}`);
    expect(second).to.equal(`- \`--part waited\`: 2031-01-02; ${PLACE}`);
  });

  const infos: [info: string, server: string][] = [
    ["redis_version:7.2.6\r\nredis_mode:standalone\r\n", "Redis 7.2.6"],
    ["redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n", "Valkey 8.0.1"],
    ["# Server\r\n", "an unknown server"],
  ];
  for (const [info, server] of infos) {
    it(`knows ${server} by what it says of itself`, () => {
      expect(serverIn(info)).to.equal(server);
    });
  }
});
