import { Redlock } from "@sesamecare-oss/redlock";
import { openClients } from "./clients.js";
import { redlockClient, type RedlockLike } from "./redlock-family.js";
import type { Subject } from "./subject.js";

export const sesamecare: Subject = {
  lockKey: (name) => name,
  open: async (urls, options) => {
    const clients = await openClients(urls, options);
    return redlockClient(new Redlock(clients) as unknown as RedlockLike);
  },
};
