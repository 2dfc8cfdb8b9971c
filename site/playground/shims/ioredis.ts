/** Only its name is used: nodes of the simulator have connections of their own. */
export const Redis = undefined;
export const Cluster = undefined;
export const Command = undefined;
