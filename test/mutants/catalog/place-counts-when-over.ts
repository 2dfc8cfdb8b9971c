import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "place-counts-when-over",
  title: "a place that was not refreshed counts for as long as the queue is there",
  seenIn: "queues whose members are taken out by whoever has put them in",
  file: "src/script/lib/queue.lua",
  find: "if is_fresh(call('ZSCORE', of, '@' .. place), PLACE_MS) then return place, tonumber(ticket) end",
  replace: "if true then return place, tonumber(ticket) end",
  where: ["waiting"],
  killer: ["W3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 9 },
};
