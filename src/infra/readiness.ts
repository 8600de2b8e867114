/** What /readyz tells: whether the process can do its work, and what it lacks. */
export interface Readiness {
  status: 'starting' | 'ready' | 'unavailable' | 'stopping';
  /** What an unavailable process waits for. */
  missing?: ('database' | 'worker')[];
}

export const readyStatus = ({ status }: Readiness): 200 | 503 => (status === 'ready' ? 200 : 503);
