/**
 * Processor time of this thread during `work`, in milliseconds. For bounds on the cost of a computation: unlike the clock it stands still
 * while other processes run.
 */
export async function measureCpuTime(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
