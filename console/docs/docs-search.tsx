import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { docsWords } from './docs.words.ts';

/** The words searched for are in the address, so that the way back from a page leads to the results again. */
export function DocsSearch({ query }: { query: string }) {
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // While somebody types, the address follows the field.
    if (input.current && input.current !== document.activeElement) input.current.value = query;
  }, [query]);
  const search = (q: string) => void navigate({ to: '.', search: q.trim() ? { q } : {}, replace: query !== '' });
  return (
    // Enter goes on to the results.
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('.docs-results a')?.focus();
        }}
      >
        <input
          ref={input}
          type="search"
          className="input docs-search"
          aria-label={docsWords.search}
          placeholder={docsWords.search}
          defaultValue={query}
          maxLength={191}
          onChange={(event) => search(event.target.value)}
        />
      </form>
    </search>
  );
}
