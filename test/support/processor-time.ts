/** Milliseconds that this process has computed. Unlike the clock, it does not run on while others have the processor. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
