import { ROWS as attempt } from "./attempt.js";
import { ROWS as channel } from "./channel.js";
import { ROWS as cli } from "./cli.js";
import { ROWS as deferred } from "./deferred.js";
import { ROWS as face } from "./face.js";
import { ROWS as kinds } from "./kinds.js";
import { ROWS as lease } from "./lease.js";
import { ROWS as protocol } from "./protocol.js";
import { ROWS as queue } from "./queue.js";
import { ROWS as script } from "./script.js";
import { ROWS as waiting } from "./waiting.js";
import type { Row } from "../row.js";

/** Known bugs of lock implementations, by where they are planted. Each table is the file of its name. */
export const TABLES: Readonly<Record<string, readonly Row[]>> = {
  protocol,
  attempt,
  waiting,
  deferred,
  queue,
  lease,
  channel,
  script,
  kinds,
  face,
  cli,
};

export const ALL_ROWS: readonly Row[] = Object.values(TABLES).flat();
