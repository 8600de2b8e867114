import { Navigate, useParams, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { Viewer } from '#console/graph/viewer.documents.ts';
import { LoadFailed } from '#console/ui/load-failed.tsx';
import { PageHeading } from '#console/ui/page-heading.tsx';
import { Skeleton } from '#console/ui/skeleton.tsx';
import { lastTenant } from './last-tenant.ts';
import { NoPage } from './noun-pages.tsx';
import { findNoun } from './nouns.ts';
import { isOperatorAlone, noTenant } from './readers.ts';
import { shellWords } from './shell.words.ts';

/** Opens the tenant of last time, else the first, at the noun that the address names. */
export function Home() {
  const { noun = 'overview' } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const [{ data, error }, read] = useQuery({ query: Viewer });
  if (error) return <LoadFailed error={error} retry={() => read({ requestPolicy: 'network-only' })} />;
  if (!findNoun(noun)) return <NoPage />;
  if (!data) return <Skeleton rows={20} />;
  const { tenants, context } = data.me;
  if (isOperatorAlone(context.roles) || (tenants.length === 0 && context.roles.includes('operator')))
    return <Navigate to="/t/$tenant/$noun" params={{ tenant: noTenant, noun: 'organisations' }} replace />;
  const tenant = tenants.find(({ slug }) => slug === lastTenant.read()) ?? tenants[0];
  if (tenant) return <Navigate to="/t/$tenant/$noun" params={{ tenant: tenant.slug, noun }} search={search} replace />;
  return (
    <div className="failed-box">
      <PageHeading text={shellWords.noTenant} />
      <p>{shellWords.noTenantHelp}</p>
    </div>
  );
}
