import { Outlet, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { NoticeList } from '#console/ui/notice-list.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { Head } from './head.tsx';
import { Rail } from './rail.tsx';
import { shellWords } from './shell.words.ts';
import { Tabs } from './tabs.tsx';

/** What surrounds every page: the rail of places, the head, notices. */
export function Frame() {
  const { noun = '', tenant } = useParams({ strict: false });
  return (
    <div className="frame">
      <a className="skip" href="#content">
        {shellWords.skip}
      </a>
      {tenant !== undefined && <Rail />}
      <Head />
      <main id="content" className="content" tabIndex={-1}>
        {tenant !== undefined && <Tabs noun={noun} />}
        <ErrorBoundary key={noun}>
          <Suspense fallback={<Skeleton rows={20} />}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
      <NoticeList />
    </div>
  );
}
