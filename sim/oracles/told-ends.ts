/** Ends of holds of which the node tells nobody: it does not see them, or they are none of ours. */
export const UNSEEN: ReadonlySet<string> = new Set(["expire", "overdue", "forget", "foreign"]);
