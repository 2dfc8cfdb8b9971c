import type { SendEvent, VoteEvent } from "../sim/oracles/history.js";
import type { Played } from "../site/playground/world/play.js";
import { quorumSize } from "../src/protocol/quorum.js";
import { found } from "./found.js";
import { arrow, bar, cross, heading, line, PHONE_PX, say, sheet } from "./pen.js";

const CLIENT = { x: 90, y: 46, width: 180, height: 46 } as const;
const NODE = { y: 150, width: 96, height: 62, step: 112, left: 20 } as const;
const HEIGHT = 262;

/** The last renewal of the run: its name, what each node answered, and what it took. */
function renewalIn({ history, scenario }: Played) {
  const sent = found(
    history.events.findLast((event): event is SendEvent => {
      return event.kind === "send" && event.op === "extend";
    }),
    "a renewal",
  );
  const votes = history.events.filter((event): event is VoteEvent => {
    return event.kind === "vote" && event.round === sent.round && event.process === sent.process;
  });
  const grants = scenario.nodes.map((_, node) =>
    votes.some((vote) => vote.node === node && vote.vote === "granted"),
  );
  const grantCount = grants.filter(Boolean).length;
  const needed = quorumSize(scenario.nodeCount);
  if (grantCount === scenario.nodeCount || grantCount < needed) {
    throw new Error(`the run of this picture has ${grantCount} grants`);
  }
  return { name: sent.name, grants, grantCount, needed };
}

export function quorumInWords(played: Played): string {
  const { name, grants, grantCount, needed } = renewalIn(played);
  const gone = grants.flatMap((isGranted, node) => (isGranted ? [] : [`Redis ${node + 1}`]));
  return `A client renews its lock on ${name}. Of ${grants.length} independent Redis servers, ${grantCount} have its key, and ${gone.join(" and ")} is down. ${needed} are a quorum, so the lock is held.`;
}

/** One client, its servers, and that most of them are enough. */
export function quorumPicture(played: Played): string {
  const { name, grants, grantCount, needed } = renewalIn(played);
  const title = `${grants.length} servers, ${needed} are a quorum`;
  const middle = PHONE_PX / 2;
  const nodes = grants.flatMap((isGranted, node) => {
    const left = NODE.left + node * NODE.step;
    const x = left + NODE.width / 2;
    const from = [middle + (node - 1) * 44, CLIENT.y + CLIENT.height] as const;
    const to = [x, NODE.y] as const;
    const words = { anchor: "middle", tone: isGranted ? "ink" : "soft" } as const;
    const box = bar(isGranted ? "good" : "soft", left, NODE.y, NODE.width, NODE.height);
    const server = say(`Redis ${node + 1}`, x, NODE.y + 24, { ...words, isBold: true });
    if (!isGranted) {
      const stop = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2] as const;
      const way = line("soft", from, stop, "dashed") + cross(...stop);
      return [way, box, server, say("down", x, NODE.y + 44, { ...words, tone: "bad" })];
    }
    const key = say(name, x, NODE.y + 44, {
      anchor: "middle",
      tone: "good",
      size: 11,
      isCode: true,
    });
    return [arrow("good", from, to), box, server, key];
  });
  const { x, y, width, height } = CLIENT;
  const verdict = `${grantCount} of ${grants.length} renewed: the lock is held.`;
  return sheet(
    { title, height: HEIGHT },
    heading(title),
    bar("a", x, y, width, height),
    say("your process", middle, y + 20, { anchor: "middle", isBold: true }),
    say(`holds ${name}`, middle, y + 37, { anchor: "middle", tone: "a" }),
    ...nodes,
    say(verdict, middle, HEIGHT - 22, { anchor: "middle", tone: "good", isBold: true }),
  );
}
