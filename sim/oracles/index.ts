/** Oracles over histories of simulated or real runs. */
export { judge, ORACLES } from "./judge.js";
export type { Oracle } from "./judge.js";
export { coverageOf, SOMETIMES } from "./coverage.js";
export type { Coverage } from "./coverage.js";
export { smallestMarginUs } from "./margin.js";
export { ORACLE_IDS } from "./history.js";
export type { History, HistoryEvent, HistorySettings, OracleId, Violation } from "./history.js";
