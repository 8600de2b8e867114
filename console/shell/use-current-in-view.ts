import { type RefObject, useEffect, useRef } from 'react';

/** Scrolls a row of links to the one that is open, on a window too narrow for all of them. `current` changes with it. */
export function useCurrentInView(current: string | undefined): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    if (current === undefined) return;
    const link = row.current?.querySelector<HTMLElement>('[aria-current]');
    // Not scrollIntoView, which would move the page as well.
    if (!link || !row.current) return;
    const [at, within] = [link.getBoundingClientRect(), row.current.getBoundingClientRect()];
    row.current.scrollLeft += at.left - within.left - (within.width - at.width) / 2;
  }, [current]);
  return row;
}
