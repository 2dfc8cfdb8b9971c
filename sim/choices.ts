import { hashText } from "./random.js";

/**
 * The only source of nondeterminism of a run. Every decision has its own name, so removing one fault from a
 * scenario leaves all other decisions unchanged.
 */
export interface Choices {
  /** An integer in [0, count), for the decision with that name. */
  pick(count: number, name: string): number;
}

/** Decides each name by a hash of the name and the seed. */
export function seededChoices(seed: number): Choices {
  return {
    pick: (count, name) => Math.floor((hashText(seed, name) * count) / 2 ** 32),
  };
}

export interface RecordedChoice {
  readonly name: string;
  readonly count: number;
  readonly picked: number;
}

/** Passes on another source's choices and records them. */
export function recordedChoices(inner: Choices, log: RecordedChoice[]): Choices {
  return {
    pick(count, name) {
      const picked = inner.pick(count, name);
      log.push({ name, count, picked });
      return picked;
    },
  };
}

/**
 * Repeats the choices of a log, in order.
 * @throws Error as soon as the run asks for a different decision than the recorded one.
 */
export function replayedChoices(log: readonly RecordedChoice[]): Choices {
  let at = 0;
  return {
    pick(count, name) {
      const choice = log[at];
      if (choice === undefined || choice.name !== name || choice.count !== count) {
        const was = choice === undefined ? "nothing" : `${choice.name} of ${choice.count}`;
        throw new Error(`choice ${at} is ${name} of ${count}, recorded was ${was}`);
      }
      at++;
      return choice.picked;
    },
  };
}

/** All sequences of choices, one run each: an odometer over the decisions encountered. */
export interface Exhaustive extends Choices {
  /** Advances to the next sequence; false when all have been run. */
  next(): boolean;
}

/**
 * @param width how many possibilities of one decision are tried, evenly spread
 * @param isOpen which decisions are enumerated; all others take their first possibility
 */
export function exhaustiveChoices(
  width: number,
  isOpen: (name: string) => boolean = () => true,
): Exhaustive {
  const digits: { value: number; base: number }[] = [];
  let at = 0;
  return {
    pick(count, name) {
      if (!isOpen(name)) return 0;
      const base = Math.min(count, width);
      const digit = (digits[at] ??= { value: 0, base });
      at++;
      return Math.floor((digit.value * count) / base);
    },
    next() {
      at = 0;
      for (let last = digits.pop(); last !== undefined; last = digits.pop()) {
        if (last.value + 1 >= last.base) continue;
        digits.push({ value: last.value + 1, base: last.base });
        return true;
      }
      return false;
    },
  };
}
