import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { DocsLink } from '#console/docs/docs-link.tsx';
import { Viewer } from '#console/graph/viewer.documents.ts';
import { headNameId } from '#console/ui/head-name.tsx';
import { lazily } from '#console/ui/lazily.tsx';
import { common } from '#console/words/common.words.ts';
import { AccountMenu } from './account-menu.tsx';
import { findNoun } from './nouns.ts';
import { nounTitle } from './nouns.words.ts';
import { PaletteInput } from './palette-input.tsx';
import { noTenant } from './readers.ts';
import { shellWords } from './shell.words.ts';
import { TenantMenu } from './tenant-menu.tsx';

const Palette = lazily(() => import('./palette.tsx').then(({ Palette }) => Palette));

/** Where the reader is, the tenant, the search and the account. */
export function Head() {
  const { tenant, noun = '' } = useParams({ strict: false });
  const found = findNoun(noun);
  const [{ data }] = useQuery({ query: Viewer });
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const palette = {
    typed,
    setTyped,
    close() {
      setOpen(false);
      setTyped('');
    },
  };
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
          {found && (
            <span className="head-path">
              {nounTitle(found.partOf ?? noun)}
              <span id={headNameId} className="head-name-of-page" />
            </span>
          )}
        </>
      )}
      <span className="head-space" />
      <DocsLink page={found?.docs ?? 'console'}>{shellWords.docs}</DocsLink>
      {tenant !== undefined && (
        <button type="button" className="head-search" onClick={() => setOpen(true)}>
          <span className="head-search-wide">{shellWords.palette}</span>
          <span className="head-search-narrow">{common.search}</span>
          <kbd>Ctrl K</kbd>
        </button>
      )}
      {data && <AccountMenu me={data.me} docs={found?.docs} />}
      {isOpen && tenant !== undefined && (
        <Palette tenant={tenant} {...palette} meanwhile={<PaletteInput {...palette} />} />
      )}
    </header>
  );
}
