import { connect } from "node:net";
import type { HoldingAnswer, HoldingQuestion } from "./holding.js";

/** Names the Unix socket on which `quorate exec` answers its command. */
export const SOCKET_VARIABLE = "QUORATE_SOCKET";

/** Longer than the nodes may take to answer quorate, ms. */
const ANSWER_MS = 10_000;

type Env = Readonly<Record<string, string | undefined>>;

/** What the command sends: one line of JSON. */
export interface SocketRequest extends HoldingQuestion {
  /** See {@link deploymentOf}. */
  readonly deployment: string;
}

/** Which nodes and keys an environment means. A script may have set others since. */
export function deploymentOf(env: Env): string {
  const names = ["QUORATE_NODES", "QUORATE_CONFIG", "QUORATE_KEY_PREFIX"];
  return JSON.stringify(names.map((name) => env[name] ?? null));
}

/**
 * Asks the `quorate exec` around this process, which has the passwords of the nodes, and connections to them.
 *
 * @returns undefined if there is none, or it does not answer
 */
export async function askAround(
  env: Env,
  question: HoldingQuestion,
): Promise<HoldingAnswer | undefined> {
  const path = env[SOCKET_VARIABLE];
  if (path === undefined || path === "") return undefined;
  const request: SocketRequest = { ...question, deployment: deploymentOf(env) };
  const text = await exchanged(path, `${JSON.stringify(request)}\n`);
  return answerIn(text);
}

/** Sends a text. @returns what comes back until the end; "" if that is not possible */
async function exchanged(path: string, text: string): Promise<string> {
  let received = "";
  await new Promise<void>((resolve) => {
    const socket = connect(path);
    socket.setEncoding("utf8");
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.on("data", (chunk) => (received += String(chunk)));
    socket.on("error", () => {});
    socket.once("close", () => resolve());
    socket.write(text);
  });
  return received;
}

function answerIn(text: string): HoldingAnswer | undefined {
  try {
    const { isKnown, isHeld } = JSON.parse(text) as Partial<HoldingAnswer>;
    const isAnswer = typeof isKnown === "boolean" && typeof isHeld === "boolean";
    return isAnswer ? { isKnown, isHeld } : undefined;
  } catch {
    return undefined;
  }
}
