import { type ReactNode, useEffect, useId, useRef } from 'react';
import { common } from '#console/words/common.words.ts';

/** A panel beside the content. It has an address, so that Back closes it; Escape does too. */
export function Panel({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  // The router would scroll a panel as the one that stood in its place.
  const scrollId = useId();
  // Read before a field of the panel takes the focus.
  const before = useRef(document.activeElement);
  useEffect(() => {
    const left = before.current;
    if (!panel.current?.contains(document.activeElement)) panel.current?.focus();
    return () => {
      // The panel that takes its place may have the focus already.
      if (document.activeElement === document.body && left instanceof HTMLElement) left.focus();
    };
  }, []);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Escape closes the panel from any field in it
    <aside
      ref={panel}
      className="panel"
      aria-label={title}
      tabIndex={-1}
      data-scroll-restoration-id={scrollId}
      onKeyDown={(event) => (event.key === 'Escape' && !event.defaultPrevented ? close() : undefined)}
    >
      <header className="panel-head">
        <h2>{title}</h2>
        <button type="button" className="bare" aria-label={common.close} onClick={close}>
          ×
        </button>
      </header>
      {children}
    </aside>
  );
}
