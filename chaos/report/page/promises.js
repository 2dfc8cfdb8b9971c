/** What the id in a violation stands for; docs/reference/guarantees.md has the full text. */
export const PROMISES = {
  S1: "no two clients hold a name at once",
  S6: "a client learns in time that it lost a lock",
  F1: "fencing tokens grow with every grant",
  F2: "a fenced store accepts no write of an earlier holder",
  F3: "no update is lost",
  L1: "every call settles in time",
  L2: "a free name is granted again",
  L3: "a released lock leaves no keys behind",
  L4: "close() settles in time",
  R1: "release() never rejects, and gives the same answer twice",
};
