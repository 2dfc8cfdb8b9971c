import type { Mutant } from "../mutant.js";

export const mutant: Mutant = {
  id: "release-of-whoever-has-the-permit",
  title: "a release gives back a permit by its number, whoever has it by now",
  seenIn: "semaphores whose holders have a number and no owner",
  file: "sim/layouts/slot.js",
  find: "drop: () => settle(others(place)),",
  replace:
    "drop: () => settle(membersOf(call, slotsKey).filter(({ member }) => slotIn(member).slot !== slot)),",
  also: [
    {
      file: "sim/layouts/slot.js",
      find: "isOurs: () => endsAt() !== undefined,",
      replace:
        'isOurs: () => kind === "release" ? standing().some((each) => each.slot === slot) : endsAt() !== undefined,',
    },
    {
      file: "sim/layouts/slot.js",
      find: "{ keys: nameKeys, ownerId, ttlMs, waiter }",
      replace: "{ keys: nameKeys, ownerId, ttlMs, waiter, kind }",
    },
  ],
  where: ["semaphore"],
  killer: ["S4"],
  seedBudget: 100,
  killedBy: { where: 0, seed: 1 },
};
