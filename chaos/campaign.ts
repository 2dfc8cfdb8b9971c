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

/** For stragglers and releases under way, once all is healthy and nobody asks for anything, ms. */
const SETTLE_MS = 500;

export interface CampaignOptions {
  /** Directory for the parts of the history while it is made. */
  readonly scratchDir: string;
  /**
   * Ends the campaign early: it is judged as far as it came. Whether all goes well again after the
   * faults is not waited for, and so not judged.
   */
  readonly signal?: AbortSignal;
  /** Called now and then with what there is to see. */
  readonly onView?: (view: View) => void;
}

const VIEW_EVERY_MS = 250;

/**
 * Runs a campaign against real servers and returns its history, in order of time.
 *
 * @throws Error when the harness itself failed: then the history says nothing.
 */
export async function runCampaign(
  settings: CampaignSettings,
  { scratchDir, signal, onView }: CampaignOptions,
): Promise<ChaosRecord[]> {
  mkdirSync(scratchDir, { recursive: true });
  const dir = mkdtempSync(join(scratchDir, "campaign-"));
  const records = await recordIn(dir, settings, signal, onView);
  // Only now, and not after a failure.
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

/**
 * Once all is well: a dead holder's lease, the quarantine of all who forgot, and a few retries. After outages
 * alone nobody has died or forgotten, and what was not released must not run out before it is seen.
 */
function progressMs({ schedule, ttlMs, maxTtlMs }: CampaignSettings): number {
  return schedule === "outages" ? 4_000 : ttlMs + maxTtlMs + 2_500;
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
