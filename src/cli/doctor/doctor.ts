import { defineCommand, flag } from "../command.js";
import { checkingNodes, checkSettings } from "../connect.js";
import { EXIT } from "../exit-codes.js";
import { findingsOf } from "./findings.js";
import { countOf, doctorReport, doctorText } from "./report.js";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Check every node and the deployment, and say what to change",
  synopsis: "[OPTIONS]",
  words: { min: 0, max: 0, title: "no arguments" },
  options: { strict: flag({ help: "exit 1 if there are warnings" }) },
  notes: `
Checks each node with the options that your locks use, and tries locks of all kinds there, on separate
names. It changes nothing and leaves nothing behind. Run it with the nodes and the config file of your
service: it compares them with the nodes' records.
Exits 0 without errors, 78 with errors, and with --strict 1 with warnings.`,
  examples: [
    "quorate doctor",
    "quorate doctor --config shop.config.json --strict --quiet",
    "quorate doctor --json | jq '.findings[] | select(.severity == \"error\")'",
  ],
  async run(call) {
    const { output, values } = call;
    const checked = await checkSettings(call);
    // Imported here, so that help does not load the library.
    const { resolveManagerOptions } = await import("../../options/resolve.js");
    const { probeFleet } = await import("./probe.js");
    const { serverNodes } = await import("../../nodes/server-nodes.js");
    const { handshakeTimeoutMs } = await import("../../protocol/deadlines.js");
    const manager = resolveManagerOptions(checked.options);
    const { driftFactor, allowEviction, keyPrefix } = manager;
    const { raisesTtl, firstTtlMs } = manager.longestTtl;
    const settings = {
      ...{ maxTtlMs: raisesTtl ? manager.maxTtlMs : undefined, firstTtlMs },
      ...{ driftFactor, allowEviction, keyPrefix },
      nodeTimeoutMs: checked.lease.nodeTimeoutMs,
      clockStepMs: manager.clockStepMs,
      isQuarantineOn: manager.quarantine !== "off",
    };
    const nodes = checkingNodes(checked, () => {
      return serverNodes(checked.nodes, handshakeTimeoutMs(settings.nodeTimeoutMs));
    });
    const fleet = await probeFleet(nodes, settings);
    const findings = findingsOf(fleet, settings);
    const report = doctorReport(fleet, settings, findings);
    if (output.isJson) output.json(report);
    else if (!output.isQuiet || findings.length > 0) output.print(doctorText(report, output));
    if (countOf(findings, "error") > 0) return EXIT.config;
    return values.strict === true && countOf(findings, "warning") > 0 ? EXIT.no : EXIT.ok;
  },
});
