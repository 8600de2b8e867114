import { Outlet, useParams } from '@tanstack/react-router';
import { type MouseEvent, Suspense, useEffect } from 'react';
import { SessionBanner } from '#console/session/session-banner.tsx';
import { NoticeList } from '#console/ui/notice-list.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { GraphProvider } from './graph-provider.tsx';
import { Head } from './head.tsx';
import { lastTenant } from './last-tenant.ts';
import { MovingTenant } from './moving-tenant.tsx';
import { Rail } from './rail.tsx';
import { noTenant } from './readers.ts';
import { useSession } from './session-context.ts';
import { shellWords } from './shell.words.ts';
import { Tabs } from './tabs.tsx';

/** What surrounds every page: the rail of places, the head, notices. */
export function Frame() {
  const { noun = '', tenant } = useParams({ strict: false });
  const session = useSession();
  useEffect(() => (tenant === undefined ? undefined : lastTenant.write(tenant)), [tenant]);
  return (
    <GraphProvider tenant={tenant === undefined || tenant === noTenant ? null : tenant}>
      <div className="frame">
        <a className="skip" href="#content" onClick={skip}>
          {shellWords.skip}
        </a>
        {tenant !== undefined && <Rail />}
        <Head />
        <main id="content" className="content" tabIndex={-1}>
          <SessionBanner session={session} />
          {tenant !== undefined && <MovingTenant />}
          {tenant !== undefined && <Tabs noun={noun} />}
          <ErrorBoundary key={noun}>
            <Suspense fallback={<Skeleton rows={20} />}>
              <Outlet />
            </Suspense>
          </ErrorBoundary>
        </main>
        <NoticeList />
      </div>
    </GraphProvider>
  );
}

/** Done here, because an address of a fragment alone belongs to the page of `<base href>`. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#content')?.focus();
}
