import {
  ClosedError,
  LockContendedError,
  LockLostError,
  NotAdoptableError,
  NotReadyError,
  OverloadedError,
  QueueFullError,
  type QuorateError,
  QuorumUnreachableError,
  SplitError,
  ValidityExhaustedError,
  WaitTimeoutError,
  type QuorateErrorCode,
} from "../src/api/errors.js";
import { helpOf } from "../src/api/help.js";
import {
  ForeignKeyError,
  MisconfiguredError,
  MixedLayoutError,
  PermitsMismatchError,
} from "../src/api/node-errors.js";
import { ReentryError } from "../src/api/reentry-error.js";
import type { NodeVote } from "../src/api/tally.js";
import { MalformedTokenError, StaleTokenError } from "../src/fencing/errors.js";
import * as fencing from "../src/fencing/index.js";
import * as quorate from "../src/index.js";
import { code, commentsIn, declarationIn, read, tableOf } from "./source.js";

const SOURCES = [
  "src/api/errors.ts",
  "src/api/node-errors.ts",
  "src/api/reentry-error.ts",
  "src/fencing/errors.ts",
];

const [a, b, c] = ["redis-a:6379", "redis-b:6379", "redis-c:6379"];
const granted = (node: string): NodeVote => ({ node, vote: "granted" });
const refused = (node: string): NodeVote => ({
  ...{ node, vote: "refused", freeInMs: 14_720, label: "web-1:4711" },
});
const timedOut = (node: string): NodeVote => ({
  ...{ node, vote: "fault", fault: "timeout", message: "no answer within 500 ms" },
});
const evicting: NodeVote = {
  ...{ node: a, vote: "fault", fault: "misconfigured", message: "maxmemory-policy is allkeys-lru" },
};
const HELD = [granted(a), refused(b), refused(c)];
const GRANTED = [a, b, c].map(granted);
const tried = {
  ...{ waitedMs: 30_000, attemptCount: 7, marginMs: 5_000 },
  ...{ isHeldHere: false, isReentrant: true },
};
const node = { quarantineLeftMs: 0, clockOffsetMs: undefined };
const down = { ...node, state: "down", detail: "connect ECONNREFUSED" } as const;

/** An error of each code, as the library makes it. */
const EXAMPLES: Readonly<Record<QuorateErrorCode, QuorateError>> = {
  QUORATE_CONTENDED: new LockContendedError("invoice:42", HELD),
  QUORATE_WAIT_TIMEOUT: new WaitTimeoutError("invoice:42", HELD, { ...tried, heldNames: [] }),
  QUORATE_QUEUE_FULL: new QueueFullError(
    ...(["invoice:42", HELD, { ...tried, heldNames: [] }] as const),
    { waitingCount: 12, maxWaiters: 10 },
  ),
  QUORATE_UNREACHABLE: new QuorumUnreachableError("invoice:42", [
    granted(a),
    timedOut(b),
    timedOut(c),
  ]),
  QUORATE_SPLIT: new SplitError("invoice:42", HELD),
  QUORATE_OVERLOADED: new OverloadedError("invoice:42", 5_000),
  QUORATE_VALIDITY_EXHAUSTED: new ValidityExhaustedError("invoice:42", GRANTED),
  QUORATE_LOST: new LockLostError("invoice:42", "expired"),
  QUORATE_NOT_ADOPTABLE: new NotAdoptableError("invoice:42", "expired", []),
  QUORATE_FOREIGN_KEY: new ForeignKeyError("invoice:42", "lock:invoice:42", "hash", []),
  QUORATE_MIXED_LAYOUT: new MixedLayoutError(
    ...(["invoice:42", "lock:invoice:42", { found: "redisson", expected: "redlock" }, []] as const),
  ),
  QUORATE_PERMITS_MISMATCH: new PermitsMismatchError("mails", 10, 8, []),
  QUORATE_MISCONFIGURED: new MisconfiguredError("invoice:42", [evicting, timedOut(b), granted(c)]),
  QUORATE_NOT_READY: new NotReadyError(
    [
      { ...node, node: a, state: "ready", detail: "" },
      { ...down, node: b },
      { ...down, node: c },
    ],
    ...[2, 10_000],
  ),
  QUORATE_CLOSED: new ClosedError("invoice:42"),
  QUORATE_REENTRY: new ReentryError("invoice:42", "self", {
    ...{ names: ["invoice:42"], mode: "exclusive", fencingToken: 1_795_369_425_695_000 },
  }),
  QUORATE_STALE_TOKEN: new StaleTokenError({ name: "invoice:42", fencingToken: 41 }, 42),
  QUORATE_MALFORMED_TOKEN: new MalformedTokenError(
    ...(["fencing-token", undefined, "a fencing token: a positive safe integer"] as const),
  ),
};

const EXPORTED: readonly unknown[] = [...Object.values(quorate), ...Object.values(fencing)];

/** Whether the tables of errors have a class. */
export function isListedError(name: string): boolean {
  return Object.values(EXAMPLES).some((error) => classesOf(error).includes(name));
}

/** The tables of errors. */
export function errorTables(): Record<string, string> {
  const errors = Object.entries(EXAMPLES).map(([name, error]) => [
    linkOf(name),
    `\`${exportedClassOf(error)}\``,
    code(error.name),
    commentOf(error.constructor.name).replace(/\.$/, ""),
    code(error.message),
  ]);
  return {
    errors: tableOf(["`code`", "class", "`error.name`", "when", "a message"], errors),
    "errors:fields": tableOf(["class or code", "fields"], fieldRows()),
  };
}

/** Fields of all errors, then those of each class; of a class that is not exported by its code. */
function fieldRows(): string[][] {
  const classes = new Map<string, string>([["QuorateError", "`QuorateError`"]]);
  for (const error of Object.values(EXAMPLES)) {
    for (const name of classesOf(error).toReversed()) {
      const isExported = EXPORTED.some((each) => (each as { name?: string }).name === name);
      classes.set(name, classes.get(name) ?? `\`${isExported ? name : error.code}\``);
    }
  }
  return [...classes].flatMap(([name, shown]) => {
    const fields = commentsIn(sourceOf(name).replace(/^\/\*\*[^]*?\*\//, ""))
      .filter((comment) => isField(name, comment.name))
      .map((comment) => `${code(comment.name)}: ${comment.meaning.replace(/\.$/, "")}`);
    return fields.length === 0 ? [] : [[shown, fields.join("<br>")]];
  });
}

/** Not the constructor, whose comment is one too, nor what is for the library itself. */
function isField(name: string, field: string): boolean {
  const source = sourceOf(name);
  const isInternal = new RegExp(`@internal \\*/\\s+(?:declare )?readonly ${field}\\b`).test(source);
  return !isInternal && new RegExp(`(?:readonly|get) ${field}\\b`).test(source);
}

/** Names of the classes of an error, the most special one first, without those of the language. */
function classesOf(error: QuorateError): string[] {
  const names: string[] = [];
  let prototype = Object.getPrototypeOf(error) as QuorateError;
  while (prototype instanceof Error && prototype.constructor !== Error) {
    names.push(prototype.constructor.name);
    prototype = Object.getPrototypeOf(prototype) as QuorateError;
  }
  return names;
}

/** What `instanceof` can ask for. */
function exportedClassOf(error: QuorateError): string {
  const found = classesOf(error).find((name) =>
    EXPORTED.some((each) => (each as { name?: string }).name === name),
  );
  return found ?? "QuorateError";
}

function commentOf(name: string): string {
  const [first] = commentsIn(sourceOf(name));
  if (first?.name !== name) throw new Error(`${name} has no comment`);
  return first.meaning;
}

function sourceOf(name: string): string {
  const [source] = SOURCES.flatMap((file) => declarationIn(read(file), name) ?? []);
  if (source === undefined) throw new Error(`no source has ${name}`);
  return source;
}

/** What to do is on the page that `error.help` names. */
function linkOf(name: string): string {
  return `[\`${name}\`](../${helpOf(name).replace(/^docs\//, "")})`;
}
