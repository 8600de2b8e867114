import { useEffect } from 'react';

/** Gives the focus to the graph of an editor that was just opened, unless its panel has it: keys act from the start. */
export function useFirstFocus(): void {
  useEffect(() => {
    const { activeElement, body } = document;
    if (activeElement !== null && activeElement !== body) return;
    document.querySelector<HTMLElement>('.editor-canvas')?.focus({ preventScroll: true });
  }, []);
}
