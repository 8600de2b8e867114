import { useState } from 'react';
import { codeLabel } from './code-label.ts';
import { docsWords } from './docs.words.ts';
import { fillAddress, serverAddress } from './server-address.ts';

const shownMs = 2_000;

/** An example with this server's address, to be copied as it is. */
export function CodeBlock({ info, text }: { info: string; text: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'copyFailed'>();
  const label = codeLabel(info);
  const example = fillAddress(text, serverAddress(document.baseURI));
  const copy = async () => {
    // Browsers have no clipboard on pages over plain http.
    const done = await navigator.clipboard?.writeText(example).then(
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
        <code>{example}</code>
      </pre>
    </figure>
  );
}
