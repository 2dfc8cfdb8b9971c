import { once } from "node:events";
import { createServer } from "node:net";
import { expect } from "chai";
import { findFreePort } from "../../src/testing/free-port.js";

describe("findFreePort", () => {
  it("finds ports one can listen on, with room for a cluster bus port", async () => {
    for (let i = 0; i < 5; i++) {
      const port = await findFreePort();
      expect(port).to.be.within(1024, 55_535);
      const server = createServer().listen(port, "127.0.0.1");
      await once(server, "listening");
      server.close();
    }
  });
});
