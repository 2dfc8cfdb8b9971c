import type { ListOffer } from "../../src/protocol/node-list.js";

/** Of a client that has nothing to put on record. */
export const NO_LIST: ListOffer = {
  ...{ keyPrefix: "lock:", nodeId: undefined, isToGetId: false, list: undefined },
};
