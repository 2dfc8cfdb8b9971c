import { LOCK_NAME, NODE_COUNT, QUORUM } from "../settings.js";
import type { Stage } from "../stage.js";
import { SCENE_COUNT } from "../story.js";
import { cell, type Line } from "./cells.js";
import { columnsFor, seconds } from "./look.js";
import { nodeLane } from "./node-lane.js";
import { serviceLane } from "./service-lane.js";

/** Where the story stands. */
export interface Telling {
  readonly sceneNumber: number;
  readonly sceneTitle: string;
  readonly passedMs: number;
  readonly said: readonly { readonly text: string; readonly atMs: number }[];
}

/** The whole view, as many lines as fit. */
export function frame(stage: Stage, telling: Telling, width: number, height: number): Line[] {
  const columns = columnsFor(width);
  const lines: Line[] = [
    [],
    [
      [" quorate ", ["bold", "inverse"]],
      [`  lock "${LOCK_NAME}" on ${NODE_COUNT} Redis masters, quorum ${QUORUM}`],
      [`  ${seconds(telling.passedMs)}`.padStart(10), "dim"],
    ],
    [],
    ...stage.nodes.map(({ port }, index) =>
      nodeLane(index, port, stage.watches[index], stage.services, columns),
    ),
    [],
    ...stage.services.map((service) => serviceLane(service, columns)),
    storeLane(stage, columns.name),
    [],
    [
      [telling.sceneNumber === 0 ? " " : ` ${telling.sceneNumber}/${SCENE_COUNT}  `, "bold"],
      [telling.sceneTitle, "bold"],
    ],
    [],
  ];
  const room = Math.max(0, Math.min(10, height - lines.length));
  for (const { text, atMs } of telling.said.slice(-room)) {
    lines.push([[seconds(atMs).padStart(8), "dim"], [`  ${text}`]]);
  }
  return lines.slice(0, height);
}

function storeLane({ store }: Stage, nameWidth: number): Line {
  const refused = `${store.refusedCount} refused`;
  return [
    cell(" store", nameWidth, "bold"),
    [`${store.writeCount} writes, `],
    [refused, store.refusedCount === 0 ? "dim" : "red"],
    [store.token === 0 ? "" : `, takes tokens from ${store.token} on`],
  ];
}
