import { useEffect, useState } from 'react';
import { serverNow } from '#console/ui/clock.ts';

/** The server's time in epoch milliseconds, which moves on every second while something runs. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(serverNow()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
