import { isatty } from "node:tty";
import { UsageError } from "../exit-codes.js";
import { ownGroupId } from "./process-table.js";

export const TTY_CHOICES = ["auto", "always", "never"] as const;

/**
 * Whether the command stays in quorate's process group, so that it has the terminal: job control, `/dev/tty`, and keys
 * such as Ctrl-C go to it directly. Only if quorate leads its group, as a job of a shell does: any other group contains
 * processes that must not be stopped.
 *
 * @throws UsageError if it has to stay and cannot
 */
export function staysInTerminal(
  choice: (typeof TTY_CHOICES)[number],
  isLeader: boolean = ownGroupId() === process.pid,
  hasTerminal: boolean = isatty(0),
): boolean {
  if (choice === "never") return false;
  if (choice === "auto") return isLeader && hasTerminal;
  if (isLeader) return true;
  throw new UsageError(
    "--tty always: quorate must lead its process group, as a job of a shell does",
  );
}
