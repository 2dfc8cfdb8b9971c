// One process of a contention. Forked by run.ts.
import { serve } from "../process/serve.js";
import type { Contender, ContenderQuestion } from "./contention.js";

let contender: Contender | undefined;

serve(async (question: ContenderQuestion) => {
  if (question.kind === "run") {
    return contender?.run(question.contention, question.measureMs);
  }
  const { subjectName, urls, place } = question;
  contender =
    subjectName === "floor"
      ? await (await import("./floor.js")).openFloor(urls, place)
      : await (await import("./workers.js")).openWorkers(subjectName, urls);
});
