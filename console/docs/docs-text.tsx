import { titles } from 'causeway:docs';
import { use, useEffect, useRef } from 'react';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { Blocks } from './blocks.tsx';
import { PageLink } from './docs-link.tsx';
import { docsWords } from './docs.words.ts';
import { loadPage } from './load-page.ts';
import { docsOrder } from './pages.ts';
import { inlineText } from './sections.ts';
import type { Page } from './tree.ts';

/** The text of a page, its outline beside it, and its neighbours below. */
export function DocsText({ name, anchor, isWide }: { name: string; anchor: string; isWide: boolean }) {
  const page = use(loadPage(name));
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!page) return;
    // The link that was followed may be gone; reading goes on here.
    if (document.activeElement === document.body) article.current?.focus({ preventScroll: true });
    // On the way back, the router then restores the position that the page had.
    const target = anchor ? document.querySelector(`#${CSS.escape(anchor)}`) : article.current?.parentElement;
    target?.scrollIntoView();
  }, [page, anchor]);
  if (!page) return <NoPage name={name} />;
  return (
    <>
      <article className="docs-text" lang="en" ref={article} tabIndex={-1}>
        <PageHeading text={page.title} />
        <Blocks of={page.blocks} page={name} />
        <Neighbours name={name} />
      </article>
      <Outline page={page} isOpen={isWide} />
    </>
  );
}

function Outline({ page, isOpen }: { page: Page; isOpen: boolean }) {
  const headings = page.blocks.filter((block) => block.type === 'heading').filter(({ depth }) => depth <= 3);
  if (headings.length < 2) return null;
  return (
    <details className="docs-outline" open={isOpen}>
      <summary>{docsWords.outline}</summary>
      <ul lang="en">
        {headings.map(({ id, depth, children }) => (
          <li key={id} className={depth === 3 ? 'docs-deep' : undefined}>
            <PageLink page={page.name} anchor={id}>
              {inlineText(children)}
            </PageLink>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Neighbours({ name }: { name: string }) {
  const index = docsOrder.findIndex((other) => other === name);
  if (index === -1) return null;
  const [before, after] = [docsOrder[index - 1], docsOrder[index + 1]];
  return (
    <nav className="docs-neighbours" aria-label={docsWords.neighbours}>
      {before && <PageLink page={before}>← {titles[before]}</PageLink>}
      {after && (
        <PageLink page={after} className="docs-after">
          {titles[after]} →
        </PageLink>
      )}
    </nav>
  );
}

function NoPage({ name }: { name: string }) {
  return (
    <div className="docs-text">
      <PageHeading text={docsWords.noPage(name)} />
      <p>{docsWords.noPageHelp}</p>
    </div>
  );
}
