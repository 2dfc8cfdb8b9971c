import { eventsOf, startOf, type Event } from "./events.js";
import { REAL_RULES, type Rules, type Scope } from "./scope.js";
import { textOf, type State } from "./state.js";

export interface ExplorationCounts {
  /** Number of distinct states. */
  readonly stateCount: number;
  /** Events tried: steps from one state to the next. */
  readonly stepCount: number;
  readonly grantCount: number;
  readonly depth: number;
}

export interface Exploration extends ExplorationCounts {
  /** The first violation, and the path to it. */
  readonly violation: { readonly message: string; readonly path: readonly string[] } | undefined;
}

interface Visit {
  readonly events: readonly Event[];
  next: number;
}

/** States between two reports of progress: a round number, so that it meets every million. */
const REPORT_EVERY = 20_000;

/**
 * Explores every reachable state, depth first, and judges every grant.
 *
 * @throws RangeError if there are more than `maxStates`.
 */
export function explore(
  scope: Scope,
  rules: Rules = REAL_RULES,
  maxStates = 15_000_000,
  onProgress?: (counts: ExplorationCounts) => void,
): Exploration {
  const start = startOf(scope, rules);
  const seen = new Set([textOf(start)]);
  const path: string[] = [];
  const stack: Visit[] = [{ events: eventsOf(start, scope, rules), next: 0 }];
  let stepCount = 0;
  let grantCount = 0;
  let depth = 0;
  const result = (message?: string): Exploration => {
    const violation = message === undefined ? undefined : { message, path: [...path] };
    return { stateCount: seen.size, stepCount, grantCount, depth, violation };
  };
  for (let visit = stack.at(-1); visit !== undefined; visit = stack.at(-1)) {
    const event = visit.events[visit.next++];
    if (event === undefined) {
      stack.pop();
      path.pop();
      continue;
    }
    stepCount++;
    const text = textOf(event.next);
    if (seen.has(text) && event.granted === undefined) continue;
    path.push(event.text);
    if (event.granted !== undefined) {
      grantCount++;
      const broken = judgeGrant(event.next, event.granted, scope);
      if (broken !== undefined) return result(broken);
    }
    if (seen.has(text)) {
      path.pop();
      continue;
    }
    seen.add(text);
    if (seen.size > maxStates) throw new RangeError(`more than ${maxStates} states`);
    stack.push({ events: eventsOf(event.next, scope, rules), next: 0 });
    depth = Math.max(depth, path.length);
    if (seen.size % REPORT_EVERY === 0) {
      onProgress?.({ stateCount: seen.size, stepCount, grantCount, depth });
    }
  }
  return result();
}

/** F1: tokens never repeat, and grow. S1, where no node loses its data: at most one holder at a time. */
function judgeGrant(state: State, index: number, scope: Scope): string | undefined {
  const granted = state.attempts[index];
  if (granted === undefined) return undefined;
  const { token, floor } = granted;
  for (const [other, { wasGranted, phase, token: its }] of state.attempts.entries()) {
    if (other === index || !wasGranted) continue;
    if (its === token) return `F1: ${other} and ${index} were both granted token ${token}`;
    const isLossless = scope.expiryCount === 0 && scope.crashCount === 0;
    if (isLossless && phase === "held") return `S1: ${other} and ${index} both hold it`;
  }
  if (token > floor) return undefined;
  return `F1: ${index} asked after ${floor} was granted, and has ${token}`;
}
