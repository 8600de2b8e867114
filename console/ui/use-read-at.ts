import { useState } from 'react';
import { serverNow } from './clock.ts';

interface Answer {
  data?: unknown;
  error?: unknown;
  /** True for what the cache had, while the server is asked. */
  stale: boolean;
  operation?: unknown;
}

/** When a query was last answered by the server, in its time; 0 before. A read that failed has brought nothing newer. */
export function useReadAt({ data, error, stale, operation }: Answer): number {
  const [read, setRead] = useState<{ operation?: unknown; at: number }>({ at: 0 });
  if (data && !error && !stale && read.operation !== operation) setRead({ operation, at: serverNow() });
  return read.at;
}
