import { Suspense, useDeferredValue } from 'react';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { useMedia } from '#console/ui/use-media.ts';
import { DocsContents } from './docs-contents.tsx';
import { DocsResults } from './docs-results.tsx';
import { DocsSearch } from './docs-search.tsx';
import { DocsText } from './docs-text.tsx';
import { docsWords } from './docs.words.ts';

/** The documentation: all pages at the left, and a page or what a search found. `query` and `anchor` are empty where there is none. */
export function DocsPage({ page, anchor, query }: { page: string; anchor: string; query: string }) {
  const isWide = useMedia('(min-width: 900px)');
  const hasOutline = useMedia('(min-width: 1280px)');
  // Results of the words before stay until the new ones are there.
  const searched = useDeferredValue(query);
  return (
    <div className="docs">
      <nav className="docs-contents" aria-label={docsWords.title}>
        <DocsSearch query={query} />
        <details open={isWide}>
          <summary>{docsWords.contents}</summary>
          <DocsContents page={searched.trim() ? '' : page} />
        </details>
      </nav>
      <Suspense fallback={<Skeleton rows={12} />}>
        {searched.trim() ? (
          <DocsResults query={searched} />
        ) : (
          <DocsText name={page} anchor={anchor} isWide={hasOutline} />
        )}
      </Suspense>
    </div>
  );
}
