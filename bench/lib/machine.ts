import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

export interface Machine {
  /** The processor's model name, never the host's. */
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
  /** One-minute load average at the time of the call; above the number of cores the figures are worth little. */
  readonly load: number;
}

/** The facts about the machine that a reader needs to judge a figure. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}
