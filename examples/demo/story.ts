import { comeBack } from "./scenes/come-back.js";
import { contend } from "./scenes/contend.js";
import { loseMinority } from "./scenes/lose-minority.js";
import { loseQuorum } from "./scenes/lose-quorum.js";
import { writeLate } from "./scenes/write-late.js";
import type { Stage } from "./stage.js";

export const SCENE_COUNT = 5;

/** All scenes in order. @throws NotSeenError at the first thing that was not there to be seen. */
export async function play(stage: Stage): Promise<void> {
  await contend(stage);
  const holder = await loseMinority(stage);
  await loseQuorum(stage, holder);
  const waiting = stage.services.find((service) => service !== holder);
  if (waiting === undefined) throw new Error("there are two services");
  await comeBack(stage, waiting);
  await writeLate(stage, holder);
}
