import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, release, type } from "node:os";
import { join } from "node:path";
import { versions } from "../bench/compare/versions.js";
import { fillMarks } from "../pages/marks.js";
import type { CampaignSettings } from "./settings.js";
import type { Figures } from "./verdict/figures.js";
import { rowOf, TABLE_HEAD } from "./verdict/table.js";
import type { Verdict } from "./verdict/verdict.js";

/** What the page of the campaigns and the site show. */
export const PUBLISHED_DIR = join("chaos", "results");

const PAGE = join("docs", "internals", "faults.md");

/** A campaign that was judged. */
export interface Judged {
  readonly settings: CampaignSettings;
  readonly figures: Figures;
  readonly verdict: Verdict;
}

/** The content of `latest.json`. */
export interface Published {
  readonly command: string;
  readonly date: string;
  readonly machine: string;
  readonly campaigns: readonly Judged[];
}

/** Writes data, the page's figures, and the report of the last campaign. */
export function publish(campaigns: readonly Judged[], date: Date, report: string): void {
  const { node, redis } = versions();
  const [cpu] = cpus();
  const published: Published = {
    command: commandOf(campaigns.map(({ settings }) => settings)),
    date: date.toISOString(),
    machine: `Node ${node}, Redis ${redis}; ${type()} ${release()}, ${cpus().length} x ${cpu?.model.trim() ?? "unknown"}`,
    campaigns,
  };
  mkdirSync(PUBLISHED_DIR, { recursive: true });
  writeFileSync(join(PUBLISHED_DIR, "latest.json"), `${JSON.stringify(published, undefined, 1)}\n`);
  copyFileSync(report, join(PUBLISHED_DIR, "latest.html"));
  writeFileSync(PAGE, withCampaigns(readFileSync(PAGE, "utf8"), published));
}

/** A page with the table of these campaigns, and with what made it. */
export function withCampaigns(page: string, published: Published): string {
  const { command, date, machine, campaigns } = published;
  const rows = campaigns.map(({ settings, figures, verdict }) => rowOf(settings, figures, verdict));
  const about = `\`${command}\`, ${date.slice(0, 10)}; ${machine}.`;
  return fillMarks(page, {
    "chaos:series": `${about}\n\n${[TABLE_HEAD, ...rows].join("\n")}`,
  });
}

function commandOf([first, ...others]: readonly CampaignSettings[]): string {
  if (first === undefined) throw new Error("no campaign to publish");
  const seeds = [first, ...others].map(({ seed }) => seed).join(",");
  const profile = first.profile === "model" ? "" : ` --profile ${first.profile}`;
  return `npm run chaos -- --seed ${seeds} --minutes ${first.durationMs / 60_000}${profile}`;
}
