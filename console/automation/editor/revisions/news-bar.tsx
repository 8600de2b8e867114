import { useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { revisionWords as w } from './revisions.words.ts';

export interface News {
  revision: number;
  /** Who published it; null for the system. */
  by: string | null;
}

/** The publications that this page did not make itself. */
export function useNews(revision: number) {
  const [news, setNews] = useState<News>();
  const [own, setOwn] = useState<ReadonlySet<number>>(new Set());
  // What the page was opened with is no news.
  const [opened] = useState(revision);
  return {
    news: news && news.revision > opened && !own.has(news.revision) ? news : undefined,
    hear: ({ revision: number, by }: { revision: number | null; by: string | null }) =>
      setNews(number === null ? undefined : { revision: number, by }),
    dismiss: () => setNews(undefined),
    /** A publication of this page's own. */
    published: (number: number) => setOwn((before) => new Set(before).add(number)),
  };
}

/** Says that somebody else has published while this draft was edited. */
export function NewsBar({ news, see, dismiss }: { news: News; see: () => void; dismiss: () => void }) {
  return (
    <div className="editor-news">
      <p role="status">{w.news(news.revision, news.by ?? w.somebody)}</p>
      <Button onPress={see}>{w.seeNews}</Button>
      <Button onPress={dismiss}>{w.dismiss}</Button>
    </div>
  );
}
