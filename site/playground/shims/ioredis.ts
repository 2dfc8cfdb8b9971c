/** Only named: nodes of the simulator bring connections of their own. */
export const Redis = undefined;
export const Cluster = undefined;
export const Command = undefined;
