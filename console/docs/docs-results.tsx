import { titles } from 'causeway:docs';
import { Suspense, use } from 'react';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { PageLink } from './docs-link.tsx';
import { docsWords } from './docs.words.ts';
import { findExcerpt } from './excerpt.ts';
import { findPages, loadPage } from './load-page.ts';
import type { Hit } from './search-index.ts';

const maxShown = 12;

/** The pages that have the words, each with the place where they are. */
export function DocsResults({ query }: { query: string }) {
  const hits = use(findPages(query));
  return (
    <div className="docs-text docs-results">
      <PageHeading text={docsWords.title} />
      <p role="status">{docsWords.results(hits.length, query)}</p>
      {hits.length === 0 && <p>{docsWords.noResultsHelp}</p>}
      <ol lang="en">
        {hits.slice(0, maxShown).map((hit) => (
          <li key={hit.page}>
            <Suspense fallback={<PageLink page={hit.page}>{titles[hit.page]}</PageLink>}>
              <Result hit={hit} />
            </Suspense>
          </li>
        ))}
      </ol>
    </div>
  );
}

function Result({ hit }: { hit: Hit }) {
  const page = use(loadPage(hit.page));
  if (!page) return null;
  const { anchor, heading, parts } = findExcerpt(page, hit.terms);
  return (
    <>
      <PageLink page={hit.page} {...(anchor && { anchor })}>
        {page.title}
        {heading !== page.title && ` › ${heading}`}
      </PageLink>
      <p>{parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}</p>
    </>
  );
}
