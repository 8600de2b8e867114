import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type Doing, nothingShown } from './doing.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** A panel was opened in this entry, so the one before it has none. */
    isPanel?: boolean;
  }
}

/** Milliseconds within which the browser has gone back, unless the user stays with what was entered. */
const backMs = 500;

type Changes = Readonly<Record<string, string | undefined>>;

/**
 * What the address says is shown beside the graph. Opening a panel makes an entry of the browser's history, which Back and closing the panel
 * leave; what is shown after that takes the place of the panel in the same entry.
 */
export function useShown() {
  const address: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { history } = useRouter();
  const leftAt = useRef(-Infinity);
  const next = useRef<Changes>(undefined);
  const isLeaving = () => performance.now() - leftAt.current < backMs;
  const isShown = address['node'] !== undefined || address['do'] !== undefined;
  const show = (changes: Changes) => {
    // Going back takes a moment, and would take away what is opened meanwhile.
    if (isLeaving()) return void (next.current = changes);
    const now = new URLSearchParams(history.location.search);
    const isOpen = now.has('node') || now.has('do');
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, ...changes }),
      replace: isOpen,
      state: isOpen || { isPanel: true },
    });
  };
  const close = () => {
    if (!history.location.state.isPanel) return show(nothingShown);
    if (isLeaving()) return;
    leftAt.current = performance.now();
    next.current = undefined;
    history.back();
  };
  useEffect(() => {
    if (isShown || !isLeaving()) return;
    leftAt.current = -Infinity;
    if (next.current) show(next.current);
    next.current = undefined;
  });
  // A part that was tried before is not what is asked for now.
  const start = (doing: Doing) => show({ do: doing, node: undefined, part: undefined, at: undefined });
  return { address, show, close, start };
}
