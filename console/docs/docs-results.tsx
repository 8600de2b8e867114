import { use } from 'react';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { PageLink } from './docs-link.tsx';
import { docsWords } from './docs.words.ts';
import { findExcerpt } from './excerpt.ts';
import { findPages, type Result } from './load-page.ts';

/** The pages that have the words, each with the place where they are. */
export function DocsResults({ query }: { query: string }) {
  const { found, best } = use(findPages(query));
  return (
    <div className="docs-text docs-results">
      <PageHeading text={docsWords.title} />
      <p role="status">{docsWords.results(found, query)}</p>
      {found === 0 && <p>{docsWords.noResultsHelp}</p>}
      <ol lang="en">
        {best.map((result) => (
          <li key={result.page}>
            <Excerpt result={result} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Excerpt({ result: { page, content, terms } }: { result: Result }) {
  const { anchor, heading, parts } = findExcerpt(content, terms);
  return (
    <>
      <PageLink page={page} {...(anchor && { anchor })}>
        {content.title}
        {heading !== content.title && ` › ${heading}`}
      </PageLink>
      <p>{parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}</p>
    </>
  );
}
