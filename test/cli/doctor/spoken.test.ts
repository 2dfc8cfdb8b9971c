import { readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { expect } from "chai";
import { spokenAt, type Port, type Spoken } from "../../../src/cli/doctor/spoken.js";
import { makeCertificates, type Certificates } from "../../support/certificates.js";

/** Answers each text with that; undefined: says nothing. */
function answering(text: string | undefined): Server {
  return createServer((socket) => {
    socket.on("data", () => text !== undefined && socket.write(text));
  });
}

describe("What a port speaks, other than what was expected,", () => {
  const sockets = new Set<Socket>();
  let certificates: Certificates;
  let server: Server | undefined;

  before(async () => (certificates = await makeCertificates()));
  after(() => certificates[Symbol.asyncDispose]());
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) =>
      server === undefined ? resolve() : server.close(() => resolve()),
    );
    server = undefined;
  });

  function withTls(options: TlsOptions = {}): Server {
    const { cert, key } = certificates.files;
    const own = { cert: readFileSync(cert), key: readFileSync(key) };
    return createTlsServer({ ...own, ...options }, (socket) => socket.on("error", () => {})).on(
      "tlsClientError",
      () => {},
    );
  }

  async function portOf(opened: Server): Promise<Port> {
    server = opened;
    opened.on("connection", (socket: Socket) => {
      sockets.add(socket.on("error", () => {}));
      socket.once("close", () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => opened.listen(0, "127.0.0.1", resolve));
    const address = opened.address();
    if (address === null || typeof address === "string") throw new Error("it has a port");
    return { host: "127.0.0.1", port: address.port };
  }

  const ASKING: TlsOptions = { requestCert: true, rejectUnauthorized: true };
  const SERVERS: readonly (readonly [
    what: string,
    open: () => Server,
    withoutTls: Spoken,
    withTls: Spoken,
  ])[] = [
    ["a server with TLS", () => withTls(), "tls", undefined],
    ["one that asks for a certificate", () => withTls(ASKING), "tls", undefined],
    [
      "one that asks for a certificate, with TLS 1.2",
      () => withTls({ ...ASKING, maxVersion: "TLSv1.2" }),
      "tls",
      undefined,
    ],
    [
      "one that has no cipher in common",
      () => withTls({ maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES128-GCM-SHA256" }),
      "tls",
      undefined,
    ],
    ["a server without TLS", () => answering("+PONG\r\n"), undefined, "plain"],
    ["one that asks for a password", () => answering("-NOAUTH no\r\n"), undefined, "plain"],
    [
      "a server of something else",
      () => answering("HTTP/1.1 400 No\r\n\r\n"),
      undefined,
      undefined,
    ],
    ["one that says nothing", () => answering(undefined), undefined, undefined],
    ["one that hangs up", () => createServer((socket) => socket.destroy()), undefined, undefined],
  ];
  for (const [what, open, plainly, encrypted] of SERVERS) {
    it(`is told of ${what}`, async () => {
      const port = await portOf(open());
      expect(await spokenAt(port, false, 300), "a connection without TLS has failed").to.equal(
        plainly,
      );
      expect(await spokenAt(port, true, 300), "a connection with TLS has failed").to.equal(
        encrypted,
      );
    });
  }

  it("is nothing where nobody listens", async () => {
    const port = { host: "127.0.0.1", port: 1 };
    for (const isTls of [false, true]) {
      expect(await spokenAt(port, isTls, 60_000)).to.equal(undefined);
    }
  });
});
