import type { Scenario } from "../../../sim/scenario.js";
import { SimClock } from "../../../sim/sim-clock.js";

/** A key on a node, and the predictions of its expiry, each with when it was made. */
interface Expiring {
  readonly fromUs: number;
  readonly toUs: number;
  readonly outlooks: { readonly atUs: number; readonly untilUs: number }[];
}

/** Setting a clock moves the expiry of the keys that exist at that time. */
export function moveExpiries(
  nodes: readonly { readonly keys: readonly Expiring[] }[],
  scenario: Scenario,
): void {
  nodes.forEach(({ keys }, node) => {
    const changes = changesOfClock(scenario, node);
    const clock = clockOf(scenario, node);
    for (const { apply, atUs } of changes) {
      const standing = keys.filter(({ fromUs, toUs }) => fromUs < atUs && atUs < toUs);
      const ends = standing.map(({ outlooks }) => {
        return clock.at(outlooks.findLast((outlook) => outlook.atUs <= atUs)?.untilUs ?? atUs);
      });
      apply(clock);
      standing.forEach(({ outlooks }, index) => {
        const outlook = { atUs, untilUs: clock.trueAt(ends[index] ?? 0) };
        outlooks.splice(outlooks.findLastIndex((each) => each.atUs <= atUs) + 1, 0, outlook);
      });
    }
  });
}

/** How far a node's clock is off true time at an instant, ms. */
export function offsetMs(scenario: Scenario, node: number, atUs: number): number {
  const clock = clockOf(scenario, node);
  for (const change of changesOfClock(scenario, node)) if (change.atUs <= atUs) change.apply(clock);
  return (clock.at(atUs) - atUs) / 1_000;
}

function clockOf(scenario: Scenario, node: number): SimClock {
  const { wallOffsetMs = 0, ratePpm = 0 } = scenario.nodes[node] ?? {};
  return new SimClock(wallOffsetMs * 1_000, ratePpm);
}

function changesOfClock({ faults }: Scenario, node: number) {
  return faults
    .flatMap((fault) => {
      const atUs = fault.atMs * 1_000;
      if (fault.kind === "nodeJump" && fault.node === node) {
        return { atUs, apply: (clock: SimClock) => clock.jump(atUs, fault.byMs * 1_000) };
      }
      if (fault.kind === "nodeRate" && fault.node === node) {
        return { atUs, apply: (clock: SimClock) => clock.setRate(atUs, fault.ratePpm) };
      }
      return [];
    })
    .toSorted((a, b) => a.atUs - b.atUs);
}
