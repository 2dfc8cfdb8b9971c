/** Which kind of lock does what: the decision tree and the table of docs/start/choosing.md. */
export interface Branch {
  /** In the tree; short enough for a phone. */
  readonly when: string;
  /** In the tree, as code. */
  readonly code: string;
  /** In the table: what to use, in Markdown as of docs/start. */
  readonly use: string;
  readonly what: string;
}

export interface Fork {
  readonly question: string;
  readonly branches: readonly Branch[];
}

export const CHOICES: readonly Fork[] = [
  {
    question: "One holder at a time",
    branches: [
      {
        when: "the others wait",
        code: "request",
        use: "[`request`](getting-started.md#request-acquire-run-release), or `acquire` to hold the lock yourself",
        what: "a mutex: acquired, renewed, released; you are notified if it is lost",
      },
      {
        when: "the others skip the work",
        code: "tryAcquire",
        use: "[`tryAcquire`](getting-started.md#tryacquire-now-or-not-at-all)",
        what: "returns `null` if the name is held; throws if too few nodes answer to decide",
      },
      {
        when: "once, on a schedule",
        code: "minHoldMs",
        use: "`tryAcquire` with `waitMs` and [`minHoldMs`](../how-to/cron.md)",
        what: "a job that finishes early keeps the name closed for a while, for machines whose clocks differ",
      },
      {
        when: "the others stand by",
        code: "elect",
        use: "[`elect`](../how-to/election.md)",
        what: "a leader among many instances, in a loop of terms. A crashed leader is replaced after one ttl; a leader that resigns, immediately",
      },
    ],
  },
  {
    question: "Several holders at a time",
    branches: [
      {
        when: "many readers, one writer",
        code: 'mode: "shared"',
        use: '[`mode: "shared"`](../how-to/shared-locks.md) for readers',
        what: "each reader has its own lease; writers are not starved by a stream of readers",
      },
      {
        when: "at most k of them",
        code: "semaphore",
        use: "[`semaphore`](../how-to/semaphores.md)",
        what: "each permit is a lock on a quorum, so never more than k, even while nodes are down; `lock.permit` is its number",
      },
      {
        when: "the processes of one job",
        code: "owner",
        use: "[`owner`](../how-to/owners.md) with the job's name",
        what: "its holds count together; each has its own lease",
      },
    ],
  },
  {
    question: "More than one lock",
    branches: [
      {
        when: "all of them, or none",
        code: '["a", "b"]',
        use: "[a list of names](../how-to/several-names.md)",
        what: "one atomic operation per node; overlapping sets cannot deadlock",
      },
      {
        when: "again, in a nested call",
        code: "reentrant: true",
        use: "[`reentrant: true`](../how-to/reentrancy.md) in the outer and the inner call",
        what: "joins the caller's lock; the last release frees it",
      },
    ],
  },
  {
    question: "For code that uses",
    branches: [
      {
        when: "Web Locks",
        code: "request",
        use: "[`request`](../how-to/web-locks.md)",
        what: "the call of `navigator.locks`, across processes, with `ifAvailable`, `steal` and `signal`",
      },
      {
        when: "redlock",
        code: "quorate/redlock",
        use: "[`quorate/redlock`](../how-to/migrating-from-redlock.md)",
        what: "the same interface and keys",
      },
      {
        when: "Redisson",
        code: 'layout: "redisson"',
        use: '[`layout: "redisson"`](../how-to/other-clients.md#redisson)',
        what: "shares locks with services in Java: the same hash, count, lease and unlock message",
      },
      {
        when: "SETNX and GETSET",
        code: 'layout: "timestamp"',
        use: '[`layout: "timestamp"`](../how-to/other-clients.md#setnx-and-getset)',
        what: "mutual exclusion by the node's clock, with a second for clock skew",
      },
    ],
  },
];

/** The table of the page, which says the same as the tree. */
export function choicesTable(): string {
  const rows = CHOICES.flatMap(({ question, branches }) =>
    branches.map(({ when, use, what }, at) => {
      return [at === 0 ? `**${question}**<br>${when}` : when, use, what];
    }),
  );
  const head = [
    ["I want", "use", "what it does"],
    ["---", "---", "---"],
  ];
  return [...head, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
