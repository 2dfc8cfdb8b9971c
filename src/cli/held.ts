import { defineCommand, fingerprint, whole, type Call } from "./command.js";
import { withLocks } from "./connect.js";
import { EXIT, UsageError } from "./exit-codes.js";
import { askNodes, type HoldingAnswer, type HoldingQuestion } from "./holding.js";
import { askAround } from "./holding-socket.js";

const HELD_OPTIONS = {
  token: whole(1, Number.MAX_SAFE_INTEGER, { value: "T", help: "the fencing token of the lock" }),
  fingerprint: fingerprint(
    "fingerprint of the holder [QUORATE_FINGERPRINT, if T is QUORATE_FENCING_TOKEN]",
  ),
} as const;

export const held = defineCommand({
  name: "held",
  summary: "Tell a script whether its lock is still held",
  synopsis: "NAME --token T",
  words: { min: 1, max: 1, title: "one NAME" },
  options: HELD_OPTIONS,
  notes: `
Exits 0 if the lock is still held on a quorum of nodes, 1 if not, 69 if too few nodes answered. In a
command of \`quorate exec\` it asks that process, and identifies the holder from the environment. With only
the token it can wrongly answer no, if a name that shares the counter was locked since, or if there are
other readers.`,
  examples: ['quorate held "$QUORATE_NAME" --token "$QUORATE_FENCING_TOKEN" || exit 1'],
  async run(call) {
    const { words, values, output } = call;
    const { token } = values;
    if (token === undefined) throw new UsageError("held needs --token T");
    const fingerprint = fingerprintOf(call, token);
    const [name = ""] = words;
    const { isKnown, isHeld } = await answerTo(call, { name, token, fingerprint });
    if (output.isJson) output.json({ name, token, isHeld, isQuorate: isKnown });
    else if (!isHeld) output.note(isKnown ? "no longer held" : "no quorum of nodes answered");
    if (!isKnown) return EXIT.unavailable;
    return isHeld ? EXIT.ok : EXIT.no;
  },
});

function fingerprintOf(
  { values, env }: Call<typeof HELD_OPTIONS>,
  token: number,
): string | undefined {
  const isOurs = env["QUORATE_FENCING_TOKEN"] === String(token);
  return values.fingerprint ?? (isOurs ? env["QUORATE_FINGERPRINT"] : undefined);
}

/** In a command of `quorate exec`, asks that, unless other nodes or keys are meant. Otherwise asks the nodes. */
async function answerTo(
  call: Call<typeof HELD_OPTIONS>,
  question: HoldingQuestion,
): Promise<HoldingAnswer> {
  const { config, nodes, "key-prefix": keyPrefix, "node-timeout": timeoutMs } = call.globals;
  const isElsewhere = [config, nodes, keyPrefix, timeoutMs].some((given) => given !== undefined);
  const answer = isElsewhere ? undefined : await askAround(call.env, question);
  return (
    answer ??
    (await withLocks(call, { names: [question.name] }, (locks) => askNodes(locks, question), true))
  );
}
