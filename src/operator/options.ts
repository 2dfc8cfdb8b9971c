import { checkKnown, string } from "../runtime/validate.js";
import type { ForceReleaseOptions } from "../api/reports.js";

/** @throws TypeError for an unknown option or a value that is not a string. */
export function checkForceReleaseOptions(options: ForceReleaseOptions): void {
  checkKnown(options, ["fingerprint"]);
  if (options.fingerprint !== undefined) string("fingerprint", options.fingerprint);
}
