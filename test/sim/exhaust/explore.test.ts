import { expect } from "chai";
import { FENCE_STEP } from "../../../src/protocol/fencing.js";
import { explore } from "../../../sim/exhaust/explore.js";
import { REAL_RULES, type Rules, type Scope } from "../../../sim/exhaust/scope.js";
import { WAITED_FOR } from "../../../sim/exhaust/scopes.js";
import { stepperOf } from "../../../sim/exhaust/node-step.js";
import { planted, TAKING } from "../../support/sim/planted.js";

const BASE: Scope = {
  fences: [20, undefined, undefined],
  proposals: [20, 20],
  clientCount: 2,
  askCount: 0,
  eraCount: 0,
  duplicateCount: 0,
  expiryCount: 0,
  crashCount: 0,
  healCount: 0,
  strangerCount: 0,
  after: [],
  canGiveUp: false,
};

const QUEUED: Partial<Scope> = {
  fences: [undefined, undefined, undefined],
  proposals: [20, 20, 20],
  askCount: 1,
  eraCount: 1,
};

interface PlantedRule {
  readonly title: string;
  readonly scope: Partial<Scope>;
  readonly rules: Rules;
  readonly finds: RegExp;
}

const PLANTED: readonly PlantedRule[] = [
  {
    title: "the largest fence of a quorum for a token, without sealing",
    scope: { expiryCount: 1 },
    rules: { ...REAL_RULES, token: "max" },
    finds: /^F1: \d and \d were both granted/,
  },
  {
    title: "a seal that is satisfied with a fence above the token",
    scope: { expiryCount: 1, duplicateCount: 1 },
    rules: {
      ...REAL_RULES,
      stepOnNode: stepperOf(
        planted([
          "return kind.is_sealed and kind.is_sealed(lock, lock.token) and lock.token or lock_key.held(0, '')",
          "return lock.token",
        ]),
      ),
    },
    finds: /^F1: \d and \d were both granted/,
  },
  {
    title: "an acquire that takes whatever stands there",
    scope: {},
    rules: { ...REAL_RULES, stepOnNode: stepperOf(planted(TAKING)) },
    finds: /^S1: /,
  },
  {
    title: "an acquire that does not count",
    scope: {},
    rules: {
      ...REAL_RULES,
      stepOnNode: stepperOf(planted([`last - last % ${FENCE_STEP} + ${FENCE_STEP}`, "last"])),
    },
    finds: /^F1: /,
  },
  {
    title: "a lock that begins when the message comes by which a node grants it",
    scope: { ...QUEUED, after: WAITED_FOR },
    rules: { ...REAL_RULES, messageFrom: "message" },
    finds: /^S1: /,
  },
  {
    title: "a lock that begins with the last of what grants it",
    scope: {
      ...QUEUED,
      askCount: 2,
      after: [
        ...[...WAITED_FOR, "release 0", "release0>2:20", "grant1>2:=+40"],
        ...["a life passes", "ask 1"],
      ],
    },
    rules: { ...REAL_RULES, roundFrom: "last" },
    finds: /^S1: /,
  },
  {
    title: "a node that gives a waiter the fence that is proposed to it",
    scope: { askCount: 1 },
    rules: {
      ...REAL_RULES,
      stepOnNode: stepperOf(
        planted(["id == left_under and fence_of(lock, top)", "id == left_under and lock.proposal"]),
      ),
    },
    finds: /^F1: /,
  },
];

// That the real rules break nothing is what `npm run exhaust` says, see cli/exhaust.test.ts.
describe("every order of events on three nodes", () => {
  for (const { title, scope, rules, finds } of PLANTED) {
    it(`finds a wrong rule: ${title}`, () => {
      const { violation } = explore({ ...BASE, ...scope }, rules, 1_000_000);
      expect(violation?.message).to.match(finds);
      expect(violation?.path.length).to.be.above(5);
    });
  }
});
