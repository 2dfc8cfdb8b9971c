/** The CPU time of this process since the last call of what it returns, at first since now, microseconds. */
export function cpuClock(): () => number {
  let before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    return user + system;
  };
}
