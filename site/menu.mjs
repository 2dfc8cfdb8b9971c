/**
 * The sidebar: the folders of docs/, from the first steps to the internals. A link is a path in the repository; links to
 * pages that only the built site has begin with a slash.
 */
export const MENU = [
  {
    text: "Start",
    items: [
      { text: "What it is", link: "README.md" },
      { text: "The manual", link: "docs/README.md" },
      { text: "Twenty minutes", link: "docs/start/twenty-minutes.md" },
      { text: "Getting started", link: "docs/start/getting-started.md" },
      { text: "Which lock do I need?", link: "docs/start/choosing.md" },
      { text: "Examples", link: "examples/README.md" },
    ],
  },
  {
    text: "How to",
    items: [
      {
        text: "Recipes",
        link: "docs/how-to/recipes.md",
        items: [
          { text: "Cron jobs", link: "docs/how-to/cron.md" },
          { text: "Jobs", link: "docs/how-to/jobs.md" },
          { text: "Rate limits", link: "docs/how-to/rate-limits.md" },
          { text: "Payments", link: "docs/how-to/payments.md" },
          { text: "Caches", link: "docs/how-to/caches.md" },
          { text: "Migrations", link: "docs/how-to/migrations.md" },
          { text: "Webhooks", link: "docs/how-to/webhooks.md" },
          { text: "Worker ids", link: "docs/how-to/worker-ids.md" },
          { text: "Shutting down", link: "docs/how-to/shutdown.md" },
        ],
      },
      { text: "NestJS", link: "docs/how-to/nestjs.md" },
      { text: "Fastify", link: "docs/how-to/fastify.md" },
      { text: "Testing your code", link: "docs/how-to/testing.md" },
      { text: "Other client libraries", link: "docs/how-to/transports.md" },
      { text: "Several names at once", link: "docs/how-to/several-names.md" },
      { text: "Shared and exclusive", link: "docs/how-to/shared-locks.md" },
      { text: "Semaphores", link: "docs/how-to/semaphores.md" },
      { text: "Leader election", link: "docs/how-to/election.md" },
      { text: "Reentrant locks", link: "docs/how-to/reentrancy.md" },
      { text: "Owners", link: "docs/how-to/owners.md" },
      { text: "Lock-delay", link: "docs/how-to/lock-delay.md" },
      { text: "Handing a lock over", link: "docs/how-to/handing-over.md" },
      { text: "Web Locks", link: "docs/how-to/web-locks.md" },
      { text: "Beside other clients", link: "docs/how-to/other-clients.md" },
      { text: "Coming from redlock", link: "docs/how-to/migrating-from-redlock.md" },
    ],
  },
  {
    text: "Operate",
    items: [
      { text: "In production", link: "docs/operate/operations.md" },
      { text: "Connecting to the nodes", link: "docs/operate/nodes.md" },
      { text: "Permissions", link: "docs/operate/permissions.md" },
      { text: "Sizing", link: "docs/operate/sizing.md" },
      { text: "Restarts and upgrades", link: "docs/operate/restarts.md" },
      { text: "Changing the nodes", link: "docs/operate/changing-nodes.md" },
      { text: "Clocks", link: "docs/operate/clocks.md" },
      { text: "Managed Redis", link: "docs/operate/managed-redis.md" },
      { text: "Telemetry", link: "docs/operate/telemetry.md" },
      { text: "Alerts", link: "docs/operate/alerts.md" },
      { text: "Inspecting locks", link: "docs/operate/inspecting.md" },
      { text: "Troubleshooting", link: "docs/operate/troubleshooting.md" },
      { text: "Versions and support", link: "docs/operate/versions.md" },
    ],
  },
  {
    text: "Reference",
    items: [
      { text: "Options, exports, limits", link: "docs/reference/api.md" },
      { text: "Errors and warnings", link: "docs/reference/errors.md" },
      { text: "Events and metrics", link: "docs/reference/events.md" },
      { text: "API", link: "/api/" },
      { text: "The command line", link: "docs/reference/cli.md" },
      { text: "Guarantees", link: "docs/reference/guarantees.md" },
      { text: "Changelog", link: "CHANGELOG.md" },
      { text: "Security", link: "SECURITY.md" },
    ],
  },
  {
    text: "Explain",
    items: [
      { text: "Fencing", link: "docs/explain/fencing.md" },
      { text: "Questions", link: "docs/explain/faq.md" },
      { text: "Is Redlock safe?", link: "docs/explain/redlock-debate.md" },
      {
        text: "Comparison under faults",
        link: "docs/explain/comparison.md",
        items: [{ text: "Fault by fault", link: "bench/results/compare.md" }],
      },
      { text: "Alternatives", link: "docs/explain/alternatives.md" },
      {
        text: "Performance",
        link: "docs/explain/performance.md",
        items: [{ text: "All figures", link: "bench/results/latest.md" }],
      },
    ],
  },
  {
    text: "Internals",
    items: [
      { text: "Contributing", link: "CONTRIBUTING.md" },
      { text: "How it works", link: "docs/internals/protocol.md" },
      { text: "Test a promise yourself", link: "docs/internals/promises.md" },
      { text: "The simulator", link: "docs/internals/simulator.md" },
      {
        text: "Fault campaigns",
        link: "docs/internals/faults.md",
        items: [{ text: "Report of a campaign", link: "/campaign.html" }],
      },
      {
        text: "About the playground",
        link: "docs/internals/playground.md",
        items: [{ text: "Open the playground", link: "/playground.html" }],
      },
      { text: "What is tested where", link: "docs/internals/tested.md" },
      { text: "Speed", link: "docs/internals/speed.md" },
      { text: "Mutants", link: "docs/internals/mutants.md" },
    ],
  },
];
