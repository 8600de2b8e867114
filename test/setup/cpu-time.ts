/**
 * Processor time of this thread while `work` goes on, in milliseconds. For bounds on what a computation may take: unlike the
 * clock it stands still while other processes have their turn.
 */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
