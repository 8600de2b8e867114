import { useEffect } from 'react';

/** Calls `read` every `everyMs` while the page is visible, and when it becomes visible again. */
export function usePolled(read: () => void, everyMs: number): void {
  useEffect(() => {
    const readVisible = () => (document.visibilityState === 'visible' ? read() : undefined);
    const timer = setInterval(readVisible, everyMs);
    document.addEventListener('visibilitychange', readVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', readVisible);
    };
  }, [read, everyMs]);
}
