import { Link, Navigate, useParams } from '@tanstack/react-router';
import { use } from 'react';
import { consoleAddress } from '#console/session/addresses.ts';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { ListPage } from '#console/ui/screens/list-page.tsx';
import type { Screens } from '#console/ui/screens/screen.ts';
import { loadOnce } from './load-once.ts';
import { findNoun } from './nouns.ts';
import { nounTitle } from './nouns.words.ts';
import { shellWords } from './shell.words.ts';

/** The screens of a noun. */
export const loadScreens = loadOnce(async (noun): Promise<Screens | undefined> => findNoun(noun)?.load());

/** The component that draws an object of a noun, with its screens. */
export const loadPage = loadOnce(async (noun) => {
  const [screens, { DetailPage }] = await Promise.all([
    loadScreens(noun),
    import('#console/ui/screens/detail-page.tsx'),
  ]);
  return { screens, DetailPage, detail: screens?.detail ?? (await screens?.loadDetail?.()) };
});

/** Begins to load what draws the page at this address. */
export function loadScreensAt(address: string): void {
  const [, kind, , noun = '', id] = address.slice(consoleAddress('').href.length - 1).split(/[/?#]/);
  if (kind === 't') void (id ? loadPage(noun) : loadScreens(noun));
}

export function NounList() {
  const { noun = '' } = useParams({ strict: false });
  const screens = use(loadScreens(noun));
  if (screens?.page) return screens.page();
  if (!screens?.list) return <NoPage />;
  return <ListPage key={noun} noun={noun} title={nounTitle(noun)} screen={screens.list} />;
}

export function NounDetail() {
  const { noun = '', id = '' } = useParams({ strict: false });
  const { screens, DetailPage, detail } = use(loadPage(noun));
  const drawn = screens?.pages?.[id];
  if (drawn) return drawn();
  if (screens?.object) return screens.object(id);
  if (!detail) return <NoPage />;
  return <DetailPage key={`${noun}/${id}`} noun={noun} title={nounTitle(noun)} id={id} screen={detail} />;
}

export function TenantHome() {
  const { tenant = '' } = useParams({ strict: false });
  return <Navigate to="/t/$tenant/$noun" params={{ tenant, noun: 'overview' }} replace />;
}

/** Where an address names nothing. It may have no tenant, and so no places beside it. */
export function NoPage() {
  return (
    <div className="failed-box">
      <PageHeading text={shellWords.noPage} />
      <p>{shellWords.noPageHelp}</p>
      <Link to="/">{shellWords.overview}</Link>
    </div>
  );
}
