import { isExcused, type Excuses } from "../protocol/capabilities.js";
import type { Handshake } from "./node-connection.js";
import type { ConnectionFailure } from "./transport.js";

/**
 * Why a server that answers must not vote; undefined if it may.
 *
 * @param twin the other node that is the same server, by index
 */
export function nodeProblem(
  { problems }: Handshake,
  twin: number | undefined,
  excuses: Excuses,
): ConnectionFailure | undefined {
  if (twin !== undefined) {
    const message = `the same server as \`nodes[${twin}]\`; list each server once`;
    return { message, isMisconfigured: true, isListedTwice: true };
  }
  const problem = problems.find((each) => !isExcused(each, excuses));
  return problem && { message: problem.message, isMisconfigured: true };
}
