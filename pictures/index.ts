import { choicesTable } from "./choices.js";
import { lifeInWords, lifePicture } from "./life.js";
import { quorumInWords, quorumPicture } from "./quorum.js";
import { lifeOfALock, lockWithoutANode } from "./runs.js";
import { treeInWords, treePicture } from "./tree.js";

/** A drawing, where it belongs in the repository, and what it says to those who do not see it. */
export interface Picture {
  readonly file: string;
  readonly alt: string;
  readonly svg: string;
}

/** On the home page of the site there is room for wider ones. */
const WIDE_PX = 688;

/** All pictures, drawn from runs of the simulator and from tables of the sources. */
export async function pictures(): Promise<Picture[]> {
  const life = await lifeOfALock();
  const lifeAlt = lifeInWords(life);
  const quorum = await lockWithoutANode();
  return [
    { file: "docs/pictures/life.svg", alt: lifeAlt, svg: lifePicture(life, {}) },
    {
      file: "site/home/life.svg",
      alt: lifeAlt,
      svg: lifePicture(life, { isMoving: true }),
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
  ];
}

/** Part of a page, between `<!-- NAME -->` and `<!-- /NAME -->`, that says the same as a picture. */
export interface Table {
  readonly page: string;
  readonly name: string;
  readonly markdown: string;
}

export function tables(): Table[] {
  return [{ page: "docs/start/choosing.md", name: "choices", markdown: choicesTable() }];
}
