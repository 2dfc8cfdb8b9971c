import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { HANDSHAKE_SCRIPT } from "../../src/script/embedded-lua.js";

/** How the server differs from Redis, as Lua that is run before the handshake's script. */
export const ALTERATIONS = {
  noRunId: `local redis = setmetatable({ pcall = function(name, ...)
    local reply = redis.pcall(name, ...)
    return name == 'INFO' and string.gsub(reply, 'run_id:%w+', 'run:none') or reply
  end }, { __index = redis })\n`,
  noInfo: `local redis = setmetatable({ pcall = function(name, ...)
    if name == 'INFO' then return { err = 'ERR This Redis command is not allowed from script' } end
    return redis.pcall(name, ...)
  end }, { __index = redis })\n`,
  garnet: `local redis = setmetatable({ pcall = function(name, ...)
    local reply = redis.pcall(name, ...)
    return name == 'INFO' and string.gsub(reply, 'redis_version:', 'garnet_version:1.0.90\\r\\nredis_version:') or reply
  end }, { __index = redis })\n`,
  slots: `local redis = setmetatable({ pcall = function(name, ...)
    local reply = redis.pcall(name, ...)
    return name == 'INFO' and string.gsub(reply, '_mode:cluster', '_mode:standalone') or reply
  end }, { __index = redis })\n`,
  noUndeclaredKeys: `local redis = setmetatable({ pcall = function(name, ...)
    if string.find(tostring((...)), ':none', 1, true) then
      return { err = 'ERR script tried accessing undeclared key' }
    end
    return redis.pcall(name, ...)
  end }, { __index = redis })\n`,
} as const;

export type Alteration = keyof typeof ALTERATIONS;

/** A real server behind a proxy that makes it answer the handshake as another kind of server does. */
export class AlteredServer implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async start(port: number, alteration: Alteration): Promise<AlteredServer> {
    const script = ALTERATIONS[alteration] + HANDSHAKE_SCRIPT;
    const [from, to] = [bulk(HANDSHAKE_SCRIPT), bulk(script)];
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const target = connect(port, "127.0.0.1");
      let held = Buffer.alloc(0);
      for (const socket of [client, target]) {
        sockets.add(socket);
        socket
          .on("error", () => {})
          .on("close", () => [client, target].map((each) => each.destroy()));
      }
      target.on("data", (chunk) => client.write(chunk));
      client.on("data", (chunk) => {
        held = Buffer.concat([held, chunk]);
        const at = held.indexOf(from);
        // The script may come in parts; its beginning is in no other command.
        if (at === -1 && held.includes(from.subarray(0, 40)) && held.length < 1e6) return;
        const parts =
          at === -1 ? [held] : [held.subarray(0, at), to, held.subarray(at + from.length)];
        held = Buffer.alloc(0);
        for (const part of parts) target.write(part);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new AlteredServer(server, sockets);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

function bulk(text: string): Buffer {
  return Buffer.from(`$${Buffer.byteLength(text)}\r\n${text}\r\n`);
}
