/** The deterministic simulator: the production coordinator and channels on simulated time, network and nodes. */
export { simulate } from "./simulate.js";
export type { RunResult, SimulateOptions } from "./simulate.js";
export { generateScenario } from "./generate.js";
export { MODEL_PROFILES, oraclesOf, PROFILES, WILD_PROFILES } from "./profiles.js";
export type { Profile } from "./profiles.js";
export type {
  ClientSettings,
  Fault,
  LockSettings,
  NodeSettings,
  Scenario,
  Session,
} from "./scenario.js";
export type { NetworkSettings } from "./link.js";
export { exhaustiveChoices, recordedChoices, replayedChoices, seededChoices } from "./choices.js";
export type { Choices, Exhaustive, RecordedChoice } from "./choices.js";
export { traceLine, traceOf } from "./trace.js";
