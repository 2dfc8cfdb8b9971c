import { hashText } from "./random.js";

/**
 * The only source of nondeterminism of a run. Every decision has a name of its own, so that taking
 * one fault out of a scenario leaves all other decisions as they were.
 */
export interface Choices {
  /** An integer in [0, count), for the decision of that name. */
  pick(count: number, name: string): number;
}

/** Decides every name by a hash of it and the seed. */
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

/** Passes on another's choices and writes them down. */
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
 * Makes the choices of a log again, in order.
 * @throws Error as soon as the run asks for another decision than it did when it was recorded.
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

/** All sequences of choices, one run after another: an odometer over the decisions met. */
export interface Exhaustive extends Choices {
  /** Winds on to the next sequence; false when all were run. */
  next(): boolean;
}

/**
 * @param width how many of the possibilities of one decision are tried, evenly spread
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
