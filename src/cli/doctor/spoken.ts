import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectWithTls } from "node:tls";

/** What a port speaks: Redis without or with TLS; undefined if it is neither, or nothing answers. */
export type Spoken = "plain" | "tls" | undefined;

export interface Port {
  readonly host: string;
  readonly port: number;
}

/**
 * Finds out why a connection failed that should, or should not, use TLS: one to the wrong kind of port fails in many
 * ways, or only by silence.
 *
 * @param isTls how the connection that failed was made; the other way is tried
 */
export async function spokenAt(port: Port, isTls: boolean, timeoutMs: number): Promise<Spoken> {
  return isTls ? await speaksPlain(port, timeoutMs) : await speaksTls(port, timeoutMs);
}

/** Whether an answer is in the protocol of Redis; without a password, it is an error. */
async function speaksPlain({ host, port }: Port, timeoutMs: number): Promise<Spoken> {
  return await asked(timeoutMs, (answer) => {
    const socket = connectPlain({ host, port }, () => socket.write("PING\r\n"));
    socket.once("data", (chunk: Buffer) => {
      answer(/^[+-][A-Z]/.test(chunk.toString("latin1")) ? "plain" : undefined);
    });
    socket.once("error", () => answer(undefined));
    return socket;
  });
}

/** Whether it shakes hands. Whose certificate that is does not matter, nor that it may ask for one. */
async function speaksTls({ host, port }: Port, timeoutMs: number): Promise<Spoken> {
  return await asked(timeoutMs, (answer) => {
    const socket = connectWithTls({ host, port, rejectUnauthorized: false }, () => answer("tls"));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      answer(/ALERT/i.test(`${error.code} ${error.message}`) ? "tls" : undefined);
    });
    return socket;
  });
}

async function asked(
  timeoutMs: number,
  open: (answer: (spoken: Spoken) => void) => Socket,
): Promise<Spoken> {
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<Spoken>((resolve) => {
      socket = open(resolve);
      socket.once("close", () => resolve(undefined));
      timer = setTimeout(() => resolve(undefined), timeoutMs);
    });
  } finally {
    clearTimeout(timer);
    socket?.on("error", () => {});
    socket?.destroy();
  }
}
