/** Only its name is used: nothing in the simulator opens a socket. */
export const Socket = undefined;
