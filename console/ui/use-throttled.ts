import { useCallback, useEffect, useRef } from 'react';

/** A function that calls the newest `work` immediately, and after each further call no sooner than `everyMs` after the last. */
export function useThrottled(work: () => void, everyMs: number): () => void {
  const newest = useRef(work);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isAsked = useRef(false);
  useEffect(() => {
    newest.current = work;
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    if (timer.current !== undefined) {
      isAsked.current = true;
      return;
    }
    const run = () => {
      isAsked.current = false;
      timer.current = setTimeout(() => {
        timer.current = undefined;
        if (isAsked.current) run();
      }, everyMs);
      newest.current();
    };
    run();
  }, [everyMs]);
}
