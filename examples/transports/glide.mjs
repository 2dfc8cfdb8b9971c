/*
 * A transport over GLIDE, which reconnects by itself, may overtake one call with another, and words errors in its own way.
 * This makes up for all three, so each connection has one call under way at a time. It has no `subscribe`, because GLIDE
 * does not tell when messages were lost: waiters poll.
 */
import { Batch, GlideClient } from "@valkey/valkey-glide";

/** What GLIDE calls errors whose code Quorate acts on. */
const CODES = {
  BusyLoadingError: "LOADING",
  NoScriptError: "NOSCRIPT",
  PermissionDenied: "NOPERM",
  ReadOnly: "READONLY",
  ResponseError: "ERR",
};
const LOST = new Error("the connection was lost");

export function transportTo(host, port) {
  return {
    name: `${host}:${port}`,
    connect({ onOpen, onClose }) {
      let client;
      let id;
      let isOver = false;
      // GLIDE may overtake one call with another: each is sent when the one before is answered.
      let previous = Promise.resolve();
      const end = (reason) => {
        if (isOver) return;
        isOver = true;
        clearInterval(watch);
        client?.close();
        setImmediate(() => onClose(reason));
      };
      // GLIDE reconnects by itself. The server's id of the connection tells that.
      const send = async (...words) => {
        const both = new Batch(false).customCommand(["CLIENT", "ID"]).customCommand(words);
        const [over, reply] = await client.exec(both, false);
        if (isOver || over !== id) throw LOST;
        return reply;
      };
      const watch = setInterval(() => void send("PING").catch(end), 1_000);
      const open = async () => {
        client = await GlideClient.createClient({
          addresses: [{ host, port }],
          requestTimeout: 60_000,
        });
        id = await client.customCommand(["CLIENT", "ID"]);
        if (isOver) client.close();
        else onOpen();
      };
      open().catch(end);
      return {
        call: (...words) =>
          new Promise((resolve, reject) => {
            previous = previous
              .then(() => (isOver ? undefined : send(...words)))
              .then((reply) => {
                if (isOver) return;
                if (reply instanceof Error) reject(serverError(reply));
                else resolve(reply);
              })
              .catch(end);
          }),
        close: () => end(new Error("closed")),
      };
    },
  };
}

function serverError({ message }) {
  const text = message.replace("An error was signalled by the server: - ", "");
  const [, name = "ERR", rest = text] = /^(\w+): (.*)$/s.exec(text) ?? [];
  return new Error(`${CODES[name] ?? name} ${rest}`);
}
