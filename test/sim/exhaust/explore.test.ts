import { expect } from "chai";
import { explore } from "../../../sim/exhaust/explore.js";
import { REAL_RULES, type Rules, type Scope } from "../../../sim/exhaust/scope.js";
import { stepperOf } from "../../../sim/exhaust/node-step.js";
import { planted, TAKING } from "../../support/sim/planted.js";

const BASE: Scope = {
  fences: [1, undefined, undefined],
  proposals: [1, 1],
  duplicateCount: 0,
  expiryCount: 0,
  crashCount: 0,
  healCount: 0,
  strangerCount: 0,
  canGiveUp: false,
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
      stepOnNode: stepperOf(planted(["then fence = last + 1 end", "then fence = last end"])),
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
