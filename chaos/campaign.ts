import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clockSince } from "./clock.js";
import { Failure } from "./failure.js";
import { Crew, type CommonJob } from "./crew.js";
import { Journal, readJournals } from "./history/journal.js";
import type { ChaosRecord } from "./history/records.js";
import { leftKeys, nodesBySeat, nodesOf, openDeployment, startFleet } from "./nodes.js";
import { Nemesis } from "./nemesis/nemesis.js";
import { planOf } from "./nemesis/plan.js";
import type { CampaignSettings } from "./settings.js";
import { Stores } from "./stores.js";
import { Tally, type View } from "./tally.js";

/** Time for stragglers and pending releases once all nodes are healthy and nothing more is requested, ms. */
const SETTLE_MS = 500;

export interface CampaignOptions {
  /** Directory for the parts of the history while the campaign runs. */
  readonly scratchDir: string;
  /**
   * Ends the campaign early. It is judged up to that point; recovery after the faults is not awaited, and so
   * not judged.
   */
  readonly signal?: AbortSignal;
  /** Called at intervals with the current state, for the live view. */
  readonly onView?: (view: View) => void;
}

const VIEW_EVERY_MS = 250;

/**
 * Runs a campaign against real servers and returns its history, ordered by time.
 *
 * @throws Error when the harness itself failed: the history then shows nothing.
 */
export async function runCampaign(
  settings: CampaignSettings,
  { scratchDir, signal, onView }: CampaignOptions,
): Promise<ChaosRecord[]> {
  mkdirSync(scratchDir, { recursive: true });
  const dir = mkdtempSync(join(scratchDir, "campaign-"));
  const records = await recordIn(dir, settings, signal, onView);
  // Only on success: after a failure the files may show what went wrong.
  rmSync(dir, { recursive: true, force: true });
  return records;
}

async function recordIn(
  dir: string,
  settings: CampaignSettings,
  signal: CampaignOptions["signal"],
  onView: CampaignOptions["onView"],
): Promise<ChaosRecord[]> {
  const failure = new Failure();
  await using fleet = await startFleet(settings);
  await openDeployment(nodesOf(fleet), settings);
  const nodes = await nodesBySeat(fleet, settings);

  const startNs = process.hrtime.bigint();
  const now = clockSince(startNs);
  const path = join(dir, "parent.ndjson");
  const journal = new Journal(path);
  const record = (line: ChaosRecord): void => journal.write(line);
  const plan = planOf(settings);
  record({ kind: "run", atUs: 0, settings, plan });

  const stores = new Stores(now, record);
  const tally = new Tally(settings);
  const crew = new Crew(
    nodes,
    jobOf(settings, startNs),
    {
      now,
      record,
      stores,
      onCounts: (counts) => tally.add(counts),
      onFailure: failure.raise,
      journalDir: dir,
    },
    settings.plant,
  );
  const nemesis = new Nemesis(fleet, crew, now, record, failure.raise);
  const view = setInterval(() => {
    onView?.(tally.view(now() / 1_000, nemesis.active, stores.overwritten));
  }, VIEW_EVERY_MS);
  try {
    const course = async (): Promise<void> => {
      crew.fill();
      nemesis.start(plan);
      await interruptible(settings.durationMs, signal);
      await nemesis.end();
      if (signal?.aborted === true) {
        await crew.finish();
        return;
      }
      record({ kind: "phase", atUs: now(), what: "heal" });
      await sleep(progressMs(settings));
      record({ kind: "phase", atUs: now(), what: "progress" });
      await crew.finish();
      record({ kind: "phase", atUs: now(), what: "calm" });
      // A node that stands still on a busy machine has done what was sent to it before when it has answered this.
      await Promise.all(fleet.nodes.map((node) => node.command("PING")));
      await sleep(SETTLE_MS);
      const left = await leftKeys(fleet, now());
      for (const key of left) record(key);
      record({ kind: "phase", atUs: now(), what: "clean" });
    };
    await Promise.race([course(), failure.promise]);
  } finally {
    clearInterval(view);
    nemesis.abandon();
    crew.destroy();
    journal.close();
  }
  return readJournals([path, ...crew.journals]);
}

/** For connections, margins of clocks, a few retries, and a machine that stands still in between, ms. */
const RECOVERY_MS = 6_000;

/**
 * Once all nodes are healthy: a dead holder's lease, the quarantine of all nodes that lost data, and a few retries.
 * In `outages`, no process has died and no node has lost data; and keys that were not released must not expire
 * before they are inspected.
 */
function progressMs({ schedule, ttlMs, maxTtlMs }: CampaignSettings): number {
  return schedule === "outages" ? 4_000 : ttlMs + maxTtlMs + RECOVERY_MS;
}

function jobOf(settings: CampaignSettings, startNs: bigint): CommonJob {
  const { seed, schedule, ttlMs, maxTtlMs, nodeTimeoutMs, driftFactor, clockStepMs, plant } =
    settings;
  return {
    seed,
    schedule,
    startNs: String(startNs),
    names: Array.from({ length: settings.nameCount }, (_, at) => `job:${at}`),
    ttlMs,
    maxTtlMs,
    nodeTimeoutMs,
    driftFactor: plant === "no-drift" ? 0 : driftFactor,
    clockStepMs: plant === "no-margin" ? 0 : clockStepMs,
    quarantine: plant !== "no-quarantine",
  };
}

async function interruptible(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch {
    // Ended early.
  }
}
