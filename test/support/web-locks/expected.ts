/** What a case sees where that is not what the standard says. */
interface Deviation {
  readonly sees: readonly unknown[];
  readonly because: string;
}

const TYPE_ERRORS = (count: number): string[] => Array.from({ length: count }, () => "! TypeError");
const NOT_SUPPORTED = "! NotSupportedError";

/**
 * What the cases see, by the standard (https://w3c.github.io/web-locks/). `locks` of Node.js 24.21.0 was
 * asked as well, by `reference.ts`, and sees the same but for {@link NODE_24}.
 */
export const EXPECTED: Readonly<Record<string, readonly unknown[]>> = {
  "acquire: a name and a callback are required, by rejection": TYPE_ERRORS(3),
  "acquire: a mode must be known": TYPE_ERRORS(4),
  "acquire: the callback must be a function": TYPE_ERRORS(7),
  "acquire: the result of the callback is the result": ["= 42", "= later", "= null"],
  "acquire: what the callback throws is what is rejected with": [true, true],
  "acquire: the callback is not called from within the call": ["returned", "callback"],
  "acquire: undefined options are no options": ["= got it"],

  "held: until the promise of the callback is settled": ["opened", "first is done", "second"],
  "held: not any more when the callback rejects": ["! RangeError", "= true"],
  "held: not any more when the callback throws": ["! RangeError", "= true"],
  "held: a nested request of another name": ["held: a nested request of another name inner"],

  "lock-attributes: name and mode, also later": [true, "exclusive", true, "shared"],

  "ifAvailable: a free name is granted": ["exclusive", "shared"],
  "ifAvailable: null for a name that is held, and its result comes out": [
    ...["= null", "= null, later", "! RangeError", "! RangeError", "= held"],
  ],
  "ifAvailable: null inside of the holder's own callback": ["null"],
  "ifAvailable: shared beside shared, and not beside exclusive": [
    ...["shared", "null", "= held", "null", "= held"],
  ],
  "ifAvailable: a name that somebody waits for is not available": ["null", "= held", "= held"],
  "ifAvailable: free again after the release": [true],

  "mode-exclusive: one after the other, first come first served": [
    ...["+x0", "-x0", "+x1", "-x1", "+x2", "-x2", "+x3", "-x3", "+x4", "-x4"],
  ],
  "mode-exclusive: names do not disturb each other": ["= held", "= held", "= held"],
  "mode-shared: all at once": ["= held", "= held", "= held"],
  "mode-mixed: shared ones together, exclusive ones alone, nobody overtakes": [
    ...["+s0 +s1", "-s0 -s1", "+x2", "-x2", "+s3 +s4", "-s3 -s4"],
    ...["+x5", "-x5", "+x6", "-x6", "+s7", "-s7"],
  ],
  "mode-mixed: an exclusive one waits for all who share": [
    ...["a reader goes", "a reader goes", "written"],
  ],

  "resource-names: texts of all kinds, as they are": ["= held"],
  'resource-names: none that begins with "-"': [
    ...[NOT_SUPPORTED, NOT_SUPPORTED, NOT_SUPPORTED, "= called"],
  ],
  "resource-names: the empty one": ["= called"],
  "resource-names: what is no text becomes one": ["= 42"],

  "signal: must be one": TYPE_ERRORS(7),
  "signal: aborted before, with its reason": ["! AbortError", '! "my reason"'],
  "signal: aborted in the tick of the call": ['! "my reason"', "= held"],
  "signal: takes one out who waits, and those behind go on": [
    ...["! AbortError", "= held", "= came in"],
  ],
  "signal: a timeout": ["! TimeoutError", "= held"],
  "signal: without effect once the lock is granted": ["null", "= held"],
  "signal: without effect after the release": ["= done", true],

  "steal: a free name": ["exclusive"],
  "steal: from a holder, who is told by an AbortError": [
    ...["= stolen", "! AbortError", "! AbortError"],
  ],
  "steal: it is held by the preemptor": ["! AbortError", "null", "= held"],
  "steal: from all who share it": ["= stolen", "! AbortError", "! AbortError"],
  "steal: ahead of those who wait, who go on after it": [
    ...["! AbortError", "= held", "preemptor", "preemptor goes", "waiting 1", "waiting 2"],
  ],
  "steal: a preemptor is preempted": ["= stolen", "! AbortError"],
  "steal: what the preempted callback comes to does not matter": ["! AbortError"],
  "steal: the preempted one may ask again": ["! AbortError", "= held", "= again"],
  "steal: other names are not touched": ["= held"],
  "steal: in one tick with other requests, in the order of the calls": [
    "tt: ! AbortError, = in; 1",
    "ttt: ! AbortError, ! AbortError, = in; 2",
    "xt: ! AbortError, = in; 1",
    "tx: = in, = in; 0 1",
    "xtx: ! AbortError, = in, = in; 1 2",
    "txt: ! AbortError, = in, = in; 2 1",
    "xxt: ! AbortError, = in, = in; 2 1",
    "xtxt: ! AbortError, ! AbortError, = in, = in; 3 2",
    "sst: ! AbortError, ! AbortError, = in; 2",
    "tss: = in, = in, = in; 0 1 2",
  ],

  "query: who holds and who waits, in the order of their requests": [
    ...["shared shared | exclusive shared", " | "],
  ],
  "query: one client for all locks": [2, 1, "string"],
  "query: the preemptor, and not whom it preempted": ["exclusive | ", "= held", "! AbortError"],

  "combinations: what does not go together": [
    ...[NOT_SUPPORTED, NOT_SUPPORTED, NOT_SUPPORTED, NOT_SUPPORTED, "= called"],
  ],
  "combinations: types come before what does not go together": TYPE_ERRORS(4),
  "combinations: what does not go together comes before an abort": [
    ...[NOT_SUPPORTED, NOT_SUPPORTED, NOT_SUPPORTED],
  ],
};

/** Where Node.js 24.21.0 does otherwise than the standard, and Quorate does not follow it. */
export const NODE_24: Readonly<Record<string, Deviation>> = {
  "acquire: the callback is not called from within the call": {
    sees: ["callback", "returned"],
    because: "a free name is granted within the call",
  },
  "held: not any more when the callback throws": {
    sees: ["! RangeError", "= false"],
    because: "it is never released when the callback throws instead of rejecting",
  },
  "combinations: what does not go together comes before an abort": {
    sees: ["! AbortError", "! AbortError", "! AbortError"],
    because: "it looks at the signal first",
  },
};

/** Where Quorate does otherwise, see docs/how-to/web-locks.md. */
export const QUORATE: Readonly<Record<string, Deviation>> = {
  "resource-names: the empty one": {
    sees: ["! RangeError"],
    because: "it is most often a name that went missing",
  },
  "resource-names: what is no text becomes one": {
    sees: ["! TypeError"],
    because: "it is most often a mistake",
  },
};
