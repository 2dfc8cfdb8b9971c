/** Only named: nothing in the simulator opens a socket. */
export const Socket = undefined;
