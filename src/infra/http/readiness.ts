/** The content of /readyz: whether the process can work, and what is missing. */
export interface Readiness {
  status: 'starting' | 'ready' | 'unavailable' | 'stopping';
  /** A condition that does not pass by itself: the log says what to do before the process is started again. */
  alarm?: 'two_primaries';
  /** The dependencies that an unavailable process is waiting for. */
  missing?: ('database' | 'disk' | 'bucket' | 'worker')[];
}

export const readyStatus = ({ status }: Readiness): 200 | 503 => (status === 'ready' ? 200 : 503);
