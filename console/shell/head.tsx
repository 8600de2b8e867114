import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { DocsLink } from '#console/docs/docs-link.tsx';
import { Viewer } from '#console/graph/viewer.documents.ts';
import { lazily } from '#console/ui/lazily.tsx';
import { common } from '#console/words/common.words.ts';
import { AccountMenu } from './account-menu.tsx';
import { findNoun } from './nouns.ts';
import { nounTitle } from './nouns.words.ts';
import { noTenant } from './readers.ts';
import { shellWords } from './shell.words.ts';
import { TenantMenu } from './tenant-menu.tsx';

const Palette = lazily(() => import('./palette.tsx').then(({ Palette }) => Palette));

/** Where the reader is, the tenant, the search and the account. */
export function Head() {
  const { tenant, noun = '' } = useParams({ strict: false });
  const [{ data }] = useQuery({ query: Viewer });
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener('keydown', open);
    return () => removeEventListener('keydown', open);
  }, []);
  return (
    <header className="head">
      <Link to="/" className="head-name">
        Causeway
      </Link>
      {tenant !== undefined && (
        <>
          {tenant === noTenant ? (
            <span>{shellWords.installation}</span>
          ) : (
            <TenantMenu tenant={tenant} tenants={data?.me.tenants ?? []} />
          )}
          {findNoun(noun) && <span className="head-path">{nounTitle(noun)}</span>}
        </>
      )}
      <span className="head-space" />
      <DocsLink page={findNoun(noun)?.docs ?? 'console'}>{shellWords.docs}</DocsLink>
      {tenant !== undefined && (
        <button type="button" className="head-search" onClick={() => setOpen(true)}>
          <span className="head-search-wide">{shellWords.palette}</span>
          <span className="head-search-narrow">{common.search}</span>
          <kbd>Ctrl K</kbd>
        </button>
      )}
      {data && <AccountMenu me={data.me} docs={findNoun(noun)?.docs} />}
      {isOpen && tenant !== undefined && <Palette tenant={tenant} close={() => setOpen(false)} />}
    </header>
  );
}
