import { comparisonChart } from "../bench/compare/published.js";
import { plotsOf } from "../bench/plots/index.js";
import { readResults } from "../bench/publish.js";
import { lifeInWords, lifePicture } from "./life.js";
import { demoInWords, demoPicture, readRecording } from "./demo.js";
import { electionInWords, electionPicture } from "./election.js";
import { handOverInWords, handOverPicture } from "./hand-over.js";
import { lateWriteInWords, lateWritePicture } from "./late-write.js";
import { nodeStatesInWords, nodeStatesPicture } from "./node-states.js";
import { playgroundInWords, playgroundPicture } from "./playground.js";
import { quarantineInWords, quarantinePicture } from "./quarantine.js";
import { quorumInWords, quorumPicture } from "./quorum.js";
import {
  clockJump,
  election,
  handOver,
  lateWrite,
  lifeOfALock,
  lockWithoutANode,
  lossOfData,
} from "./runs.js";
import { treeInWords, treePicture } from "./tree.js";

/** A drawing, where it belongs in the repository, and what it says to those who do not see it. */
export interface Picture {
  readonly file: string;
  readonly alt: string;
  readonly svg: string;
}

/** On the home page of the site there is room for wider ones. */
const WIDE_PX = 688;

/** What is drawn from recorded data: the charts of the published measurements, and the terminal of the demo. */
export function charts(): Picture[] {
  const plots = plotsOf(readResults()).map(({ file, caption, svg }) => {
    return { file: `bench/results/${file}`, alt: caption, svg };
  });
  const demo = readRecording();
  const loop = { file: "docs/pictures/demo.svg", alt: demoInWords(demo), svg: demoPicture(demo) };
  return [...plots, comparisonChart(), loop];
}

/** All pictures, drawn from runs of the simulator and from tables of the sources. */
export async function pictures(): Promise<Picture[]> {
  const life = await lifeOfALock();
  const lifeAlt = lifeInWords(life);
  const quorum = await lockWithoutANode();
  const loss = await lossOfData();
  const late = await lateWrite();
  const given = await handOver();
  const terms = await election();
  const jump = await clockJump();
  return [
    { file: "docs/pictures/life.svg", alt: lifeAlt, svg: lifePicture(life, {}) },
    {
      file: "site/home/life.svg",
      alt: lifeAlt,
      svg: lifePicture(life, { isMoving: true }),
    },
    {
      file: "site/home/life-wide-still.svg",
      alt: lifeAlt,
      svg: lifePicture(life, { width: WIDE_PX }),
    },
    {
      file: "site/home/life-wide.svg",
      alt: lifeAlt,
      svg: lifePicture(life, { width: WIDE_PX, isMoving: true }),
    },
    {
      file: "docs/pictures/quorum.svg",
      alt: quorumInWords(quorum),
      svg: quorumPicture(quorum),
    },
    { file: "docs/pictures/choosing.svg", alt: treeInWords(), svg: treePicture() },
    { file: "docs/pictures/node-states.svg", alt: nodeStatesInWords(), svg: nodeStatesPicture() },
    {
      file: "docs/pictures/quarantine.svg",
      alt: quarantineInWords(loss),
      svg: quarantinePicture(loss),
    },
    {
      file: "docs/pictures/hand-over.svg",
      alt: handOverInWords(given),
      svg: handOverPicture(given),
    },
    {
      file: "docs/pictures/election.svg",
      alt: electionInWords(terms),
      svg: electionPicture(terms),
    },
    {
      file: "docs/pictures/playground.svg",
      alt: playgroundInWords(jump),
      svg: playgroundPicture(jump),
    },
    {
      file: "docs/pictures/late-write.svg",
      alt: lateWriteInWords(late),
      svg: lateWritePicture(late),
    },
  ];
}
