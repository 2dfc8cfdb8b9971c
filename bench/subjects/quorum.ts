/**
 * Resolves when `quorum` answers are good, rejects when that has become impossible. Written by hand, without a
 * promise per answer, so that the raw subjects are as fast as possible.
 */
export function untilQuorum(
  answers: readonly Promise<unknown>[],
  isGood: (answer: unknown) => boolean,
): Promise<void> {
  const quorum = Math.floor(answers.length / 2) + 1;
  return new Promise((resolve, reject) => {
    let goodCount = 0;
    let badCount = 0;
    const onBad = (): void => {
      if (++badCount > answers.length - quorum) reject(new Error("no quorum"));
    };
    const onAnswer = (answer: unknown): void => {
      if (!isGood(answer)) onBad();
      else if (++goodCount === quorum) resolve();
    };
    for (const answer of answers) void answer.then(onAnswer, onBad);
  });
}
