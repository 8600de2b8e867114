import { Navigate, useLocation, useParams, useSearch } from '@tanstack/react-router';
import { lazily } from '#console/ui/lazily.tsx';
import type { AddressValues } from '#console/ui/screens/filters.ts';

const DocsPage = lazily(() => import('#console/docs/docs-page.tsx').then(({ DocsPage }) => DocsPage));

/** Begins with the page on the console. */
export function DocsHome() {
  return <Navigate to="/docs/$page" params={{ page: 'console' }} search replace />;
}

/** A page of the documentation, or what a search in it found. */
export function DocsRoute() {
  const { page = '' } = useParams({ strict: false });
  const { q = '' }: AddressValues = useSearch({ strict: false });
  const { hash } = useLocation();
  return <DocsPage page={page} anchor={hash} query={q} />;
}
