import { useCallback, useLayoutEffect, useRef } from 'react';

/** A function that stays the same while what it does changes, so that what it is given to is not rendered again. */
export function useStable<Given extends unknown[]>(act: (...given: Given) => void): (...given: Given) => void {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...given: Given) => latest.current(...given), []);
}
