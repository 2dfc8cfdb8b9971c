import type {
  Candidacy,
  CampaignOutcome,
  Electorate,
  Leadership,
} from "../../src/manager/election/candidacy.js";

/** A term whose fate the test decides. */
export class ScriptedTerm implements Leadership {
  isHeld = true;
  isLost = false;
  /** The nodes have it back. */
  isReleased = false;
  isResigned = false;

  lose(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.isLost = true;
  }

  async resign(): Promise<void> {
    this.isResigned = true;
    this.isHeld = false;
    // A node answers later than all that goes on in the process now.
    await new Promise((resolve) => setImmediate(resolve));
    this.isReleased = true;
  }
}

interface ScriptedCampaign {
  readonly delayMs: number;
  readonly settle: (outcome: CampaignOutcome<ScriptedTerm>) => void;
  isLive: boolean;
}

/** Elections that end as the test says. */
export class ScriptedElectorate implements Electorate<ScriptedTerm> {
  readonly campaigns: ScriptedCampaign[] = [];
  readonly terms: ScriptedTerm[] = [];

  get live(): readonly ScriptedCampaign[] {
    return this.campaigns.filter(({ isLive }) => isLive);
  }

  campaign(
    delayMs: number,
    settle: (outcome: CampaignOutcome<ScriptedTerm>) => void,
  ): { abort: () => void } {
    const campaign: ScriptedCampaign = { delayMs, settle, isLive: true };
    this.campaigns.push(campaign);
    return {
      abort: () => {
        campaign.isLive = false;
      },
    };
  }

  unit(): number {
    return 0.5;
  }

  /** The last campaign is won, also one that was called off when its last vote was on its way. */
  elect(): ScriptedTerm | undefined {
    const campaign = this.campaigns.at(-1);
    if (campaign === undefined || this.terms.length === this.campaigns.length) return undefined;
    campaign.isLive = false;
    const term = new ScriptedTerm();
    this.terms.push(term);
    campaign.settle({ kind: "elected", term });
    return term;
  }

  fail(error: Error): void {
    const campaign = this.live.at(-1);
    if (campaign === undefined) return;
    campaign.isLive = false;
    campaign.settle({ kind: "failed", error });
  }
}

export const STEPS = [
  ...(["next", "nextTwice", "elect", "elect", "electAndLose", "electAndEnd"] as const),
  ...(["lose", "resign", "end", "nextAndEnd", "fail"] as const),
];
export type Step = (typeof STEPS)[number];

/**
 * Takes a candidacy through the steps, each to its end, and tells the first rule that it breaks:
 * one campaign or term at a time; none without somebody who waits for it or works in it; nobody is
 * handed a term that is over; nothing is left when it is over, and everybody is told.
 */
export async function brokenRule(
  newCandidacy: (electorate: ScriptedElectorate) => Candidacy<ScriptedTerm>,
  steps: readonly Step[],
): Promise<string | undefined> {
  const electorate = new ScriptedElectorate();
  const candidacy = newCandidacy(electorate);
  let waitingCount = 0;
  let broken: string | undefined;
  let isOver = false;

  const next = (): void => {
    waitingCount++;
    const wasOver = isOver;
    candidacy.next().then(
      ({ done, value }) => {
        waitingCount--;
        if (done !== true && !value.isHeld) broken ??= "a term that is over was handed out";
        if (done !== true && isOver) broken ??= "a term was handed out after the end";
      },
      () => {
        waitingCount--;
        if (wasOver) broken ??= "a failure was told twice";
        isOver = true;
      },
    );
  };
  const end = (): void => {
    isOver = true;
    void candidacy.end().then(() => {
      const left = electorate.terms.find((term) => !term.isLost && !term.isReleased);
      if (left !== undefined) broken ??= "it ended before the term was released";
    });
  };
  const steer: Readonly<Record<Step, () => void>> = {
    next,
    nextTwice: () => {
      next();
      next();
    },
    elect: () => void electorate.elect(),
    electAndLose: () => electorate.elect()?.lose(),
    electAndEnd: () => {
      electorate.elect();
      end();
    },
    lose: () => electorate.terms.at(-1)?.lose(),
    resign: () => void electorate.terms.at(-1)?.resign(),
    end,
    nextAndEnd: () => {
      next();
      end();
    },
    fail: () => electorate.fail(new Error("hopeless")),
  };

  for (const [index, step] of steps.entries()) {
    steer[step]();
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    broken ??= ruleBroken();
    if (broken !== undefined) return `${broken}, after step ${index} (${step})`;
  }
  return undefined;

  function ruleBroken(): string | undefined {
    const held = electorate.terms.filter(({ isHeld }) => isHeld).length;
    const live = electorate.live.length;
    if (held + live > 1) return "more than one campaign or term at a time";
    if (isOver && held > 0) return "a term is left when it is over";
    if (isOver && live > 0) return "a campaign is left when it is over";
    if (isOver && waitingCount > 0) return "somebody still waits when it is over";
    if (waitingCount > 0 && live === 0) return "somebody waits for no campaign";
    if (waitingCount === 0 && live > 0) return "a campaign for nobody";
    if ((candidacy.term !== undefined) !== held > 0) return "it does not know its term";
    return undefined;
  }
}
