// One process that contends. Forked by run.ts.
import { profiled } from "../budget/profile.js";
import { cpuClock } from "../process/cpu-clock.js";
import { serve } from "../process/serve.js";
import type { Contender, ContenderQuestion } from "./contention.js";

let contender: Contender | undefined;

serve(async (question: ContenderQuestion) => {
  if (question.kind === "open") {
    const { subjectName, urls, place } = question;
    contender =
      subjectName === "floor" || subjectName === "floor-granted"
        ? await (await import("./floor.js")).openFloor(urls, place, subjectName === "floor-granted")
        : await (await import("./workers.js")).openWorkers(subjectName, urls);
    return undefined;
  }
  if (question.kind === "warmUp") return contender?.warmUp(question.cycleCount);
  if (question.kind === "begin") return contender?.begin(question.contention);
  if (question.kind === "contend") {
    const { contention, forMs, isWatched } = question;
    contender?.begin(contention);
    const run = async (): Promise<void> => void (await contender?.measure(forMs));
    return isWatched ? Object.fromEntries(await profiled(run)) : await run();
  }
  const cpuUs = cpuClock();
  const answer = await contender?.measure(question.measureMs);
  return { ...answer, cpuUs: cpuUs() };
});
