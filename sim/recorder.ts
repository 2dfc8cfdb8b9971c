import type { HistoryEvent } from "./oracles/history.js";

type WithoutInstant<Event> = Event extends unknown ? Omit<Event, "atUs"> : never;

/** Records an event that happens now. */
export type Recorder = (event: WithoutInstant<HistoryEvent>) => void;
