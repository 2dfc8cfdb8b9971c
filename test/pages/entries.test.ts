import { expect } from "chai";
import { entryTables } from "../../pages/entries.js";
import * as fencing from "../../src/fencing/index.js";
import * as quorate from "../../src/index.js";
import * as cron from "../../src/integrations/cron/index.js";
import * as fastify from "../../src/integrations/fastify/index.js";
import * as nestjs from "../../src/integrations/nestjs/index.js";
import * as opentelemetry from "../../src/integrations/opentelemetry/index.js";
import * as redlock from "../../src/integrations/redlock/index.js";
import * as memory from "../../src/memory/index.js";
import * as testing from "../../src/testing/index.js";

const ENTRIES = { fencing, testing, memory, redlock, cron, nestjs, fastify, opentelemetry };

describe("the table of exports", () => {
  const { entries = "" } = entryTables();
  const parts = entries.split(/^(?=\| `quorate)/m).slice(1);

  for (const [name, module] of Object.entries({ "": quorate, ...ENTRIES })) {
    const entry = name === "" ? "quorate" : `quorate/${name}`;
    it(`has what ${entry} exports`, () => {
      const part = parts.find((each) => each.startsWith(`| \`${entry}\`:`)) ?? "";
      for (const each of Object.keys(module)) expect(part, each).to.include(`\`${each}\``);
    });
  }

  it("has an entry for each that package.json has", () => {
    expect(parts).to.have.length(Object.keys(ENTRIES).length + 1);
  });
});
