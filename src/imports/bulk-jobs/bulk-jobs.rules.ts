export const bulkJobStatuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type BulkJobStatus = (typeof bulkJobStatuses)[number];

export const hasEnded = (status: string): boolean => status !== 'queued' && status !== 'running';

/** Why a worker stops: it lost its lease, the job is being cancelled, or the process ends. */
export type Interruption = 'lost' | 'cancelled' | 'ending';

export class Interrupted extends Error {
  readonly why: Interruption;
  constructor(why: Interruption) {
    super(`The job was interrupted: ${why}.`);
    this.why = why;
  }
}

export function interruptedBy(state: { cancelRequested: boolean } | undefined, isEnding: boolean): Interruption | null {
  if (!state) return 'lost';
  if (state.cancelRequested) return 'cancelled';
  return isEnding ? 'ending' : null;
}
