import { useParams } from '@tanstack/react-router';
import { use } from 'react';
import { DetailPage } from '#console/ui/screens/detail-page.tsx';
import { ListPage } from '#console/ui/screens/list-page.tsx';
import type { Screens } from '#console/ui/screens/screen.ts';
import { findNoun } from './nouns.ts';
import { nounTitle } from './nouns.words.ts';
import { shellWords } from './shell.words.ts';

const loaded = new Map<string, Promise<Screens | undefined>>();

/** The screens of a noun, loaded once. A load that failed is forgotten, so that the next visit tries again. */
export function loadScreens(noun: string): Promise<Screens | undefined> {
  const known = loaded.get(noun);
  if (known) return known;
  const loading = Promise.resolve(findNoun(noun)?.load());
  loaded.set(noun, loading);
  loading.catch(() => loaded.delete(noun));
  return loading;
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
  const screens = use(loadScreens(noun));
  const drawn = screens?.pages?.[id];
  if (drawn) return drawn();
  if (!screens?.detail) return <NoPage />;
  return <DetailPage key={`${noun}/${id}`} noun={noun} title={nounTitle(noun)} id={id} screen={screens.detail} />;
}

function NoPage() {
  return (
    <div className="failed-box">
      <h1>{shellWords.noPage}</h1>
      <p>{shellWords.noPageHelp}</p>
    </div>
  );
}
