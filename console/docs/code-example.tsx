import { useState } from 'react';
import { docsWords } from './docs.words.ts';

const shownMs = 2_000;

/** Code with its language as a label, to be copied as it is. */
export function CodeExample({ label, text }: { label: string; text: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'copyFailed'>();
  const copy = async () => {
    // Browsers have no clipboard on pages over plain http.
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setOutcome(done ? 'copied' : 'copyFailed');
    setTimeout(() => setOutcome(undefined), shownMs);
  };
  return (
    <figure className="docs-code">
      <figcaption>
        <span>{label}</span>
        <button type="button" className="docs-copy" onClick={() => void copy()}>
          <span aria-live="polite">{docsWords[outcome ?? 'copy']}</span>
        </button>
      </figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must take the focus */}
      <pre tabIndex={0} role="group" aria-label={label || docsWords.code}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
