import { pictureOf } from "../site/playground/world/picture.js";
import type { Played } from "../site/playground/world/play.js";
import { found } from "./found.js";
import { badge, heading, MARGIN, notes, PHONE_PX, sheet } from "./pen.js";
import { seconds, TimeLine } from "./time-line.js";

const TITLE = "A node that lost its data";
const TICKS_S = [0, 20, 40, 60, 80];
const LANES = { client: 70, node: 105 } as const;
const NODE_STEP = 27;

/** In seconds since the acquire. */
function lossIn(played: Played) {
  const { clients, nodes } = pictureOf(played);
  const held = found(clients[0]?.beliefs[0], "a grant");
  const s = (atUs: number): number => (atUs - held.fromUs) / 1_000_000;
  const index = nodes.findIndex(({ stops }) => stops.length > 0);
  const lost = found(nodes[index], "a node that restarts");
  const stop = found(lost.stops[0], "a crash");
  const quarantine = found(lost.quarantines.at(-1), "a quarantine");
  const endS = s(played.scenario.chaosMs * 1_000);
  if (s(held.toUs) < endS) throw new Error("the lock of this picture is lost");
  return {
    nodes: nodes.length,
    index,
    down: s(stop.fromUs),
    back: s(stop.toUs),
    healed: s(found(lost.keys[1], "a key that is put back").fromUs),
    votes: s(quarantine.toUs),
    end: endS,
    maxTtlS: played.scenario.options.maxTtlMs / 1_000,
  };
}

export function quarantineInWords(played: Played): string {
  const { nodes, index, back, healed, votes } = lossIn(played);
  return `One of ${nodes} nodes restarts without its data while a lock is held. Node ${index + 1} is back after ${seconds(back)}, gets the key of the lock again at ${seconds(healed)}, and votes again at ${seconds(votes)}. The lock is held all the time, and the other nodes vote.`;
}

/** A quarantine in time, beside the nodes that vote, and a lock that is held all the while. */
export function quarantinePicture(played: Played): string {
  const loss = lossIn(played);
  const time = new TimeLine(-2, loss.end, PHONE_PX);
  const nodeY = (node: number): number => LANES.node + node * NODE_STEP;
  const y = nodeY(loss.index);
  const bottom = nodeY(loss.nodes - 1) + 18;
  const words = notes(
    [
      `Node\u00a0${loss.index + 1} is down for ${Math.round(loss.back - loss.down)}\u00a0s, and has forgotten all locks.`,
      `A renewal puts the key of the lock back, ${seconds(loss.healed - loss.back)} later. New locks do not count its vote: it may have granted one that it does not know of.`,
      `It votes when all of these must have ended: ${(loss.votes - loss.back).toFixed(0)}\u00a0s later (maxTtlMs, ${loss.maxTtlS}\u00a0s, and what clocks may differ).`,
    ],
    bottom + 24,
  );
  const lanes = Array.from({ length: loss.nodes }, (_, node) => node).flatMap((node) => {
    const name = time.name(`node ${node + 1}`, nodeY(node));
    if (node !== loss.index) {
      const votes = time.inside("good", "votes", 0, nodeY(node));
      return [name, time.span("good", 0, loss.end, nodeY(node)), votes];
    }
    return [
      name,
      time.span("good", 0, loss.down, y),
      time.inside("good", "votes", 0, y),
      time.span("bad", loss.down, loss.back, y),
      time.span("soft", loss.back, loss.votes, y),
      time.inside("soft", "quarantined", loss.back, y, 46),
      time.span("good", loss.votes, loss.end, y),
      badge(1, time.x((loss.down + loss.back) / 2), y),
      badge(2, time.x(loss.healed) + 9, y),
      badge(3, time.x(loss.votes) + 10, y),
    ];
  });
  return sheet(
    { title: TITLE, height: words.bottom + MARGIN },
    heading(TITLE),
    ...time.axis(TICKS_S, bottom - 4),
    time.name("client", LANES.client),
    time.span("a", 0, loss.end, LANES.client),
    time.inside("a", "holds the lock", 0, LANES.client),
    ...lanes,
    ...words.svg,
  );
}
