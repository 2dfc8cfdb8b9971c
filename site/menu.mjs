/**
 * The sidebar, in groups from the introduction to the details. A link is a path in the repository; links to pages
 * that only the built site has begin with a slash.
 */
export const MENU = [
  {
    text: "Start",
    items: [
      { text: "What it is", link: "README.md" },
      { text: "Getting started", link: "docs/getting-started.md" },
      { text: "Which lock do I need?", link: "docs/choosing.md" },
      { text: "Recipes", link: "docs/recipes.md" },
      { text: "Fencing", link: "docs/fencing.md" },
      { text: "In a service", link: "docs/services.md" },
      { text: "Testing your code", link: "docs/testing.md" },
      { text: "Questions", link: "docs/faq.md" },
    ],
  },
  {
    text: "Kinds of lock",
    items: [
      { text: "Several names at once", link: "docs/several-names.md" },
      { text: "Shared and exclusive", link: "docs/shared-locks.md" },
      { text: "Semaphores", link: "docs/semaphores.md" },
      { text: "Leader election", link: "docs/election.md" },
      { text: "Reentrant locks", link: "docs/reentrancy.md" },
      { text: "Owners", link: "docs/owners.md" },
      { text: "Lock-delay", link: "docs/lock-delay.md" },
      { text: "Handing a lock over", link: "docs/handing-over.md" },
      { text: "Web Locks", link: "docs/web-locks.md" },
      { text: "Coming from redlock", link: "docs/migrating-from-redlock.md" },
      { text: "Beside Redisson", link: "docs/redisson.md" },
      { text: "Beside SETNX and GETSET", link: "docs/timestamp-locks.md" },
    ],
  },
  {
    text: "Operate",
    items: [
      { text: "Running the nodes", link: "docs/operations.md" },
      { text: "Managed Redis", link: "docs/managed-redis.md" },
      { text: "Other clients", link: "docs/transports.md" },
      { text: "Telemetry", link: "docs/telemetry.md" },
      { text: "The command line", link: "docs/cli.md" },
      { text: "Inspecting locks", link: "docs/inspecting.md" },
      { text: "Troubleshooting", link: "docs/troubleshooting.md" },
    ],
  },
  {
    text: "Proof",
    items: [
      {
        text: "Is Redlock safe?",
        link: "docs/redlock-debate.md",
        items: [
          { text: "Open the playground", link: "/playground.html" },
          { text: "About the playground", link: "docs/playground.md" },
        ],
      },
      { text: "Guarantees", link: "docs/guarantees.md" },
      { text: "How it works", link: "docs/protocol.md" },
      { text: "The simulator", link: "docs/simulator.md" },
      { text: "Fault campaigns", link: "docs/faults.md" },
      { text: "Mutants", link: "docs/mutants.md" },
      { text: "Comparison under faults", link: "docs/comparison.md" },
      { text: "Alternatives", link: "docs/alternatives.md" },
      {
        text: "Performance",
        link: "docs/performance.md",
        items: [{ text: "All figures", link: "bench/results/latest.md" }],
      },
    ],
  },
  {
    text: "Reference",
    items: [
      { text: "Options, errors, limits", link: "docs/reference.md" },
      { text: "API", link: "/api/" },
      { text: "Versions and support", link: "docs/versions.md" },
      { text: "Changelog", link: "CHANGELOG.md" },
      { text: "Security", link: "SECURITY.md" },
      { text: "Contributing", link: "CONTRIBUTING.md" },
    ],
  },
];
