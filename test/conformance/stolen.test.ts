import { expect } from "chai";
import type { OperationSpec } from "../support/conformance/node-under-test.js";
import {
  expectSame,
  lastOf,
  put,
  putFence,
  run,
  wait,
  type Step,
} from "../support/conformance/steps.js";
import { conformance } from "../support/conformance/suite.js";

interface Row {
  readonly title: string;
  readonly given?: readonly Step[];
  readonly when: readonly OperationSpec[];
  /** The votes: `+`, or what was refused. */
  readonly gives: string;
}

type More = Partial<OperationSpec>;
const steal = (more: More = {}): OperationSpec => {
  return { kind: "acquire", fromNowUs: 0, preempts: true, ...more };
};
const lock = (more: More = {}): OperationSpec => ({ kind: "acquire", fromNowUs: 0, ...more });
const read = (more: More = {}): OperationSpec => lock({ name: "aShared", ...more });
const extend = (more: More = {}): OperationSpec => ({ kind: "extend", ...more });
const release = (more: More = {}): OperationSpec => ({ kind: "release", ...more });

const y = { owner: "y" } as const;
const z = { owner: "z" } as const;

const ROWS: readonly Row[] = [
  { title: "what is free", when: [steal(), extend(), release()], gives: "+ + +" },
  {
    title: "not a lock in the layout of a timestamp",
    when: [lock({ name: "aStamp", ...y }), steal(), extend({ name: "aStamp", ...y })],
    gives: "+ foreign +",
  },
  {
    title: "nor one in seconds",
    when: [lock({ name: "aSeconds", ...y }), steal(), extend({ name: "aSeconds", ...y })],
    gives: "+ foreign +",
  },
  {
    title: "nor that of code that sets no expiry",
    given: [put("a", "1700000000000")],
    when: [steal()],
    gives: "foreign",
  },
  { title: "its own, a second time", when: [steal(), steal(), release()], gives: "+ + +" },
  {
    title: "its own, without shortening it",
    given: [run(steal({ ttlMs: 1_000 })), run(steal({ ttlMs: 10 })), wait(500)],
    when: [extend()],
    gives: "+",
  },
  {
    title: "from an owner, who cannot extend, seal, heal or release any more",
    given: [run(lock(y))],
    when: [
      steal(),
      extend(y),
      { kind: "seal", ...y, fence: Number.MAX_SAFE_INTEGER },
      { kind: "heal", ...y, fence: 5 },
      release(y),
      extend(),
    ],
    gives: "+ held held held held +",
  },
  {
    title: "from a preemptor",
    when: [steal(y), steal(z), extend(y), extend(z)],
    gives: "+ + held +",
  },
  {
    title: "from all readers",
    given: [run(read(), read(y))],
    when: [steal(z), extend({ name: "aShared" }), release({ ...y, name: "aShared" }), extend(z)],
    gives: "+ held held +",
  },
  {
    title: "readers that were preempted are none among those who come later",
    given: [run(read(), read(y)), run(steal(z)), run(release(z))],
    when: [read(z), extend({ name: "aShared" }), release({ ...z, name: "aShared" }), lock()],
    gives: "+ held + +",
  },
  {
    title: "one name of a set, which then is not confirmed and lets go of the others",
    given: [run({ kind: "acquire", name: "ab", fromNowUs: 0 })],
    when: [
      steal(y),
      extend({ name: "ab" }),
      release({ name: "ab" }),
      lock({ name: "b" }),
      extend(y),
    ],
    gives: "+ held held + +",
  },
  {
    title: "from an owner with all its holds, who is not in among those who come later",
    given: [run(lock({ name: "aJob" }), lock({ ...y, name: "aJob" }))],
    when: [
      ...[steal(z), extend({ name: "aJob" }), release({ ...y, name: "aJob" }), extend(z)],
      ...[release(z), lock({ ...z, name: "aJob" }), extend({ name: "aJob" })],
    ],
    gives: "+ held held + + + held",
  },
  {
    title: "a semaphore with all its permits, which are nobody's among those who come later",
    given: [run(lock({ name: "a0" }), lock({ ...y, name: "a1" }))],
    when: [
      ...[steal(z), extend({ name: "a0" }), release({ ...y, name: "a1" }), extend(z)],
      ...[release(z), lock({ ...z, name: "a1" }), extend({ name: "a0" })],
    ],
    gives: "+ held held + + + free",
  },
  {
    title: "not the lock of Redisson",
    given: [run(lock({ name: "aHash" }))],
    when: [steal(z), extend({ name: "aHash" })],
    gives: "foreign +",
  },
  {
    title: "from one whose turn it is, who asks in vain and waits on",
    given: [run(lock(y)), run(lock({ ...z, inbox: "p" })), run(release(y))],
    when: [steal(), lock({ ...z, inbox: "p" }), release(), lock(y), lock({ ...z, inbox: "p" })],
    gives: "+ held + held +",
  },
  {
    title: "data of somebody is refused, and stays",
    given: [put("a", "data")],
    when: [steal(), lock()],
    gives: "foreign foreign",
  },
  {
    title: "what is another's without ttl left to see ends as its own ttl says",
    given: [put("a", "another", 5_000), run(steal({ ttlMs: 50 })), wait(51)],
    when: [lock(y)],
    gives: "+",
  },
  {
    title: "its fence is above that of whom it preempts",
    given: [run(lock({ ...y, fromNowUs: 1_000_000 })), run(steal())],
    when: [{ kind: "seal", fence: 1 }],
    gives: "held",
  },
  {
    title: "not without a fence",
    given: [run(lock(y)), putFence(Number.MAX_SAFE_INTEGER)],
    when: [steal()],
    gives: "fault",
  },
];

conformance("a preemption on a real server and in memory", (redis) => {
  for (const { title, given = [], when, gives } of ROWS) {
    it(title, async () => {
      const seen = await expectSame(redis(), [...given, run(...when)]);
      const { votes } = lastOf(seen).answer as { votes: { kind: string; reason?: string }[] };
      const words = votes.map(({ kind, reason }) => (kind === "granted" ? "+" : (reason ?? kind)));
      expect(words.join(" ")).to.equal(gives);
    });
  }
});
