/**
 * How many resources of one kind keep this process alive. Mocha's own timer of a test is among them from when the test
 * waits for the first time.
 */
export function activeResources(kind: "TCPSocketWrap" | "Timeout"): number {
  return process.getActiveResourcesInfo().filter((each) => each === kind).length;
}
