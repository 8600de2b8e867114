import { useEffect } from 'react';

/**
 * Gives the focus to the graph where what had it is gone or disabled: a panel that another one had opened, a command that was the last one to
 * undo, a form that may not be changed any more. Nothing would hear the keys otherwise.
 */
export function useKeptFocus(): void {
  const isHere = document.activeElement?.closest('.editor') != null;
  useEffect(() => {
    const { activeElement, body } = document;
    if (!isHere || !(activeElement === body || activeElement?.matches(':disabled'))) return;
    document.querySelector<HTMLElement>('.editor-canvas')?.focus({ preventScroll: true });
  });
}
