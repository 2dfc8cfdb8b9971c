import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "place-counts-when-over",
  title: "a queue entry that is not refreshed counts as long as the queue exists",
  seenIn: "queues whose entries are only removed by their owner",
  file: "src/script/queue/place_at.lua",
  find: "if require('queue.is_fresh')(call('ZSCORE', of, '@' .. place), PLACE_MS) then return place, tonumber(ticket) end",
  replace: "if true then return place, tonumber(ticket) end",
  where: ["waiting"],
  killer: ["W3"],
  seedBudget: 150,
  killedBy: { where: 0, seed: 9 },
};
