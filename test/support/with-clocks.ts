import type { Suite } from "mocha";
import { clockShim } from "../../src/testing/clock-shim.js";
import { UnavailableError } from "../../src/testing/index.js";

const reason = await whyNoClock();

/** A suite with servers whose clocks can be set; skipped, with the reason in its title, where none can be. */
export function describeWithClocks(title: string, body: (this: Suite) => void): void {
  const suite = reason === undefined ? describe : describe.skip;
  suite(reason === undefined ? title : `${title} (skipped: ${reason})`, function (this: Suite) {
    this.timeout(60_000);
    body.call(this);
  });
}

/** Why no clock can be changed here, or undefined. */
async function whyNoClock(): Promise<string | undefined> {
  try {
    await clockShim();
    return undefined;
  } catch (error) {
    if (error instanceof UnavailableError) return error.message.split("\n")[0];
    throw error;
  }
}
