import { createServer } from "node:net";
import { expect } from "chai";
import { RedisProcess } from "../../src/testing/index.js";
import { providerContract } from "./provider-contract.js";
import { rejection } from "./raw-client.js";

describe("the process provider", () => {
  providerContract("process");

  it("fails when the port it was given is taken", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => holder.once("listening", resolve));
    const address = holder.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    expect((await rejection(RedisProcess.start({ port }))).name).to.equal("PortTakenError");
    holder.close();
  });

  it("fails when its program is missing", async () => {
    const error = await rejection(RedisProcess.start({ binary: "/no/such/redis-server" }));
    expect(error.message).to.match(/cannot run \/no\/such\/redis-server/);
  });
});
