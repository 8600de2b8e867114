import { titles } from 'causeway:docs';
import { PageLink } from './docs-link.tsx';
import { docsWords } from './docs.words.ts';
import { docsGroups } from './pages.ts';

/** All pages in their order. */
export function DocsContents({ page }: { page: string }) {
  const current = page.startsWith('decisions-') ? 'decisions' : page;
  return docsGroups.map(({ key, pages }) => (
    <section key={key}>
      <h2>{docsWords.group(key)}</h2>
      <ul>
        {pages.map((name) => (
          <li key={name}>
            <PageLink page={name} isCurrent={name === current}>
              {titles[name]}
            </PageLink>
          </li>
        ))}
      </ul>
    </section>
  ));
}
