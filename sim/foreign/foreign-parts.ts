import type { Choices } from "../choices.js";
import type { Link } from "../link.js";
import type { Recorder } from "../recorder.js";
import type { SimNode } from "../sim-node.js";
import type { World } from "../world.js";

/** What the foreign code of a run shares with the fleet. */
export interface ForeignParts {
  readonly world: World;
  readonly choices: Choices;
  readonly record: Recorder;
  readonly nodes: readonly SimNode[];
  /** By process and node. */
  readonly links: readonly (readonly Link[])[];
  /** Wall-clock time at true time 0, µs. */
  readonly wallStartUs: number;
  readonly timerSlopUs: number;
  readonly keyPrefix: string;
  readonly isEnding: () => boolean;
}
